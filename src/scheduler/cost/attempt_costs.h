#pragma once

// What the steps of an attempt cost: calls of each plugin times what a call costs, how long that
// takes on so many cores, and garbage.

#include "scheduler/cost/unit_costs.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::cost {

/// How many nodes a worker takes at a time.
int ChunkOf(int nodes, int parallelism);
/// How many workers that many nodes keep busy, at least 1.
int WorkersFor(int nodes, int parallelism);

/// Where the scheduling loop runs.
struct Machine {
  int cores = 2, parallelism = 16;
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
  int host_ports = 0, hard_spread = 0;
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

/// The part of an attempt's fixed cost that a step has where 190 us are measured; 0 for most. That
/// of kEventsApi is making the event, that of kFailure stands for all from kScore on.
double FixedShare(Cost step);
/// The same in microseconds where `units` hold.
double FixedUs(Cost step, const UnitCosts& units);

/// The scheduler's side of a call of an extender, kExtFilter or kExtPrioritize, with so many nodes,
/// of so many images each.
double ExtenderUs(const UnitCosts& units, Cost call, int nodes, double images, bool names_only);

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

/// A search for nodes.
struct SearchWork {
  int searched = 0;     ///< nodes that could be looked at
  int evaluated = 0;    ///< nodes that have a result of the filters
  int passed = 0;       ///< of these, that no filter rejected
  int feasible = 0;     ///< and no extender
  bool enough = false;  ///< the search ended early: more nodes may pass
  std::span<const PluginRejections> rejected;
};

/// What one attempt did.
struct AttemptWork : SearchWork {
  ClusterWork cluster;
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
  AttemptCosts(const PodShape& shape, const ProfilePlugins& plugins, const UnitCosts& units)
      : shape_(shape), attracts_(plugins.attracts), spreads_(plugins.spreads), units_(units) {
    for (const std::string& name : plugins.filter) filter_.push_back({name, FilterCall(name)});
    for (const std::string& name : plugins.score) score_.push_back({name, ScoreCall(name)});
  }

  Labour Snapshot(const ClusterWork& cluster) const {
    const Warmth warmth = WarmthOf(cluster);
    Labour out;
    out.serial_us = FixedUs(Cost::kSnapshot, units_);  // one changed node included
    out.serial_us += Of("snapshot_update.perChangedNode").At(warmth.node) *
                     std::max(0, cluster.changed_nodes - 1);
    if (cluster.nodes_came_or_went) {
      out.serial_us +=
          Of("snapshot_update.nodeAddedOrRemoved.perNode").At(warmth.node) * cluster.nodes;
    }
    if (cluster.affinity_came_or_went) {
      out.serial_us += Of("snapshot_update.affinityLists.perNode").At(warmth.node) * cluster.nodes;
    }
    return out;
  }

  Labour PreFilter(const ClusterWork& cluster) const {
    const Warmth warmth = WarmthOf(cluster);
    return {units_["frame.prefilter"].hot_us,
            AffinityPreFilterUs(cluster, warmth) + SpreadPreFilterUs(cluster, warmth),
            cluster.nodes};
  }
  Labour Filter(const AttemptWork& work, const Machine& machine) const {
    const ClusterWork& cluster = work.cluster;
    const Warmth warmth = WarmthOf(cluster);
    const int filtered = NodesFiltered(work.searched, work.evaluated, work.enough, machine);
    // What was filtered beyond the search's end is rejected as often as the rest.
    const double more = work.evaluated > 0 ? static_cast<double>(filtered) / work.evaluated : 1;
    Labour out{FixedUs(Cost::kFilter, units_) + UntilUs(filtered), 0, filtered};
    out.parallel_us = Of("frame.filter.perNode").At(warmth.node) * filtered;
    double asked = filtered;
    for (const PluginTerm& term : filter_) {
      out.parallel_us += asked * (term.call.At(warmth.node) + FilterExtra(term.plugin, cluster));
      for (const PluginRejections& r : work.rejected) {
        if (r.plugin == term.plugin) asked -= more * (r.unschedulable + r.unresolvable);
      }
    }
    if (work.passed == 0)
      out.serial_us += units_["unschedulable_extra_per_node_us"].hot_us * filtered;
    return out;
  }

  /// The filters on one node alone: the nominated one.
  Labour FilterOne(const ClusterWork& cluster) const {
    const Warmth warmth = WarmthOf(cluster);
    Labour out{Of("frame.filter.perNode").At(warmth.node), 0, 0};
    for (const PluginTerm& term : filter_) {
      out.serial_us += term.call.At(warmth.node) + FilterExtra(term.plugin, cluster);
    }
    return out;
  }

  Labour PreScore(const ClusterWork& cluster) const {
    const Warmth warmth = WarmthOf(cluster);
    return {units_["frame.prescore"].hot_us,
            AffinityPreScoreUs(cluster, warmth) + SpreadPreScoreUs(cluster, warmth), cluster.nodes};
  }
  Labour Score(const AttemptWork& work) const {
    const ClusterWork& cluster = work.cluster;
    const Warmth warmth = WarmthOf(cluster);
    double call = Of("frame.score.perNode").At(warmth.node);
    for (const PluginTerm& term : score_) {
      call += term.call.At(warmth.node) + ScoreExtra(term.plugin, cluster, warmth);
    }
    return {FixedUs(Cost::kScore, units_) + 2 * UntilUs(work.feasible), call * work.feasible,
            work.feasible};
  }

  /// Of a cycle whose plugin metrics are recorded: so many calls find room in the buffer.
  Labour Recording(const AttemptWork& work, int room) const {
    const auto active = [](const std::vector<PluginTerm>& terms) {
      return std::ranges::count_if(terms, [](const auto& t) { return t.call.hot > 0; });
    };
    const auto calls =
        static_cast<double>(work.evaluated * active(filter_) + work.feasible * active(score_));
    const double kept = std::min(calls, static_cast<double>(room));
    return {0,
            kept * units_["frame.recordedPluginCall"].hot_us +
                (calls - kept) * units_["framework.recorder_call_buffer_full_us"].hot_us,
            std::max(1, work.evaluated)};
  }

  Labour Preemption(const PreemptionWork& work) const {
    const Warmth warmth(work.nodes, 0);
    const double pod =
        units_["preemption.dry-run.perPod"].hot_us +
        units_["preemption.dry-run.perPodAndBudget"].hot_us * static_cast<double>(work.budgets);
    return {Of("preemption.nodes-for-status.perNode").At(warmth.node) * work.nodes +
                units_["preemption.select-candidate.perNode"].hot_us * work.candidates +
                UntilUs(work.dry_run_nodes),
            units_["preemption.dry-run.perNode"].hot_us * work.dry_run_nodes +
                static_cast<double>(work.pods) * pod,
            work.dry_run_nodes};
  }

  /// A call of each plugin at Filter or Score on one node, and of PreFilter and PreScore in all.
  std::vector<PluginTime> TimesAt(ExtensionPoint point, const AttemptWork& work) const {
    const ClusterWork& cluster = work.cluster;
    const Warmth warmth = WarmthOf(cluster);
    std::vector<PluginTime> out;
    if (point == ExtensionPoint::kFilter) {
      for (const PluginTerm& term : filter_) {
        out.push_back({term.plugin, term.call.At(warmth.node) + FilterExtra(term.plugin, cluster)});
      }
    } else if (point == ExtensionPoint::kScore) {
      for (const PluginTerm& term : score_) {
        out.push_back(
            {term.plugin, term.call.At(warmth.node) + ScoreExtra(term.plugin, cluster, warmth)});
      }
    } else if (point == ExtensionPoint::kPreFilter) {
      out = {{"InterPodAffinity", AffinityPreFilterUs(cluster, warmth)},
             {"PodTopologySpread", SpreadPreFilterUs(cluster, warmth)}};
    } else if (point == ExtensionPoint::kPreScore) {
      out = {{"InterPodAffinity", AffinityPreScoreUs(cluster, warmth)},
             {"PodTopologySpread", SpreadPreScoreUs(cluster, warmth)}};
    }
    return out;
  }

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
  Term FilterCall(std::string_view plugin) const {
    if (plugin == "NodeUnschedulable") return Of("filter.NodeUnschedulable");
    if (plugin == "NodeName") return Of("filter.NodeName");
    if (plugin == "TaintToleration") return Of("filter.TaintToleration");
    if (plugin == "NodeResourcesFit") return Of("filter.NodeResourcesFit");
    if (plugin == "NodePorts") return Of("filter.NodePorts.1", shape_.host_ports);
    if (plugin == "NodeAffinity") {
      Term out = Series(shape_.required_terms, {{1, "filter.NodeAffinity.required1"},
                                                {5, "filter.NodeAffinity.required5"}});
      return out.Add(units_["filter.NodeAffinity.nodeSelector"], shape_.selector_labels);
    }
    if (plugin == "VolumeBinding") {
      Term out = Series(shape_.bound_claims,
                        {{1, "filter.VolumeBinding.bound1"}, {3, "filter.VolumeBinding.bound3"}});
      return out.Add(units_["filter.VolumeBinding.wffc1"], shape_.late_claims);
    }
    if (plugin == "NodeVolumeLimits") {
      return Series(shape_.bound_claims + shape_.late_claims,
                    {{1, "filter.NodeVolumeLimits.1"}, {3, "filter.NodeVolumeLimits.3"}});
    }
    if (plugin == "PodTopologySpread") {
      return Series(shape_.hard_spread, {{1, "filter.PodTopologySpread.hard1"},
                                         {2, "filter.PodTopologySpread.hard2"},
                                         {3, "filter.PodTopologySpread.hard3"}});
    }
    if (plugin == "InterPodAffinity") {
      Term out = Series(shape_.affinity, {{1, "filter.InterPodAffinity.affinity1"},
                                          {2, "filter.InterPodAffinity.affinity2"}});
      return out.Add(units_["filter.InterPodAffinity.anti1"], shape_.anti_affinity);
    }
    return {};
  }

  Term ScoreCall(std::string_view plugin) const {
    if (plugin == "TaintToleration") return Of("score.TaintToleration");
    if (plugin == "NodeResourcesBalancedAllocation")
      return Of("score.NodeResourcesBalancedAllocation");
    if (plugin == "DynamicResources") return Of("score.DynamicResources");
    if (plugin.starts_with("NodeResources")) return Of("score.NodeResourcesFit");
    if (plugin == "ImageLocality") {
      return Series(shape_.containers,
                    {{1, "score.ImageLocality"}, {5, "score.ImageLocality.5containers"}});
    }
    if (plugin == "NodeAffinity") {
      return Series(shape_.preferred_terms,
                    {{1, "score.NodeAffinity.preferred1"}, {5, "score.NodeAffinity.preferred5"}});
    }
    if (plugin == "PodTopologySpread") {
      return Of("score.PodTopologySpread.zone", shape_.soft_keys + (shape_.soft_host ? 1 : 0));
    }
    return {};  // InterPodAffinity: whether it scores, the cluster decides
  }

  /// What only the state of the cluster decides, added to a plugin's call.
  double FilterExtra(std::string_view plugin, const ClusterWork& cluster) const {
    if (plugin == "TaintToleration" && cluster.tainted_nodes > 0) {
      return units_["filter.TaintToleration.perTaint"].hot_us * cluster.tainted_nodes /
             std::max(1, cluster.nodes);
    }
    const bool existing = plugin == "InterPodAffinity" && cluster.with_anti_affinity > 0;
    if (existing && shape_.affinity + shape_.anti_affinity == 0) {
      return units_["filter.InterPodAffinity.anti1"].hot_us;
    }
    return 0;
  }

  double ScoreExtra(std::string_view plugin, const ClusterWork& cluster,
                    const Warmth& warmth) const {
    if (plugin == "InterPodAffinity") {
      const bool scores =
          shape_.preferred > 0 || cluster.with_preferred > 0 || cluster.with_affinity > 0;
      return scores ? Of("score.InterPodAffinity").At(warmth.node) : 0;
    }
    if (plugin == "PodTopologySpread" && shape_.soft_host) {
      const double pods = static_cast<double>(cluster.pods) / std::max(1, cluster.nodes);
      return pods * Of("score.PodTopologySpread.host.perPodOnNode").At(warmth.node);
    }
    return 0;
  }

  double AffinityPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const {
    if (!attracts_) return 0;
    const auto pods = static_cast<double>(cluster.pods);
    double us = Of("prefilter.InterPodAffinity.existingAnti.perPod").At(warmth.pod) *
                static_cast<double>(cluster.with_anti_affinity);
    us += pods * Series(shape_.affinity, {{1, "prefilter.InterPodAffinity.affinity.perPod"},
                                          {2, "prefilter.InterPodAffinity.affinity2.perPod"}})
                     .At(warmth.pod);
    if (shape_.anti_affinity > 0)
      us += pods * Of("prefilter.InterPodAffinity.anti.perPod").At(warmth.pod);
    return us;
  }

  double SpreadPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const {
    if (!spreads_) return 0;
    const Term pod = Series(shape_.hard_spread, {{1, "prefilter.PodTopologySpread.hard1.perPod"},
                                                 {2, "prefilter.PodTopologySpread.hard2.perPod"},
                                                 {3, "prefilter.PodTopologySpread.hard3.perPod"}});
    return static_cast<double>(cluster.pods) * pod.At(warmth.pod);
  }
  // A pod with preferences looks at all pods, any other at those with affinity.
  double AffinityPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const {
    if (!attracts_) return 0;
    const auto preferred = static_cast<double>(cluster.with_preferred);
    double us = Of("prescore.InterPodAffinity.existingRequired.perPod").At(warmth.pod) *
                static_cast<double>(cluster.with_affinity);
    if (shape_.preferred == 0) {
      return us +
             preferred * Of("prescore.InterPodAffinity.existingPreferred.perPod").At(warmth.pod);
    }
    const Term own = Series(shape_.preferred, {{1, "prescore.InterPodAffinity.preferred1.perPod"},
                                               {5, "prescore.InterPodAffinity.preferred5.perPod"}});
    us += (static_cast<double>(cluster.pods) - preferred) * own.At(warmth.pod);
    // Measured with one term of the pod's own; further ones cost what they cost without.
    const double more =
        own.At(warmth.pod) - Of("prescore.InterPodAffinity.preferred1.perPod").At(warmth.pod);
    return us + preferred * (Of("prescore.InterPodAffinity.both.perPod").At(warmth.pod) + more);
  }

  double SpreadPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const {
    if (!spreads_ || shape_.soft_keys == 0) return 0;
    return static_cast<double>(cluster.pods) * shape_.soft_keys *
           Of("prescore.PodTopologySpread.zone.perPod").At(warmth.pod);
  }
  Term Of(Unit unit, double times = 1) const { return Term().Add(units_[unit], times); }
  // A cost measured at some counts, straight lines between and beyond them; nothing for none.
  Term Series(int count, std::initializer_list<Measured> points) const {
    if (count <= 0) return {};
    const auto* after = points.begin();
    while (after != points.end() && after->count < count) ++after;
    if (after == points.end()) --after;
    if (after->count == count) return Of(after->unit);
    const auto* before = after == points.begin() ? after : after - 1;
    if (before == after) return Of(after->unit, static_cast<double>(count) / after->count);
    const double share =
        static_cast<double>(count - before->count) / (after->count - before->count);
    return Of(before->unit, 1 - share).Add(units_[after->unit], share);
  }

  double UntilUs(int pieces) const {
    return pieces <= 0 ? 0
                       : units_["framework.parallel_until_us.fixed"].hot_us +
                             units_["framework.parallel_until_us.perPiece"].hot_us * pieces;
  }
  static Warmth WarmthOf(const ClusterWork& cluster) {
    return {static_cast<double>(cluster.nodes), static_cast<double>(cluster.pods)};
  }

  PodShape shape_;
  bool attracts_, spreads_;
  UnitCosts units_;
  std::vector<PluginTerm> filter_, score_;
};

}  // namespace schedlens::sim::cost
