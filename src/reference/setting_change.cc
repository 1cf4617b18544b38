#include "reference/setting_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/seconds.h"
#include "reference/calm.h"
#include "reference/cluster_size.h"
#include "reference/latency_shape.h"
#include "reference/ranked.h"
#include "reference/server_bind.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::core::ExtensionPoint;

constexpr int kDefaultParallelism = 16;

/// The new value of a setting that was `now`.
double NewValue(const Change& change, double now) {
  return change.kind == ChangeKind::kMultiply ? now * change.value : change.value;
}

void ApplyCores(const Change& change, const Investigation& investigation, Changed* changed) {
  const sim::Conditions& now = changed->likely.scenario.segments.back().conditions;
  const auto& cpu = investigation.evidence->now.cpu;
  if (change.kind == ChangeKind::kMultiply && now.cores <= 0) {
    throw Error(ErrorKind::kInsufficientData,
                "--set cores: the window does not show a limit to multiply; say cores=N");
  }
  const int cores = std::max(1, CutTo<int>(std::round(NewValue(change, now.cores))));
  const int before = now.cores;
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    fitted->scenario.segments.back().conditions.cores = cores;
  }
  Message text("whatif.cores", {{"cores", arg::Count(cores)}});
  if (before > 0) {
    text.id = "whatif.cores.limited";
    text.args.push_back({"before", arg::Count(before)});
  }
  if (cpu) text.args.push_back({"used", arg::Number(cpu->cores)});
  if (before <= 0 && cpu) text.id = "whatif.cores.used";
  changed->assumptions.push_back(std::move(text));
  LoopSetting to = changed->likely.loop.setting();
  to.cores = cores;
  MoveLoop(to, changed);
}

void ApplyBackoff(const Change& change, bool initial, Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    sim::Scenario& scenario = fitted->scenario;
    double& value = initial ? scenario.initial_backoff : scenario.max_backoff;
    value = NewValue(change, value);
    scenario.max_backoff = std::max(scenario.max_backoff, scenario.initial_backoff);
  }
  const sim::Scenario& after = changed->likely.scenario;
  const bool waits = changed->likely.failures.waiting_share > 0;
  changed->assumptions.push_back(Message(waits ? "whatif.backoff.waiting" : "whatif.backoff",
                                         {{"initial", arg::Duration(after.initial_backoff)},
                                          {"most", arg::Duration(after.max_backoff)}}));
}

/// A bind that goes past the extender takes no longer than this: what the quicker half of the
/// attempts says of the others, and all that the extender's binds took in the quiet period.
sim::Distribution SlowestWithoutBinder(const Measurement& now, const Fitted& fitted) {
  const FineBuckets quicker = Mirrored(
      ShapeOf(Select(now.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled))));
  sim::Distribution most = quicker.empty() ? sim::Distribution() : DistributionOf(quicker);
  if (!fitted.has_baseline) return most;
  return Slower(most, fitted.scenario.segments.front().conditions.costs[Cost::kExtBind].wall);
}

}  // namespace

const std::vector<SampledPoint>& SampledPoints() {
  static const std::vector<SampledPoint> rows = {
      {kube::ExtensionPoint::kPreFilter, ExtensionPoint::kPreFilter, {Cost::kPreFilter}},
      {kube::ExtensionPoint::kFilter, ExtensionPoint::kFilter, {Cost::kFilter}},
      {kube::ExtensionPoint::kPreScore, ExtensionPoint::kPreScore, {Cost::kPreScore}},
      {kube::ExtensionPoint::kScore, ExtensionPoint::kScore, {Cost::kScore}},
      {kube::ExtensionPoint::kReserve, ExtensionPoint::kReserve, {Cost::kReserveWait}},
      {kube::ExtensionPoint::kPreBind,
       ExtensionPoint::kPreBind,
       {Cost::kPreBind, Cost::kPreBindWait}},
  };
  return rows;
}

void RemoveBinder(const Investigation& investigation, Changed* changed) {
  const Measurement& now = investigation.evidence->now;
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    for (sim::Extender& extender : fitted->scenario.extenders) extender.bind = false;
  }
  MayCalm(LoopPoints(), investigation, changed);
  if (now.breakdown.bind_ok.count > 0) {
    changed->assumptions.emplace_back("whatif.config.no_binder.measured");
    return;
  }
  const sim::Costs usual = sim::Costs::Default();
  const LatencyShape server = ServerBinds(investigation, now.breakdown.window);
  const bool answered = server.count >= 1;
  sim::Distribution api = answered ? DistributionOf(server, server) : usual[Cost::kBindApi].wall;
  // The extender binds through the same API server: what is quick of it is as slow at least, and
  // without the extender no bind took longer in the quiet period than with it.
  const sim::Distribution most = Slower(api, SlowestWithoutBinder(now, changed->likely));
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    sim::Costs& costs = fitted->scenario.segments.back().conditions.costs;
    costs[Cost::kBindApi].wall = fitted == &changed->extreme ? most : api;
    costs[Cost::kBindClient] = usual[Cost::kBindClient];
  }
  changed->differ = true;
  const double guess = usual[Cost::kBindClient].wall.Mean() + api.Mean();
  changed->assumptions.push_back(
      Message(answered ? "whatif.config.no_binder.server" : "whatif.config.no_binder",
              {{"guess", arg::Duration(guess)}}));
}

void RemoveLoopExtender(const Investigation& investigation, Changed* changed) {
  const sim::Costs quiet = sim::Costs::Default();
  const double rest = quiet[Cost::kSnapshot].wall.Mean() + quiet[Cost::kSelectHost].wall.Mean();
  const double now =
      changed->likely.scenario.segments.back().conditions.costs[Cost::kSnapshot].wall.Mean();
  if (now > rest) changed->Scale({Cost::kSnapshot}, rest / now, rest / now);
  changed->assumptions.push_back(
      Message("whatif.config.no_loop_extender", {{"rest", arg::Duration(rest)}}));
  std::vector<Cost> others = LoopPoints();
  others.push_back(Cost::kBindApi);
  MayCalm(others, investigation, changed);
}

void ApplyPercentage(int percentage, const Investigation& investigation, Changed* changed) {
  const std::optional<int> nodes = NodesOf(investigation);
  if (percentage == 0) return;
  if (!nodes) {
    changed->assumptions.emplace_back("whatif.config.percentage.no_nodes");
    return;
  }
  const int before = sim::core::NumFeasibleNodesToFind(0, *nodes);
  const int after = sim::core::NumFeasibleNodesToFind(percentage, *nodes);
  changed->assumptions.push_back(
      Message(before == after ? "whatif.config.percentage.same" : "whatif.config.percentage",
              {{"percentage", arg::Count(percentage)},
               {"before", arg::Count(before)},
               {"nodes", arg::Count(*nodes)}}));
  if (before == after) return;
  LoopSetting to = changed->likely.loop.setting();
  to.percentage = percentage;
  MoveLoop(to, changed);
}

void ApplyParallelism(int workers, Changed* changed) {
  if (workers == kDefaultParallelism) return;
  const bool more = workers > kDefaultParallelism;
  changed->assumptions.push_back(
      Message(more ? "whatif.config.parallelism.more" : "whatif.config.parallelism",
              {{"workers", arg::Count(workers)}, {"before", arg::Count(kDefaultParallelism)}}));
  if (more) return;
  LoopSetting to = changed->likely.loop.setting();
  to.parallelism = workers;
  MoveLoop(to, changed);
}

void RemoveExtenders(const Investigation& investigation, Changed* changed) {
  const WindowEvidence& c = *investigation.evidence;
  const auto& findings = investigation.diagnosis.findings;
  const bool on_loop = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.id == "algorithm.extender";
  });
  const bool binds = c.now.breakdown.extender_binds > 0;
  if (binds) RemoveBinder(investigation, changed);
  if (on_loop) RemoveLoopExtender(investigation, changed);
  if (!binds && !on_loop) changed->assumptions.emplace_back("whatif.no_extender.seen");
}

void ApplySetting(const Change& change, const std::string& key, const Investigation& investigation,
                  Changed* changed) {
  if (key == "cores") return ApplyCores(change, investigation, changed);
  if (key == "backoff.initial") return ApplyBackoff(change, true, changed);
  if (key == "backoff.max") return ApplyBackoff(change, false, changed);
  if (key == "parallelism") {
    const double workers = NewValue(change, kDefaultParallelism);
    return ApplyParallelism(std::max(1, CutTo<int>(std::round(workers))), changed);
  }
  if (change.kind == ChangeKind::kMultiply) {
    throw Error(ErrorKind::kUsage,
                "--set percentageOfNodesToScore: until now it is adaptive as far as the window "
                "shows; say percentageOfNodesToScore=N");
  }
  ApplyPercentage(CutTo<int>(change.value), investigation, changed);
}

}  // namespace schedlens
