#pragma once

// What each piece of work inside kube-scheduler costs: CPU time of one core, measured on real
// schedulers of two releases with 100 to 5,000 nodes.

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "scheduler/base/release.h"

namespace schedlens::sim {

/// The steps that take time, the lines of steps.txt. Steps up to kFailure are CPU work of the
/// scheduler itself (noise and CPU starvation apply); the rest is waiting for somebody else.
enum class Cost {
#include "scheduler/cost/step_ids.inc"
  kCount,
};

inline constexpr std::size_t kCostCount = static_cast<std::size_t>(Cost::kCount);

struct CostRow {
  Cost cost;
  std::string_view key;
  double median;  ///< seconds; lognormal with this median and sigma
  double sigma, per_node;
  double fixed_share;  ///< microseconds of what every attempt costs, where 190 are measured
};
inline constexpr CostRow kCostRows[] = {
#include "scheduler/cost/step_rows.inc"
};

/// The key in a scenario's `costs` section: `prefilter`, `ext_filter`, `bind_api`, ...
constexpr std::string_view CostKey(Cost cost) {
  return kCostRows[static_cast<std::size_t>(cost)].key;
}

namespace cost {

/// Not measured cold: half as much again. Not measured in 1.30: as in 1.36.
inline constexpr double kUnmeasured = -1;

/// A piece of work, and microseconds of it: hot and cold as UnitCost has them, in 1.36 and in 1.30.
struct UnitRow {
  std::string_view name;
  double hot_136, cold_136;
  double hot_130 = kUnmeasured, cold_130 = kUnmeasured;
};

// The lines of unit_costs.txt.
inline constexpr UnitRow kUnitRows[] = {
#include "scheduler/cost/unit_rows.inc"
};
inline constexpr std::size_t kUnits = std::size(kUnitRows);

/// A piece of work, by its name in the table. Another name does not compile.
class Unit {
 public:
  /// No piece of work.
  constexpr Unit() = default;
  consteval Unit(const char* name) {  // NOLINT(google-explicit-constructor)
    for (index_ = 0; kUnitRows[index_].name != name;) ++index_;
  }
  static constexpr Unit At(std::size_t index) {
    Unit out;
    out.index_ = index;
    return out;
  }
  constexpr explicit operator bool() const { return index_ < kUnits; }
  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view name() const { return kUnitRows[index_].name; }

 private:
  std::size_t index_ = kUnits;
};

/// Microseconds: with what it touches in the second-level cache, and beyond it.
struct UnitCost {
  double hot_us = 0, cold_us = 0;
};

/// How far the objects that an attempt visits lie beyond the second-level cache: 0 hot, 1 cold.
struct Warmth {
  /// Of terms per node and per pod in a cluster of that many.
  Warmth(double nodes, double pods);
  double node = 0, pod = 0;
};

/// A cost that depends on warmth: microseconds a call.
struct Term {
  double hot = 0;
  double slope = 0;  ///< cold - hot
  double At(double warmth) const { return hot + slope * warmth; }
  Term& Add(const UnitCost& unit, double times = 1);
};

class UnitCosts {
 public:
  /// Those of the measured release that is nearest to `release`, the older of two.
  explicit UnitCosts(const Release& release = {});
  /// Of `1.30` or `1.36`; nothing if it is neither.
  static std::optional<UnitCosts> Measured(std::string_view release);

  UnitCost operator[](Unit unit) const;
  void Set(Unit unit, UnitCost cost) { units_[unit.index()] = cost; }
  /// Nanoseconds of a step of the core loop and of a load from memory where the scheduler runs:
  /// all costs are scaled from those of the machine that was measured.
  void Calibrate(double core_ns, double memory_ns);
  double core_ns() const;
  double memory_ns() const;
  /// `1.30.14` or `1.36.3`.
  std::string_view measured() const { return measured_; }

 private:
  std::array<UnitCost, kUnits> units_;
  double core_ = 1, memory_ = 1;  // relative to the machine that was measured
  std::string_view measured_;
};

/// A line that says whose costs a release that was not measured takes; "" for a measured one.
std::string UnmeasuredNote(const Release& release);

}  // namespace cost
}  // namespace schedlens::sim
