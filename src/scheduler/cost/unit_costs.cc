#include "scheduler/cost/unit_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schedlens::sim::cost {
namespace {

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
    const bool same = release == name || release == name.substr(0, 4);
    if (same) return UnitCosts(Release{kMeasuredMinors[i]});
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
  const auto* const end = std::end(kMeasuredMinors);
  if (std::find(std::begin(kMeasuredMinors), end, release.minor) != end) return "";
  return fmt::format("unit costs were measured on 1.30.14 and 1.36.3; 1.{} takes those of {}",
                     release.minor, UnitCosts(release).measured());
}

}  // namespace schedlens::sim::cost
