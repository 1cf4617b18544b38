#include "scheduler/cost/attempt_costs.h"

#include <fmt/format.h>

#include <cmath>

#include "scheduler/plugins/spread_plan.h"

namespace schedlens::sim::cost {

namespace {

constexpr double kFixedMeasured = 190;  // microseconds, what the shares below add up to

/// A node's JSON: without images, and for each.
constexpr double kNodeBytes = 2287, kImageBytes = 182;

template <typename List>
int Count(const List& list) {
  return static_cast<int>(list.size());
}

constexpr double kMarkUsPerByte = 0.62e-3;  // 0.55 to 0.7 ms a MB at any size of heap
constexpr double kPauseUs = 40;             // of both stops of a cycle
constexpr double kShareOfCores = 0.25;

/// Where cold begins and ends: pods and nodes that an attempt visits.
constexpr double kPodsHot = 1000, kPodsCold = 8000, kNodesHot = 300, kNodesCold = 3000;
/// Pods are colder in a whole attempt than in a loop over one plugin, which the table was measured
/// in; attempts at 50,000 pods are met with this.
constexpr double kColdestPods = 1.3;
/// Of the machine that was measured.
constexpr double kCoreNs = 2.00667, kMemoryNs = 160.1;
constexpr double kUnmeasuredCold = 1.5;
constexpr int kMeasuredMinors[] = {30, 36};
constexpr std::string_view kMeasuredNames[] = {"1.30.14", "1.36.3"};

double Between(double x, double from, double to, double most) {
  return std::clamp(std::log(std::max(x, 1.0) / from) / std::log(to / from), 0.0, most);
}

UnitCost Figures(const UnitRow& row, bool newest) {
  const bool own = !newest && row.hot_130 != kUnmeasured;
  const double hot = own ? row.hot_130 : row.hot_136;
  const double cold = own ? row.cold_130 : row.cold_136;
  return {hot, cold == kUnmeasured ? hot * kUnmeasuredCold : cold};
}

// Which of the measured ones.
std::size_t Nearest(int minor) {
  return kMeasuredMinors[1] - minor < minor - kMeasuredMinors[0] ? 1 : 0;
}

}  // namespace

Warmth::Warmth(double nodes, double pods)
    : node(Between(nodes, kNodesHot, kNodesCold, 1)),
      pod(Between(pods, kPodsHot, kPodsCold, kColdestPods)) {}

Term& Term::Add(const UnitCost& unit, double times) {
  hot += times * unit.hot_us;
  slope += times * (unit.cold_us - unit.hot_us);
  return *this;
}

UnitCosts::UnitCosts(const Release& release) {
  const std::size_t which = Nearest(release.minor);
  measured_ = kMeasuredNames[which];
  for (std::size_t i = 0; i < kUnits; ++i) units_[i] = Figures(kUnitRows[i], which == 1);
}

std::optional<UnitCosts> UnitCosts::Measured(std::string_view release) {
  for (std::size_t i = 0; i < std::size(kMeasuredNames); ++i) {
    const std::string_view name = kMeasuredNames[i];
    if (release == name || release == name.substr(0, 4)) return UnitCosts({kMeasuredMinors[i]});
  }
  return std::nullopt;
}

UnitCost UnitCosts::operator[](Unit unit) const {
  const UnitCost& cost = units_[unit.index()];
  const double hot = cost.hot_us * core_;
  return {hot, hot + (cost.cold_us - cost.hot_us) * memory_};
}

double UnitCosts::core_ns() const { return core_ * kCoreNs; }
double UnitCosts::memory_ns() const { return memory_ * kMemoryNs; }

void UnitCosts::Calibrate(double core_ns, double memory_ns) {
  core_ = core_ns / kCoreNs;
  memory_ = memory_ns / kMemoryNs;
}

std::string UnmeasuredNote(const Release& release) {
  if (std::ranges::count(kMeasuredMinors, release.minor) > 0) return "";
  return fmt::format("unit costs were measured on 1.30.14 and 1.36.3; 1.{} takes those of {}",
                     release.minor, UnitCosts(release).measured());
}

double FixedShare(Cost step) { return kCostRows[static_cast<std::size_t>(step)].fixed_share; }

double FixedUs(Cost step, const UnitCosts& units) {
  return FixedShare(step) * (units["fixed_per_attempt_us"].hot_us / kFixedMeasured);
}

double ExtenderUs(const UnitCosts& units, Cost call, int nodes, double images, bool names_only) {
  const bool filter = call == Cost::kExtFilter;
  const Unit name = filter ? Unit("extender.filter-call-names.perNode")
                           : Unit("extender.prioritize-call-names.perNode");
  const Unit node = filter ? Unit("extender.filter-call-nodes.perNode")
                           : Unit("extender.prioritize-call-nodes.perNode");
  const Unit kilobyte = filter ? Unit("extender.filter-call-nodes.perKB")
                               : Unit("extender.prioritize-call-nodes.perKB");
  if (names_only) return nodes * units[name].hot_us;
  const double kilobytes = (kNodeBytes + kImageBytes * images) / 1000;
  return nodes * (units[node].hot_us + units[kilobyte].hot_us * kilobytes);
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
  return std::max(1, std::min(root - 1, nodes / parallelism) + 1);
}

int WorkersFor(int nodes, int parallelism) {
  if (nodes <= 0) return 1;
  const int chunk = ChunkOf(nodes, parallelism);
  return std::min(parallelism, (nodes - 1) / chunk + 1);
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
  const std::int64_t chunks = (std::int64_t{seen} + chunk - 1) / chunk + running;
  return static_cast<int>(std::min<std::int64_t>(nodes, chunks * chunk));
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
