#include "scheduler/cost/attempt_costs.h"

#include <cmath>

#include "scheduler/plugins/spread_plan.h"

namespace schedlens::sim::cost {

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

double FixedShare(Cost step) {
  static constexpr std::pair<Cost, double> kShares[] = {
      {Cost::kSnapshot, 15},   {Cost::kFilter, 10},   {Cost::kScore, 15},
      {Cost::kSelectHost, 35}, {Cost::kAssume, 18},   {Cost::kReserve, 2},
      {Cost::kPermit, 2},      {Cost::kSpawn, 8},     {Cost::kPreBind, 4},
      {Cost::kBindClient, 11}, {Cost::kFinish, 20},   {Cost::kPostBind, 1},
      {Cost::kEventsApi, 49},  {Cost::kFailure, 102}, {Cost::kUnreserve, 3}};
  for (const auto& [of, share] : kShares) {
    if (of == step) return share;
  }
  return 0;
}

double FixedUs(Cost step, const UnitCosts& units) {
  return FixedShare(step) * (units["fixed_per_attempt_us"].hot_us / kFixedMeasured);
}

double ExtenderFilterUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  return names_only ? units["extender.filter-call-names.perNode"].hot_us * nodes
                    : nodes * NodeUs(units, "extender.filter-call-nodes.perNode",
                                     "extender.filter-call-nodes.perKB", images);
}

double ExtenderPrioritizeUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  return names_only ? units["extender.prioritize-call-names.perNode"].hot_us * nodes
                    : nodes * NodeUs(units, "extender.prioritize-call-nodes.perNode",
                                     "extender.prioritize-call-nodes.perKB", images);
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
    out.soft_host |= constraint.key == host;
    out.soft_keys += constraint.key != host;
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
  const double piece = parallel_us / pieces, shared = parallel_us / at_once;
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
