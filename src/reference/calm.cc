#include "reference/calm.h"

#include <algorithm>
#include <string_view>

#include "kube/stage.h"

namespace schedlens {
namespace {

using sim::Cost;

/// The time is worth a word from this factor on.
constexpr double kSlower = 1.1;

double Seconds(const std::vector<Cost>& stages, const sim::Conditions& conditions) {
  double seconds = 0;
  for (const Cost stage : stages) seconds += conditions.costs[stage].wall.Mean();
  return seconds;
}

/// What a cause makes slow is not the machine's. What extenders take is outside the loop's points.
bool IsNamed(bool bind, const Diagnosis& diagnosis) {
  const std::string_view algorithm = ToString(kube::Stage::kAlgorithm);
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& f) {
    const std::string_view id = f.id;
    if (f.confidence == Confidence::kPossible || id == "algorithm.extender") return false;
    return id.starts_with(algorithm) || (bind && id.starts_with("bind."));
  });
}

void TakeFrom(const sim::Conditions& quiet, Cost stage, sim::Conditions* now) {
  now->costs[stage] = quiet.costs[stage];
  for (std::size_t i = 0; i < now->template_costs.size(); ++i) {
    sim::CostOverrides& own = now->template_costs[i];
    // Pods that fit nowhere have their own times, in every period the same.
    const bool coupled = std::any_of(own.begin(), own.end(),
                                     [](const auto& one) { return one.first == Cost::kScore; });
    if (!coupled) continue;
    std::erase_if(own, [&](const auto& one) { return one.first == stage; });
    if (i >= quiet.template_costs.size()) continue;
    for (const auto& one : quiet.template_costs[i]) {
      if (one.first == stage) own.push_back(one);
    }
  }
}

}  // namespace

const std::vector<Cost>& LoopPoints() {
  static const std::vector<Cost> points = {Cost::kPreFilter, Cost::kFilter, Cost::kPreScore,
                                           Cost::kScore};
  return points;
}

void MayCalm(const std::vector<Cost>& stages, const Investigation& investigation,
             Changed* changed) {
  const bool bind = std::count(stages.begin(), stages.end(), Cost::kBindApi) > 0;
  if (!changed->likely.has_baseline || IsNamed(bind, investigation.diagnosis)) return;
  const sim::Conditions& quiet = changed->likely.scenario.segments.front().conditions;
  sim::Conditions& now = changed->likely.scenario.segments.back().conditions;
  const double was = Seconds(stages, quiet), slower = was > 0 ? Seconds(stages, now) / was : 1;
  if (slower < kSlower) return;
  changed->cheaper = true;
  changed->assumptions.push_back(
      Message(bind ? "whatif.calm.bind" : "whatif.calm", {{"factor", arg::Number(slower)}}));
  if (!changed->cheapest) return;
  for (const Cost stage : stages) {
    if (quiet.costs[stage].wall.Mean() < now.costs[stage].wall.Mean()) TakeFrom(quiet, stage, &now);
  }
}

}  // namespace schedlens
