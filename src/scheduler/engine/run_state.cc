#include "scheduler/engine/run_state.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/cost/attempt_costs.h"

namespace schedlens::sim {
namespace {

// The share of an attempt's fixed work that a step is, if it is nothing else.
std::optional<cost::FixedStep> FixedStepOf(Cost cost) {
  using cost::FixedStep;
  static constexpr std::pair<Cost, FixedStep> kSteps[] = {
      {Cost::kSnapshot, FixedStep::kSnapshot}, {Cost::kSelectHost, FixedStep::kSelectHost},
      {Cost::kAssume, FixedStep::kAssume},     {Cost::kReserve, FixedStep::kReserve},
      {Cost::kPermit, FixedStep::kPermit},     {Cost::kSpawn, FixedStep::kSpawn},
      {Cost::kPreBind, FixedStep::kPreBind},   {Cost::kFinish, FixedStep::kFinish},
      {Cost::kPostBind, FixedStep::kPostBind}, {Cost::kUnreserve, FixedStep::kUnreserve},
      {Cost::kFailure, FixedStep::kFailure}};
  for (const auto& [of, step] : kSteps) {
    if (of == cost) return step;
  }
  return std::nullopt;
}

}  // namespace

RunState::RunState(const Scenario& the_scenario, const RunOptions& the_options)
    : scenario(the_scenario),
      options(the_options),
      conditions(&scenario.At(0)),
      random(the_options.seed),
      watch(options.watch.empty() ? nullptr : std::make_unique<PodWatch>(options.watch)) {}

Nanos RunState::Sample(Cost cost, std::uint32_t pod_template, Random& from, int nodes,
                       int workers) const {
  const StepCost& step = CostOf(cost, pod_template);
  if (step.IsNothing()) return 0;
  if (step.computed) {
    if (const auto fixed = FixedStepOf(cost)) {
      return FromSeconds(FixedUs(*fixed, conditions->units) * 1e-6 * Spread(from));
    }
  }
  double seconds = step.wall.Sample(from);
  if (step.per_node > 0 && nodes > 0) seconds += step.per_node * nodes / Effective(workers);
  if (step.per_pod > 0) seconds += step.per_pod * static_cast<double>(tally.bound);
  return FromSeconds(seconds);
}

// The first that names a step counts: the conditions for the template, the template, everybody.
void RunState::FindSteps() const {
  steps_of_ = conditions;
  steps_.resize(scenario.templates.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (std::size_t c = 0; c < kCostCount; ++c) steps_[i][c] = &conditions->costs.steps[c];
    for (const CostOverrides* own :
         {&scenario.templates[i].costs, &conditions->template_costs[i]}) {
      for (auto one = own->rbegin(); one != own->rend(); ++one) {
        steps_[i][static_cast<std::size_t>(one->first)] = &one->second;
      }
    }
  }
}

double RunState::Spread(Random& from) const {
  constexpr double kSigma = 0.15;
  static const Distribution spread =
      Distribution::LogNormal(std::exp(-kSigma * kSigma / 2), kSigma);
  return spread.Sample(from);
}

}  // namespace schedlens::sim
