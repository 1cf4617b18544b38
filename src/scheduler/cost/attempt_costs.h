#pragma once

// What the steps of an attempt cost: calls of each plugin times what a call costs, how long that
// takes on so many cores, and garbage.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cost/unit_costs.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::cost {

// The scheduler's parallel node loops: workers take chunks of nodes.

/// How many nodes a worker takes at a time.
int ChunkOf(int nodes, int parallelism);
/// How many workers that many nodes keep busy, at least 1.
int WorkersFor(int nodes, int parallelism);

/// Where the scheduling loop runs.
struct Machine {
  int cores = 2;
  int parallelism = 16;
};

/// The work of one step: microseconds of CPU time.
struct Labour {
  double serial_us = 0;
  double parallel_us = 0;  ///< shared by the workers
  int pieces = 0;          ///< nodes that the workers share

  double cpu_us() const { return serial_us + parallel_us; }
  /// At the end a worker is half a chunk behind the others, on average.
  double ElapsedUs(const Machine& machine) const;
};

/// How many of the cluster's `nodes` go through the filters. `seen` have a result; with `enough`
/// the search ended early, and the workers notice only between chunks.
int NodesFiltered(int nodes, int seen, bool enough, const Machine& machine);

// Go's garbage collector: a cycle marks the live heap when as much again has been allocated.

/// Bytes that live in a scheduler of that many nodes and pods.
double LiveHeapBytes(double nodes, double pods);
/// Bytes that an attempt allocates; nodes with a result and nodes scored (0: it found none).
double AllocatedBytes(int seen, int scored);

class GarbageCollector {
 public:
  /// An attempt has allocated; `live` are the bytes that live. Returns the microseconds for which
  /// the world stops: 0 unless a cycle begins.
  double Allocate(double bytes, double live);
  /// How much longer a step takes while a cycle marks: the collector has a quarter of the cores.
  /// Of `elapsed` microseconds the last `shared` ran on all cores.
  double DelayUs(double elapsed, double shared, int cores);
  /// CPU time of all cycles begun so far.
  double cpu_us() const { return cpu_us_; }

 private:
  double allocated_ = 0;
  double to_mark_us_ = 0;  // of the running cycle
  double cpu_us_ = 0;
};

// What of a pod makes work for plugins, counted.
struct PodShape {
  int selector_labels = 0;  ///< nodeSelector
  int required_terms = 0;   ///< of node affinity
  int preferred_terms = 0;  ///< of node affinity
  int host_ports = 0;
  int hard_spread = 0;
  int soft_keys = 0;  ///< soft spread by other keys than the host name, defaults included
  bool soft_host = false;
  int affinity = 0;       ///< required terms
  int anti_affinity = 0;  ///< required terms
  int preferred = 0;      ///< terms of either kind
  int containers = 1;
  int late_claims = 0;   ///< volume claims that are bound when the pod is
  int bound_claims = 0;  ///< volume claims that are bound already
};

/// Of a pod's spec; default spread constraints are those of the profile.
PodShape ShapeOf(const core::Attempt& attempt, const core::Profile& profile);

/// The names of a profile's plugins, in order.
struct ProfilePlugins {
  ProfilePlugins() = default;
  explicit ProfilePlugins(const core::Profile& profile);
  std::vector<std::string> filter, score;
  bool spreads = false;   ///< PodTopologySpread is among the PreFilter or PreScore plugins
  bool attracts = false;  ///< InterPodAffinity is
};

// What depends neither on plugins nor on the cluster: an attempt's fixed work by step, and calls of
// extenders by what is sent.

/// The share of the fixed cost of an attempt that one step has, in microseconds. The steps that
/// are not named here have none.
enum class FixedStep : std::uint8_t {
  kSnapshot,  ///< pop and cycle state too
  kFilter,    ///< result lists
  kScore,     ///< result lists
  kSelectHost,
  kAssume,
  kReserve,
  kPermit,
  kSpawn,
  kPreBind,
  kBindClient,
  kFinish,
  kPostBind,
  kEvent,    ///< off the loop
  kFailure,  ///< of a failed attempt, instead of all from kScore on
  kUnreserve,
};
double FixedUs(FixedStep step, const UnitCosts& units);

/// The scheduler's side of extender calls with so many nodes, of so many images each.
double ExtenderFilterUs(const UnitCosts& units, int nodes, double images, bool names_only);
double ExtenderPrioritizeUs(const UnitCosts& units, int nodes, double images, bool names_only);

/// What there is to look at: the scheduler's cache.
struct ClusterWork {
  int nodes = 0;
  std::int64_t pods = 0;  ///< assumed or bound
  // Of these, with terms of inter-pod affinity.
  std::int64_t with_anti_affinity = 0;  ///< required
  std::int64_t with_affinity = 0;       ///< required
  std::int64_t with_preferred = 0;
  int tainted_nodes = 0;
  // Since the last snapshot.
  int changed_nodes = 0;
  bool nodes_came_or_went = false;
  bool affinity_came_or_went = false;  ///< a node got its first pod with affinity, or lost its last
};

/// What one attempt did with it.
struct AttemptWork {
  ClusterWork cluster;
  int searched = 0;     ///< nodes that could be looked at
  int seen = 0;         ///< nodes that have a result of the filters
  int passed = 0;       ///< of these, that no filter rejected
  int feasible = 0;     ///< and no extender
  bool enough = false;  ///< the search ended early
  std::span<const PluginRejections> rejected;
};

/// The dry run of preemption.
struct PreemptionWork {
  int nodes = 0;  ///< of the cluster
  int dry_run_nodes = 0;
  std::int64_t pods = 0;     ///< of lower priority on these nodes
  std::int64_t budgets = 0;  ///< disruption budgets
  int candidates = 0;
};

/// One plugin's call on one node, or at all: microseconds.
struct PluginTime {
  std::string_view plugin;
  double us = 0;
};

/// Of pods of one shape under one profile.
class AttemptCosts {
 public:
  AttemptCosts(const PodShape& shape, const ProfilePlugins& plugins, const UnitCosts& units);

  Labour Snapshot(const ClusterWork& cluster) const;
  Labour PreFilter(const ClusterWork& cluster) const;
  Labour Filter(const AttemptWork& work, const Machine& machine) const;
  /// The filters on one node alone: the nominated one.
  Labour FilterOne(const ClusterWork& cluster) const;
  Labour PreScore(const ClusterWork& cluster) const;
  Labour Score(const AttemptWork& work) const;
  /// Of a cycle whose plugin metrics are recorded: so many calls find room in the buffer.
  Labour Recording(const AttemptWork& work, int room) const;
  Labour Preemption(const PreemptionWork& work) const;

  /// A call of each plugin at Filter or Score on one node, and of PreFilter and PreScore in all.
  std::vector<PluginTime> TimesAt(ExtensionPoint point, const AttemptWork& work) const;

 private:
  struct PluginTerm {
    std::string_view plugin;
    Term call;
  };
  /// The unit that a cost was measured as at that count.
  struct Measured {
    int count;
    Unit unit;
  };
  Term FilterCall(std::string_view plugin) const;
  Term ScoreCall(std::string_view plugin) const;
  /// What only the state of the cluster decides, added to a plugin's call.
  double FilterExtra(std::string_view plugin, const ClusterWork& cluster) const;
  double ScoreExtra(std::string_view plugin, const ClusterWork& cluster,
                    const Warmth& warmth) const;
  double AffinityPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const;
  double SpreadPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const;
  double AffinityPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const;
  double SpreadPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const;
  Term Of(Unit unit, double times = 1) const { return Term().Add(units_[unit], times); }
  Term Series(int count, std::initializer_list<Measured> points) const;
  double UntilUs(int pieces) const;
  const Warmth& WarmthOf(const ClusterWork& cluster) const;

  PodShape shape_;
  bool attracts_, spreads_;
  UnitCosts units_;
  std::vector<PluginTerm> filter_, score_;
  mutable int warm_nodes_ = 0;  // what `warmth_` is of
  mutable std::int64_t warm_pods_ = 0;
  mutable Warmth warmth_{0, 0};
};

}  // namespace schedlens::sim::cost
