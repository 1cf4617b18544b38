#include "sim/engine/run_state.h"

#include <algorithm>

namespace schedlens::sim {
namespace {

// How many of an unlimited scheduler's workers really run at once; the default costs were measured
// on two cores.
constexpr int kCores = 2;

const StepCost& CostOf(const RunState& run, Cost cost, std::uint32_t pod_template) {
  for (const auto& [which, step] : run.conditions->template_costs[pod_template]) {
    if (which == cost) return step;
  }
  for (const auto& [which, step] : run.scenario.templates[pod_template].costs) {
    if (which == cost) return step;
  }
  return run.conditions->costs[cost];
}

}  // namespace

RunState::RunState(const Scenario& the_scenario, const RunOptions& the_options)
    : scenario(the_scenario),
      options(the_options),
      conditions(&scenario.At(0)),
      random(the_options.seed) {}

Nanos RunState::Sample(Cost cost, std::uint32_t pod_template, Random& from, int nodes,
                       int workers) const {
  const StepCost& step = CostOf(*this, cost, pod_template);
  double seconds = step.wall.Sample(from);
  if (step.per_node > 0 && nodes > 0) seconds += step.per_node * nodes / Effective(workers);
  if (step.per_pod > 0) seconds += step.per_pod * static_cast<double>(tally.bound);
  return FromSeconds(seconds);
}

int RunState::Effective(int workers) const {
  return std::min(workers, conditions->processors > 0 ? conditions->processors : kCores);
}

}  // namespace schedlens::sim
