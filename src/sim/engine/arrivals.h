#ifndef SCHEDLENS_SIM_ENGINE_ARRIVALS_H_
#define SCHEDLENS_SIM_ENGINE_ARRIVALS_H_

// New pods, as a Poisson process whose rate and mix follow the conditions.

#include <cstdint>

#include "sim/engine/world.h"

namespace schedlens::sim {

class Arrivals {
 public:
  Arrivals(RunState& run, World& world) : run_(run), world_(world) {}

  /// Draws the next arrival under the conditions of now; what was drawn before is void.
  void Start();
  /// Pods arrive, unless that was drawn before the latest start.
  void Arrive(std::uint32_t start);

 private:
  std::size_t PickTemplate();

  RunState& run_;
  World& world_;
  std::uint32_t starts_ = 0;  // how often the process was started
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_ARRIVALS_H_
