#include "sim/placement.h"

namespace schedlens::sim {

std::unique_ptr<Placement> MakePlacement(const Scenario& scenario, std::uint64_t seed) {
  return MakeSimplePlacement(scenario, seed);
}

}  // namespace schedlens::sim
