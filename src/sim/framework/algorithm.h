#ifndef SCHEDLENS_SIM_FRAMEWORK_ALGORITHM_H_
#define SCHEDLENS_SIM_FRAMEWORK_ALGORITHM_H_

// The default algorithm: one scheduling attempt of one pod against a cluster, and preemption.
// Virtual time, costs and the queue are not its business: it counts work, others price it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/cluster/cluster.h"
#include "sim/framework/configuration.h"

namespace schedlens {
class SchedulerPlugin;
}

namespace schedlens::sim::core {

enum class Outcome : std::uint8_t {
  kScheduled,      ///< `node` was chosen
  kUnschedulable,  ///< no node fits (FitError): PostFilter comes next
  kNoNodes,        ///< the snapshot is empty
  kError,          ///< a plugin or an extender failed
};

/// How often each part was called in one attempt: the vectors follow the profile's plugin order.
struct Work {
  std::vector<std::int32_t> filter_calls;   ///< node calls, by Filter plugin
  std::vector<std::int32_t> score_calls;    ///< node calls, by Score plugin; all 0 if not scored
  std::vector<std::uint8_t> prefilter_ran;  ///< by PreFilter plugin: 1 called, 2 said Skip
  std::vector<std::uint8_t> prescore_ran;   ///< by PreScore plugin
  std::int32_t filter_passes = 0;  ///< runs of the Filter point: 0, 1, or 2 (nominated node first)
  bool scored = false;             ///< PreScore and Score ran (more than one feasible node)
};

/// One attempt's result. Reuse the object: its vectors keep their memory.
struct ScheduleResult {
  Outcome outcome = Outcome::kUnschedulable;
  NodeId node = kNone;
  std::int32_t searched = 0;   ///< nodes that could have been looked at
  std::int32_t evaluated = 0;  ///< nodes that were looked at
  std::int32_t feasible = 0;   ///< nodes that passed all filters
  std::int32_t tied = 0;       ///< nodes with the highest total
  std::int64_t top_score = 0;
  bool prefilter_rejected = false;
  bool nominated_node_shortcut = false;
  NodeId hint = kNone;      ///< tried first of all, alone: what the pod before leaves (from 1.35)
  bool hint_taken = false;  ///< and it fitted
  std::int32_t rejecting_prefilter = kNone;  ///< index into the profile's PreFilter plugins
  /// By Filter plugin of the profile: nodes it rejected (first rejection of each node).
  std::vector<std::int32_t> rejected;
  std::vector<std::int32_t> unresolvable;  ///< of these, UnschedulableAndUnresolvable
  /// The Filter plugin that rejected the hinted or nominated node when it was tried alone.
  std::int32_t rejecting_nominated = kNone;
  Work work;
};

class Framework;
class NodeHints;
/// Makes it that of an attempt that has not begun yet, with the profile's plugins.
void Reset(const Framework& framework, ScheduleResult& result);
/// Notes which PreFilter plugins were called: all up to the one that refused the pod.
void NotePreFilter(const Framework& framework, ScheduleResult& result);
/// Counts the calls of Filter: each plugin is asked of the nodes that all before it let pass.
void CountCalls(ScheduleResult& result);
/// The node with the highest total: the k-th of equals replaces the one kept with probability 1/k.
/// `result` has the first node and tied 1.
void SelectHost(std::span<const NodeId> nodes, std::span<const std::int64_t> totals, Random& random,
                ScheduleResult& result);

struct PreemptionResult {
  bool eligible = false;
  NodeId node = kNone;         ///< nominated; kNone if none helps
  std::vector<PodId> victims;  ///< in the scheduler's order
  std::int64_t pdb_violations = 0;
  std::int32_t potential_nodes = 0;  ///< not UnschedulableAndUnresolvable
  std::int32_t candidates = 0;
  std::int64_t filter_calls = 0;  ///< node x plugin calls of the dry run
  std::int32_t dry_run_nodes = 0;
  std::int64_t dry_run_pods = 0;  ///< of lower priority on these nodes
  /// Lower-priority pods nominated to `node`: their nomination is to be cleared.
  std::vector<PodId> clear_nominations;
};

/// An extender's part in the search, as whoever simulates its HTTP calls provides it. `Filter`
/// keeps the nodes that pass, returns false for an error of an extender that is not ignorable.
/// `Prioritize` adds weight * score * 10 to the totals (same order as nodes).
class ExtenderCalls {
 public:
  virtual ~ExtenderCalls() = default;
  virtual bool Filter(PodId pod, std::vector<NodeId>& nodes) = 0;
  virtual void Prioritize(PodId pod, std::span<const NodeId> nodes,
                          std::span<std::int64_t> totals) = 0;
};

/// A user's plugins by name (include/schedlens/sim.h).
struct OwnPlugin {
  std::string name;
  std::function<std::unique_ptr<SchedulerPlugin>()> make;
};

/// `0/5 nodes are available: 2 Insufficient cpu, ....` for nodes counted by reason.
std::string UnavailableMessage(std::int64_t nodes, const std::map<std::string, int>& reasons);

struct AttemptDetail;
struct PreemptionDetail;
/// The same for a pod that PreFilter refused, as from 1.27.
std::string RefusedMessage(std::int64_t nodes, const std::vector<std::string>& reasons);

/// Schedules pods of one profile on one cluster. Keep one for each profile; `Schedule` changes no
/// pod and no node: the caller binds the pod (assume) afterwards.
class Algorithm {
 public:
  /// `cluster` must outlive it. Throws Error(kUsage) for a plugin that does not exist.
  Algorithm(const Cluster& cluster, const Configuration& configuration, std::size_t profile,
            std::vector<OwnPlugin> own_plugins = {});
  ~Algorithm();
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  /// One attempt. `extenders` may be null. Allocates nothing once warm. With `now_ms`, the time of
  /// the attempt, pods leave node hints to those after them (see NodeHints).
  void Schedule(PodId pod, Random& random, ExtenderCalls* extenders, ScheduleResult& result,
                const std::optional<double>& now_ms = std::nullopt);
  NodeHints& hints();
  /// DefaultPreemption for the pod whose Schedule just returned kUnschedulable.
  void Preempt(PodId pod, Random& random, PreemptionResult& result);
  /// The scheduler's own sentence about the last unschedulable attempt (`0/5 nodes are available:
  /// ...`). Composed on demand.
  std::string FailureMessage() const;
  Framework& framework();
  /// All about the attempt whose Schedule just returned `result`, before anything changes.
  void Explain(const ScheduleResult& result, AttemptDetail& out);
  /// What the dry run of the last Preempt found; of an eligible pod only.
  const PreemptionDetail& preemption() const;
  /// Why the last Preempt was not eligible; empty if it was.
  std::string_view why_not_preempt() const;
  /// The name of one of the profile's plugins, by its index at that point.
  std::string_view NameOf(ExtensionPoint point, std::int32_t index) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_ALGORITHM_H_
