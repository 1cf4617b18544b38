#include "reference/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/change_keys.h"
#include "reference/cluster_size.h"
#include "reference/configuration_change.h"
#include "reference/neighbour_change.h"
#include "reference/plugin_change.h"
#include "reference/roll_out.h"
#include "reference/setting_change.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;

/// Changes what a step costs in the window, for every class of attempts.
void SetCost(const Change& change, Cost cost, Fitted* fitted) {
  sim::Conditions& now = fitted->scenario.segments.back().conditions;
  const sim::Conditions& before = fitted->scenario.segments.front().conditions;
  const auto changed = [&](const sim::StepCost& step, const sim::StepCost& quiet) {
    sim::StepCost out;
    out.wall = change.kind == ChangeKind::kBaseline   ? quiet.wall
               : change.kind == ChangeKind::kMultiply ? step.wall.Scaled(change.value)
                                                      : sim::Distribution::Constant(change.value);
    return out;
  };
  now.costs[cost] = changed(now.costs[cost], before.costs[cost]);
  for (sim::CostOverrides& overrides : now.template_costs) {
    for (auto& [which, step] : overrides) {
      if (which == cost) step = changed(step, before.costs[cost]);
    }
  }
}

void ApplyToStage(const Change& change, const KeyRow& row, Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    for (const Cost cost : row.costs) SetCost(change, cost, fitted);
  }
  if (row.key == "bind.extender" && changed->likely.scenario.extenders.empty()) {
    changed->assumptions.emplace_back("whatif.no_extender");
  }
}

/// Attempts a second that failed.
double FailedRate(const Measurement& window) {
  return window.breakdown.failed() / std::max(1.0, window.breakdown.window.seconds());
}

/// Of the pods that fail, too, as many as in the quiet period; the rate thins them out already.
void FailAsInBaseline(const WindowEvidence& c, double thinned, Fitted* fitted) {
  const double now = FailedRate(c.now);
  if (!(now > 0) || !(thinned > 0)) return;
  const double left = std::min(1.0, FailedRate(*c.baseline) / now / thinned);
  for (auto* arrivals : {&fitted->arrivals, &fitted->counted}) {
    for (CountedArrivals& some : *arrivals) {
      if (some.failing) some.count *= left;
    }
  }
  fitted->failures.waiting_share *= left;
}

void ApplyToRate(const Change& change, const Investigation& investigation, Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    double& rate = fitted->scenario.segments.back().conditions.rate;
    rate = change.kind == ChangeKind::kBaseline   ? fitted->rates.front()
           : change.kind == ChangeKind::kMultiply ? rate * change.value
                                                  : change.value;
    if (change.kind != ChangeKind::kBaseline) continue;
    FailAsInBaseline(*investigation.evidence, rate / fitted->rates.back(), fitted);
  }
  changed->assumptions.emplace_back("whatif.rate");
}

void ApplyToSetting(const Change& change, const KeyRow& row, const Investigation& investigation,
                    Changed* changed) {
  const bool limited = changed->likely.limited;
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    double& setting = fitted->scenario.*row.setting;
    setting = change.kind == ChangeKind::kMultiply ? setting * change.value : change.value;
  }
  changed->assumptions.push_back(
      limited ? Message("whatif.limit",
                        {{"rate", arg::Number(investigation.evidence->dispersion->rate)}})
              : Message("whatif.limit.none"));
  if (FollowRollOut(investigation, changed)) return;
  changed->assumptions.emplace_back("whatif.limit.arrivals");
}

}  // namespace

void Changed::Scale(const std::vector<Cost>& costs, double likely_factor, double extreme_factor) {
  for (const Cost cost : costs) {
    SetCost({"", ChangeKind::kMultiply, likely_factor, "", ""}, cost, &likely);
    SetCost({"", ChangeKind::kMultiply, extreme_factor, "", ""}, cost, &extreme);
  }
  differ = differ || likely_factor != extreme_factor;
}

void Apply(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kBaseline && !changed->likely.has_baseline) {
    throw Error(ErrorKind::kInsufficientData,
                fmt::format("--set {}=baseline: there is no baseline; give one with --baseline",
                            change.key));
  }
  const KeyRow& row = *RowOf(change.key);
  switch (row.kind) {
    case KeyKind::kStage:
      return ApplyToStage(change, row, changed);
    case KeyKind::kClient:
      return ApplyToSetting(change, row, investigation, changed);
    case KeyKind::kRate:
      return ApplyToRate(change, investigation, changed);
    case KeyKind::kNodes:
      return ApplyClusterSize(change, changed);
    case KeyKind::kRunning:
      return ApplyRunning(change.value, changed);
    case KeyKind::kSetting:
      return ApplySetting(change, std::string(row.key), investigation, changed);
    case KeyKind::kExtender:
      return RemoveExtenders(investigation, changed);
    case KeyKind::kPlugin:
      return ApplyToPlugin(change, investigation, changed);
    case KeyKind::kWebhook:
      return RemoveWebhook(change, investigation, changed);
    case KeyKind::kStorage:
      return RestoreStorage(investigation, changed);
    case KeyKind::kConfig:
      return ApplyConfiguration(change, investigation, changed);
  }
}

Changed ApplyAll(const std::vector<Change>& changes, const Investigation& investigation,
                 const Fitted& fitted) {
  Changed changed{fitted, fitted, false, {}};
  for (const Change& change : changes) Apply(change, investigation, &changed);
  return changed;
}

std::optional<Fitted> CheapestOf(const std::vector<Change>& changes,
                                 const Investigation& investigation, const Fitted& fitted,
                                 const Changed& changed) {
  if (!changed.cheaper) return std::nullopt;
  Changed least{fitted, fitted, false, {}};
  least.cheapest = true;
  for (const Change& change : changes) Apply(change, investigation, &least);
  return least.likely;
}

}  // namespace schedlens
