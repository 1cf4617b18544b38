#ifndef SCHEDLENS_SIM_ENGINE_LOOP_COSTS_H_
#define SCHEDLENS_SIM_ENGINE_LOOP_COSTS_H_

// How long the steps of the scheduling loop take: computed from the work that there is, or drawn
// where the scenario says what a step takes.

#include <vector>

#include "sim/cost/attempt_costs.h"
#include "sim/engine/placement.h"
#include "sim/engine/run_state.h"

namespace schedlens::sim {

/// Time on the clock, and CPU seconds of the scheduler in it.
struct Spent {
  Nanos elapsed = 0;
  double cpu_seconds = 0;
};

class LoopCosts {
 public:
  LoopCosts(RunState& run, const Placement& placement) : run_(run), placement_(placement) {}

  /// A new attempt of a pod of that template. `noise` multiplies its work.
  void Begin(std::uint32_t pod_template, double noise);
  /// What its steps cost where they are computed.
  const cost::AttemptCosts& steps() const { return by_template_[template_]; }
  cost::AttemptWork& work() { return work_; }
  /// The attempt's garbage, once it is known what it looked at. Returns how long the world stops.
  Nanos Collect();
  /// CPU seconds of the collections that began since this was last asked.
  double TakeCollected();

  /// One step whose cost the scenario gives.
  Spent Draw(Cost cost, int nodes, int workers);
  /// One step whose cost is computed of its work.
  Spent Take(const cost::Labour& labour);
  /// The scheduler's own part of an extender's call; none where the scenario gives the call's cost.
  Spent TakeExtender(Cost cost, double us);
  /// How much longer the last computed step took than its work costs.
  double slow() const { return slow_; }
  int Workers(int nodes) const { return cost::WorkersFor(nodes, run_.scenario.parallelism); }
  bool Computed(Cost cost) const { return run_.CostOf(cost, template_).computed; }

 private:
  void Price();

  RunState& run_;
  const Placement& placement_;
  const Conditions* priced_ = nullptr;  // what `by_template_` was made of
  std::vector<cost::AttemptCosts> by_template_;
  cost::GarbageCollector garbage_;
  double charged_us_ = 0;  // of what it has cost
  cost::AttemptWork work_;
  std::uint32_t template_ = 0;
  double noise_ = 1;
  double slow_ = 1;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_LOOP_COSTS_H_
