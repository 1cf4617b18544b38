#include "scheduler/cost/attempt_costs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "scheduler/plugins/spread_plan.h"

namespace schedlens::sim::cost {

using enum Unit;

namespace {

constexpr double kFixedMeasured = 190;  // microseconds, what the shares below add up to

/// A node's JSON: without images, and for each.
constexpr double kNodeBytes = 2287, kImageBytes = 182;

// Of one node in a call.
double NodeUs(const UnitCosts& units, Unit node, Unit kilobyte, double images) {
  const double kilobytes = (kNodeBytes + kImageBytes * images) / 1000;
  return units[node].hot_us + units[kilobyte].hot_us * kilobytes;
}

template <typename List>
int Count(const List& list) {
  return static_cast<int>(list.size());
}

constexpr double kMarkUsPerByte = 0.62e-3;  // 0.55 to 0.7 ms a MB at any size of heap
constexpr double kPauseUs = 40;             // of both stops of a cycle
constexpr double kShareOfCores = 0.25;

}  // namespace

AttemptCosts::AttemptCosts(const PodShape& shape, const ProfilePlugins& plugins,
                           const UnitCosts& units)
    : shape_(shape), attracts_(plugins.attracts), spreads_(plugins.spreads), units_(units) {
  for (const std::string& name : plugins.filter) filter_.push_back({name, FilterCall(name)});
  for (const std::string& name : plugins.score) score_.push_back({name, ScoreCall(name)});
}

// A cost measured at some counts, straight lines between and beyond them; nothing for none.
Term AttemptCosts::Series(int count, std::initializer_list<std::pair<int, Unit>> points) const {
  if (count <= 0) return {};
  const auto* after = points.begin();
  while (after != points.end() && after->first < count) ++after;
  if (after == points.end()) --after;
  if (after->first == count) return Of(after->second);
  const auto* before = after == points.begin() ? after : after - 1;
  if (before == after) return Of(after->second, static_cast<double>(count) / after->first);
  const double share = static_cast<double>(count - before->first) / (after->first - before->first);
  return Of(before->second, 1 - share).Add(units_[after->second], share);
}

Term AttemptCosts::FilterCall(std::string_view plugin) const {
  if (plugin == "NodeUnschedulable") return Of(kFilterNodeUnschedulable);
  if (plugin == "NodeName") return Of(kFilterNodeName);
  if (plugin == "TaintToleration") return Of(kFilterTaintToleration);
  if (plugin == "NodeResourcesFit") return Of(kFilterResourcesFit);
  if (plugin == "NodePorts") return Of(kFilterNodePorts, shape_.host_ports);
  if (plugin == "NodeAffinity") {
    Term out =
        Series(shape_.required_terms, {{1, kFilterNodeAffinity1}, {5, kFilterNodeAffinity5}});
    return out.Add(units_[kFilterNodeSelector], shape_.selector_labels);
  }
  if (plugin == "VolumeBinding") {
    Term out = Series(shape_.bound_claims, {{1, kFilterVolumeBound1}, {3, kFilterVolumeBound3}});
    return out.Add(units_[kFilterVolumeLate], shape_.late_claims);
  }
  if (plugin == "NodeVolumeLimits") {
    return Series(shape_.bound_claims + shape_.late_claims,
                  {{1, kFilterVolumeLimits1}, {3, kFilterVolumeLimits3}});
  }
  if (plugin == "PodTopologySpread") {
    return Series(shape_.hard_spread,
                  {{1, kFilterSpread1}, {2, kFilterSpread2}, {3, kFilterSpread3}});
  }
  if (plugin == "InterPodAffinity") {
    Term out = Series(shape_.affinity, {{1, kFilterAffinity1}, {2, kFilterAffinity2}});
    return out.Add(units_[kFilterAntiAffinity], shape_.anti_affinity);
  }
  return {};
}

Term AttemptCosts::ScoreCall(std::string_view plugin) const {
  if (plugin == "TaintToleration") return Of(kScoreTaintToleration);
  if (plugin == "NodeResourcesBalancedAllocation") return Of(kScoreBalancedAllocation);
  if (plugin == "DynamicResources") return Of(kScoreDynamicResources);
  if (plugin.starts_with("NodeResources")) return Of(kScoreResourcesFit);
  if (plugin == "ImageLocality") {
    return Series(shape_.containers, {{1, kScoreImageLocality1}, {5, kScoreImageLocality5}});
  }
  if (plugin == "NodeAffinity") {
    return Series(shape_.preferred_terms, {{1, kScoreNodeAffinity1}, {5, kScoreNodeAffinity5}});
  }
  if (plugin == "PodTopologySpread") {
    return Of(kScoreSpreadKey, shape_.soft_keys + (shape_.soft_host ? 1 : 0));
  }
  return {};  // InterPodAffinity: whether it scores, the cluster decides
}

double AttemptCosts::FilterExtra(std::string_view plugin, const ClusterWork& cluster) const {
  if (plugin == "TaintToleration" && cluster.tainted_nodes > 0) {
    return units_[kFilterTaint].hot_us * cluster.tainted_nodes / std::max(1, cluster.nodes);
  }
  const bool existing = plugin == "InterPodAffinity" && cluster.with_anti_affinity > 0;
  if (existing && shape_.affinity + shape_.anti_affinity == 0) {
    return units_[kFilterAntiAffinity].hot_us;
  }
  return 0;
}

double AttemptCosts::ScoreExtra(std::string_view plugin, const ClusterWork& cluster,
                                const Warmth& warmth) const {
  if (plugin == "InterPodAffinity") {
    const bool scores =
        shape_.preferred > 0 || cluster.with_preferred > 0 || cluster.with_affinity > 0;
    return scores ? Of(kScoreInterPodAffinity).At(warmth.node) : 0;
  }
  if (plugin == "PodTopologySpread" && shape_.soft_host) {
    const double pods = static_cast<double>(cluster.pods) / std::max(1, cluster.nodes);
    return pods * Of(kScoreSpreadHostPod).At(warmth.node);
  }
  return 0;
}

double AttemptCosts::AffinityPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const {
  if (!attracts_) return 0;
  const auto pods = static_cast<double>(cluster.pods);
  double us =
      Of(kPreFilterExistingAnti).At(warmth.pod) * static_cast<double>(cluster.with_anti_affinity);
  us +=
      pods *
      Series(shape_.affinity, {{1, kPreFilterAffinity1}, {2, kPreFilterAffinity2}}).At(warmth.pod);
  if (shape_.anti_affinity > 0) us += pods * Of(kPreFilterAntiAffinity).At(warmth.pod);
  return us;
}

double AttemptCosts::SpreadPreFilterUs(const ClusterWork& cluster, const Warmth& warmth) const {
  if (!spreads_) return 0;
  const Term pod = Series(shape_.hard_spread,
                          {{1, kPreFilterSpread1}, {2, kPreFilterSpread2}, {3, kPreFilterSpread3}});
  return static_cast<double>(cluster.pods) * pod.At(warmth.pod);
}

// A pod with preferences looks at all pods, any other at those with affinity.
double AttemptCosts::AffinityPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const {
  if (!attracts_) return 0;
  const auto preferred = static_cast<double>(cluster.with_preferred);
  double us =
      Of(kPreScoreExistingRequired).At(warmth.pod) * static_cast<double>(cluster.with_affinity);
  if (shape_.preferred == 0) {
    return us + preferred * Of(kPreScoreExistingPreferred).At(warmth.pod);
  }
  const Term own = Series(shape_.preferred, {{1, kPreScorePreferred1}, {5, kPreScorePreferred5}});
  us += (static_cast<double>(cluster.pods) - preferred) * own.At(warmth.pod);
  // Measured with one term of the pod's own; further ones cost what they cost without.
  const double more = own.At(warmth.pod) - Of(kPreScorePreferred1).At(warmth.pod);
  return us + preferred * (Of(kPreScoreBothPreferred).At(warmth.pod) + more);
}

double AttemptCosts::SpreadPreScoreUs(const ClusterWork& cluster, const Warmth& warmth) const {
  if (!spreads_ || shape_.soft_keys == 0) return 0;
  return static_cast<double>(cluster.pods) * shape_.soft_keys *
         Of(kPreScoreSpreadKey).At(warmth.pod);
}

// The steps of an attempt ask for the same one after the other.
const Warmth& AttemptCosts::WarmthOf(const ClusterWork& cluster) const {
  if (cluster.nodes != warm_nodes_ || cluster.pods != warm_pods_) {
    warm_nodes_ = cluster.nodes;
    warm_pods_ = cluster.pods;
    warmth_ = Warmth(cluster.nodes, static_cast<double>(cluster.pods));
  }
  return warmth_;
}

double AttemptCosts::UntilUs(int pieces) const {
  return pieces <= 0 ? 0 : units_[kUntilFixed].hot_us + units_[kUntilPiece].hot_us * pieces;
}

Labour AttemptCosts::Snapshot(const ClusterWork& cluster) const {
  const Warmth& warmth = WarmthOf(cluster);
  Labour out;
  out.serial_us = FixedUs(FixedStep::kSnapshot, units_);  // one changed node included
  out.serial_us +=
      Of(kSnapshotChangedNode).At(warmth.node) * std::max(0, cluster.changed_nodes - 1);
  if (cluster.nodes_came_or_went) {
    out.serial_us += Of(kSnapshotRebuildNode).At(warmth.node) * cluster.nodes;
  }
  if (cluster.affinity_came_or_went) {
    out.serial_us += Of(kSnapshotAffinityNode).At(warmth.node) * cluster.nodes;
  }
  return out;
}

Labour AttemptCosts::PreFilter(const ClusterWork& cluster) const {
  const Warmth& warmth = WarmthOf(cluster);
  return {units_[kFramePreFilter].hot_us,
          AffinityPreFilterUs(cluster, warmth) + SpreadPreFilterUs(cluster, warmth), cluster.nodes};
}

Labour AttemptCosts::Filter(const AttemptWork& work, const Machine& machine) const {
  const ClusterWork& cluster = work.cluster;
  const Warmth& warmth = WarmthOf(cluster);
  const int filtered = NodesFiltered(work.searched, work.seen, work.enough, machine);
  // What was filtered beyond the search's end is rejected as often as the rest.
  const double more = work.seen > 0 ? static_cast<double>(filtered) / work.seen : 1;
  Labour out{FixedUs(FixedStep::kFilter, units_) + UntilUs(filtered), 0, filtered};
  out.parallel_us = Of(kFrameFilter).At(warmth.node) * filtered;
  double asked = filtered;
  for (const PluginTerm& term : filter_) {
    out.parallel_us += asked * (term.call.At(warmth.node) + FilterExtra(term.plugin, cluster));
    for (const PluginRejections& r : work.rejected) {
      if (r.plugin == term.plugin) asked -= more * (r.unschedulable + r.unresolvable);
    }
  }
  if (work.passed == 0) out.serial_us += units_[kUnschedulableNode].hot_us * filtered;
  return out;
}

Labour AttemptCosts::FilterOne(const ClusterWork& cluster) const {
  const Warmth& warmth = WarmthOf(cluster);
  Labour out{Of(kFrameFilter).At(warmth.node), 0, 0};
  for (const PluginTerm& term : filter_) {
    out.serial_us += term.call.At(warmth.node) + FilterExtra(term.plugin, cluster);
  }
  return out;
}

Labour AttemptCosts::PreScore(const ClusterWork& cluster) const {
  const Warmth& warmth = WarmthOf(cluster);
  return {units_[kFramePreScore].hot_us,
          AffinityPreScoreUs(cluster, warmth) + SpreadPreScoreUs(cluster, warmth), cluster.nodes};
}

Labour AttemptCosts::Score(const AttemptWork& work) const {
  const ClusterWork& cluster = work.cluster;
  const Warmth& warmth = WarmthOf(cluster);
  Labour out{FixedUs(FixedStep::kScore, units_) + 2 * UntilUs(work.feasible), 0, work.feasible};
  double call = Of(kFrameScore).At(warmth.node);
  for (const PluginTerm& term : score_) {
    call += term.call.At(warmth.node) + ScoreExtra(term.plugin, cluster, warmth);
  }
  out.parallel_us = call * work.feasible;
  return out;
}

Labour AttemptCosts::Recording(const AttemptWork& work, int room) const {
  const auto active = [](const std::vector<PluginTerm>& terms) {
    return std::ranges::count_if(terms, [](const auto& t) { return t.call.hot > 0; });
  };
  const auto calls =
      static_cast<double>(work.seen * active(filter_) + work.feasible * active(score_));
  const double kept = std::min(calls, static_cast<double>(room));
  return {
      0,
      kept * units_[kFrameRecordedCall].hot_us + (calls - kept) * units_[kFrameDroppedCall].hot_us,
      std::max(1, work.seen)};
}

Labour AttemptCosts::Preemption(const PreemptionWork& work) const {
  const Warmth warmth(work.nodes, 0);
  Labour out;
  out.serial_us = Of(kPreemptFindNode).At(warmth.node) * work.nodes +
                  units_[kPreemptPick].hot_us * work.candidates + UntilUs(work.dry_run_nodes);
  out.parallel_us = units_[kPreemptCandidate].hot_us * work.dry_run_nodes +
                    static_cast<double>(work.pods) *
                        (units_[kPreemptPod].hot_us +
                         units_[kPreemptBudgetPod].hot_us * static_cast<double>(work.budgets));
  out.pieces = work.dry_run_nodes;
  return out;
}

std::vector<PluginTime> AttemptCosts::TimesAt(ExtensionPoint point, const AttemptWork& work) const {
  const ClusterWork& cluster = work.cluster;
  const Warmth& warmth = WarmthOf(cluster);
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

double FixedUs(FixedStep step, const UnitCosts& units) {
  // In the order of FixedStep.
  static constexpr double kShares[] = {15, 10, 15, 35, 18, 2, 2, 8, 4, 11, 20, 1, 49, 102, 3};
  static_assert(std::size(kShares) == static_cast<std::size_t>(FixedStep::kUnreserve) + 1);
  const double scale = units[kFixed].hot_us / kFixedMeasured;
  return kShares[static_cast<std::size_t>(step)] * scale;
}

double ExtenderFilterUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  return names_only ? units[kExtFilterName].hot_us * nodes
                    : nodes * NodeUs(units, kExtFilterNode, kExtFilterKilobyte, images);
}

double ExtenderPrioritizeUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  return names_only ? units[kExtPrioritizeName].hot_us * nodes
                    : nodes * NodeUs(units, kExtPrioritizeNode, kExtPrioritizeKilobyte, images);
}

PodShape ShapeOf(const core::Attempt& attempt, const core::Profile& profile) {
  const core::PodSpec& spec = attempt.spec;
  PodShape out;
  out.selector_labels = Count(spec.node_selector);
  if (spec.node_affinity.required) out.required_terms = Count(*spec.node_affinity.required);
  out.preferred_terms = Count(spec.node_affinity.preferred);
  out.host_ports = Count(spec.host_ports);
  out.affinity = Count(spec.required_affinity);
  out.anti_affinity = Count(spec.required_anti_affinity);
  out.preferred = Count(spec.preferred_affinity) + Count(spec.preferred_anti_affinity);
  out.containers = std::max(1, Count(spec.containers));
  out.late_claims = spec.volume_claims;
  core::SpreadPlans plans({attempt.cluster, profile, attempt.minor});
  const core::SpreadPlan& plan = plans.Of(attempt);
  const core::Id host = attempt.cluster.strings().Intern("kubernetes.io/hostname");
  out.hard_spread = Count(plan.hard);
  for (const core::PlannedConstraint& constraint : plan.soft) {
    if (constraint.key == host) {
      out.soft_host = true;
    } else {
      ++out.soft_keys;
    }
  }
  return out;
}

ProfilePlugins::ProfilePlugins(const core::Profile& profile) {
  using core::ExtensionPoint;
  for (const auto& plugin : profile.At(ExtensionPoint::kFilter)) filter.push_back(plugin.name);
  for (const auto& plugin : profile.At(ExtensionPoint::kScore)) score.push_back(plugin.name);
  for (const ExtensionPoint point : {ExtensionPoint::kPreFilter, ExtensionPoint::kPreScore}) {
    for (const auto& plugin : profile.At(point)) {
      spreads |= plugin.name == "PodTopologySpread";
      attracts |= plugin.name == "InterPodAffinity";
    }
  }
}

// Workers and garbage.

int ChunkOf(int nodes, int parallelism) {
  const int root = static_cast<int>(std::sqrt(static_cast<double>(std::max(nodes, 0))));
  return std::max(1, std::min(root, nodes / parallelism + 1));
}

int WorkersFor(int nodes, int parallelism) {
  if (nodes <= 0) return 1;
  const int chunk = ChunkOf(nodes, parallelism);
  return std::min(parallelism, (nodes + chunk - 1) / chunk);
}

double Labour::ElapsedUs(const Machine& machine) const {
  const int at_once = std::min(std::max(machine.cores, 1), WorkersFor(pieces, machine.parallelism));
  if (at_once <= 1 || pieces <= 0) return cpu_us();
  const double piece = parallel_us / pieces;
  const double shared = parallel_us / at_once;
  const double late = piece * ChunkOf(pieces, machine.parallelism) / 2;
  return serial_us + std::min(parallel_us, shared + late);
}

int NodesFiltered(int nodes, int seen, bool enough, const Machine& machine) {
  if (!enough) return seen;
  const int chunk = ChunkOf(nodes, machine.parallelism);
  const int running = std::max(1, std::min(machine.cores, WorkersFor(nodes, machine.parallelism)));
  return std::min(nodes, (seen + chunk - 1) / chunk * chunk + running * chunk);
}

double LiveHeapBytes(double nodes, double pods) { return 3e6 + 11e3 * nodes + 4.6e3 * pods; }

double AllocatedBytes(int seen, int scored) {
  if (scored > 0) return 76e3 + 1030.0 * scored;
  return 103e3 + 720.0 * seen;
}

double GarbageCollector::Allocate(double bytes, double live) {
  allocated_ += bytes;
  if (allocated_ < live) return 0;
  allocated_ -= live;
  to_mark_us_ += live * kMarkUsPerByte;
  cpu_us_ += live * kMarkUsPerByte;
  return kPauseUs;
}

double GarbageCollector::DelayUs(double elapsed, double shared, int cores) {
  if (to_mark_us_ <= 0) return 0;
  // One thread goes on where another core is free; what runs on all cores has three quarters left.
  const double slowed = cores <= 1 ? elapsed : shared;
  const double mark_us_per_us = kShareOfCores * std::max(1, cores);
  const double delay = slowed * kShareOfCores / (1 - kShareOfCores);
  // The cycle may end before the step does.
  const double share = std::min(1.0, to_mark_us_ / ((elapsed + delay) * mark_us_per_us + 1e-9));
  to_mark_us_ = std::max(0.0, to_mark_us_ - (elapsed + delay) * mark_us_per_us);
  return delay * share;
}

}  // namespace schedlens::sim::cost
