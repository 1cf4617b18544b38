#ifndef SCHEDLENS_SIM_COST_FIXED_COSTS_H_
#define SCHEDLENS_SIM_COST_FIXED_COSTS_H_

// What depends neither on plugins nor on the cluster: an attempt's fixed work by step, and calls of
// extenders by what is sent.

#include <cstdint>

#include "sim/cost/unit_costs.h"

namespace schedlens::sim::cost {

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

}  // namespace schedlens::sim::cost

#endif  // SCHEDLENS_SIM_COST_FIXED_COSTS_H_
