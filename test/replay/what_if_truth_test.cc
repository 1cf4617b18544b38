// What-if against truth: a scenario with its cause is measured, the prediction without it is made
// from what was measured, and the same scenario is simulated without it.
//
// Here a few of them at one seed; `test/what-if` plays all of them over many and prints the table.

#include "replay/what_if_truth.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "replay/played.h"
#include "replay/what_if.h"

namespace schedlens {
namespace {

using sim::Cost;
using test::Median;
using test::P99;
using test::Seeds;
using test::Small;
using test::Wanted;

struct TruthRow {
  const char* scenario = "";
  const char* change = "";
  std::vector<Cost> restored{};  ///< costs that are as before the incident in the truth
  double qps = 0;                ///< of the truth, 0: the scenario's
  bool quiet = false;            ///< the load, too, is as before in the truth
  bool quick = false;            ///< also played by the small test
  bool pod = false;              ///< judged by the pods' time, not the attempts'
  double rate = 1;               ///< so many times the pods in the truth
  double cost = 1;               ///< so many times what `scaled` costs in the truth
  Cost scaled = Cost::kCount;
  double backoff = 0;  ///< of the truth, 0: the scenario's
  /// What the truth has of the API server's path as before the incident: `all` or `fsync`, or the
  /// name of a webhook that it does not have.
  const char* path = "";
};

TruthRow Pods(const char* scenario, const char* change) {
  TruthRow row;
  row.scenario = scenario;
  row.change = change;
  row.pod = true;
  return row;
}
TruthRow Rate(const char* scenario, const char* change, double rate, bool quick = false) {
  TruthRow row = Pods(scenario, change);
  row.rate = rate;
  row.quick = quick;
  return row;
}
TruthRow Scaled(const char* scenario, const char* change, Cost cost, double factor) {
  TruthRow row = Pods(scenario, change);
  row.scaled = cost;
  row.cost = factor;
  return row;
}
TruthRow Limit(const char* scenario, const char* change, double qps, bool quick = false) {
  TruthRow row = Pods(scenario, change);
  row.qps = qps;
  row.quick = quick;
  return row;
}
TruthRow Restored(const char* scenario, const char* change, Cost cost, bool quiet = false) {
  TruthRow row = Pods(scenario, change);
  row.restored = {cost};
  row.quiet = quiet;
  return row;
}
TruthRow Path(const char* scenario, const char* change, const char* path, bool pod) {
  TruthRow row = Pods(scenario, change);
  row.path = path;
  row.pod = pod;
  return row;
}
TruthRow Backoff(const char* scenario, const char* change, double seconds) {
  TruthRow row = Pods(scenario, change);
  row.backoff = seconds;
  return row;
}

/// Changes of queues, failures and saturated parts.
const std::vector<TruthRow>& QueueRows() {
  static const std::vector<TruthRow> rows = {
      Rate("healthy", "rate*=2.4", 2.4),
      Rate("healthy", "rate*=3", 3),
      Limit("healthy", "qps=25", 25),
      Limit("healthy", "qps=15", 15, true),
      Rate("algorithm.filter", "rate*=2", 2),
      Rate("algorithm.filter", "rate*=5", 5, true),
      Rate("algorithm.prescore", "rate*=2", 2),
      Rate("algorithm.prescore", "rate*=0.5", 0.5),
      Scaled("algorithm.prescore", "algorithm.prescore*=0.5", Cost::kPreScore, 0.5),
      Rate("algorithm.score", "rate*=3", 3),
      Rate("algorithm.extender", "rate*=2", 2),
      Scaled("algorithm.extender", "algorithm.unmeasured*=2", Cost::kExtFilter, 2),
      Restored("algorithm.extender", "algorithm.unmeasured=baseline", Cost::kExtFilter),
      Rate("reserve", "rate*=2", 2),
      Scaled("reserve", "reserve*=0.5", Cost::kReserveWait, 0.5),
      Limit("bind.client-throttling", "qps=40", 40),
      Rate("bind.client-throttling", "rate*=0.5", 0.5),
      Rate("bind.client-throttling", "rate*=1.5", 1.5),
      Rate("bind.apiserver", "rate*=2", 2),
      Scaled("bind.apiserver", "bind.request*=2", Cost::kBindApi, 2),
      Rate("bind.extender", "rate*=2", 2),
      Restored("attempts.error", "bind.request=baseline", Cost::kBindApi),
      Rate("attempts.error", "rate*=1.5", 1.5),
      Backoff("attempts.error", "backoff=3s", 3),
      Rate("attempts.unschedulable", "rate*=1.5", 1.5),
      Restored("attempts.unschedulable", "bind.request=baseline", Cost::kBindApi),
      Restored("preemption", "rate=baseline", Cost::kDeleteApi, true),
      Rate("preemption", "rate*=0.5", 0.5),
      Rate("queue.backlog", "rate*=0.5", 0.5),
      Restored("queue.backlog", "rate=baseline", Cost::kWriteApi, true),
      Limit("roll-out", "qps=100", 100),
      Rate("permit.wait", "rate*=2", 2),
      Scaled("prebind", "prebind*=0.5", Cost::kPreBindWait, 0.5),
      Rate("apiserver.webhook", "rate*=2", 2),
      Limit("apiserver.webhook", "qps=15", 15),
      Path("apiserver.webhook", "webhook.quota.policy.example=removed", "quota.policy.example",
           true),
  };
  return rows;
}

/// Every built-in scenario whose cause can be taken away; healthy has none.
const std::vector<TruthRow>& TruthRows() {
  static const std::vector<TruthRow> rows = {
      {"algorithm.cpu-starved", "algorithm.prescore=baseline", {Cost::kPreScore}},
      {"algorithm.extender", "algorithm.unmeasured=baseline", {Cost::kExtFilter}, 0, false, true},
      {"algorithm.filter", "algorithm.filter=baseline", {Cost::kFilter}},
      {"algorithm.prefilter", "algorithm.prefilter=baseline", {Cost::kPreFilter}},
      {"algorithm.prescore", "algorithm.prescore=baseline", {Cost::kPreScore}, 0, false, true},
      {"algorithm.score", "algorithm.score=baseline", {Cost::kScore}},
      {"attempts.error", "bind.request=baseline", {Cost::kBindApi}},
      {"attempts.unschedulable", "bind.request=baseline", {Cost::kBindApi}},
      {"bind.apiserver", "bind.request=baseline", {Cost::kBindApi}, 0, false, true},
      {"bind.async-queue", "bind.request=baseline", {Cost::kWriteApi}},
      {"bind.client-throttling", "client.qps=200", {}, 200, false, true},
      {"bind.extender", "bind.extender=baseline", {Cost::kExtBind}, 0, false, true},
      {"bind.extender-partial", "bind.extender=baseline", {Cost::kExtBind}},
      {"data.leader-change", "bind.request=baseline", {Cost::kBindApi}},
      {"data.missing", "bind.request=baseline", {Cost::kBindApi}},
      {"data.reset", "bind.request=baseline", {Cost::kBindApi}},
      {"permit.wait", "permit-wait=baseline", {Cost::kGangSpread}},
      {"prebind", "prebind=baseline", {Cost::kPreBindWait}},
      {"prebind.volume", "prebind=baseline", {Cost::kClaimBind}},
      // The volumes are as slow without the bind, which was not.
      {"prebind.volume", "bind.request=baseline", {Cost::kBindApi}, 0, false, true},
      {"preemption", "rate=baseline", {Cost::kDeleteApi}, 0, true},
      {"quantile.few-samples", "bind.request=baseline", {Cost::kBindApi}},
      {"quantile.population", "algorithm.unmeasured=baseline", {Cost::kExtFilter}},
      {"quantile.saturated", "bind.request=baseline", {Cost::kBindApi}},
      {"quantile.threshold-inside-bucket", "bind.request=baseline", {Cost::kBindApi}},
      {"queue.backlog", "rate=baseline", {Cost::kWriteApi}, 0, true},
      {"reserve", "reserve=baseline", {Cost::kReserveWait}},
      {"roll-out", "client.qps=500", {}, 500},
      Path("apiserver.flowcontrol", "bind.request=baseline", "all", false),
      Path("apiserver.webhook", "bind.request=baseline", "all", false),
      Path("apiserver.webhook", "webhook.quota.policy.example=removed", "quota.policy.example",
           false),
      Path("etcd.disk", "bind.request=baseline", "all", false),
      Path("etcd.disk", "etcd.fsync=baseline", "fsync", false),
  };
  return rows;
}

void ChangePath(const std::string& what, const sim::RequestPath& before, sim::RequestPath* now) {
  if (what == "all") *now = before;
  if (what == "fsync") now->fsync = before.fsync;
  std::erase_if(now->webhooks, [&](const sim::Webhook& hook) { return hook.name == what; });
}

/// The scenario with the change made.
sim::Scenario Changing(sim::Scenario scenario, const TruthRow& row) {
  const sim::Conditions before = scenario.segments.front().conditions;
  if (row.rate != 1 && scenario.segments.size() == 1) {
    scenario.segments.push_back({scenario.incident_start, before});
  }
  for (sim::Segment& segment : scenario.segments) {
    sim::Conditions& now = segment.conditions;
    for (const Cost cost : row.restored) now.costs[cost] = before.costs[cost];
    if (!row.restored.empty()) now.template_costs = before.template_costs;
    if (row.quiet) now = before;
    ChangePath(row.path, before.path, &now.path);
    if (segment.start < scenario.incident_start || segment.start >= scenario.incident_end) continue;
    now.rate *= row.rate;
    if (row.scaled == Cost::kCount) continue;
    sim::StepCost& step = now.costs[row.scaled];
    step.wall = step.wall.Scaled(row.cost);
    step.per_node *= row.cost;
    step.per_pod *= row.cost;
  }
  if (row.qps > 0) {
    scenario.qps = row.qps;
    if (std::string(row.change).starts_with("client.qps")) scenario.client_burst = row.qps;
  }
  if (row.backoff > 0) scenario.initial_backoff = row.backoff;
  return scenario;
}

struct WhatIfTally {
  int runs = 0, held = 0, refused = 0, false_quiet = 0;
  std::vector<double> widths, ratios;

  std::string Line(const std::string& name, const std::string& change, const char* of) const {
    return fmt::format("{:<33} {:<30} {:<3} {:>3} of {:>3}   {:>5.2f}   {:>5.2f}   {:>7} {:>11}\n",
                       name, change, of, held, runs, Median(widths), Median(ratios), refused,
                       false_quiet);
  }
};

/// An alert over one second on what the row is judged by.
void AddAlert(bool pod, Diagnosis* diagnosis) {
  AlertVerdict& alert = diagnosis->alert.emplace();
  alert.metric = pod ? "scheduler_pod_scheduling_duration_seconds"
                     : "scheduler_e2e_scheduling_duration_seconds";
  alert.threshold = 1;
}

void Judge(const TruthRow& row, std::uint64_t seed, WhatIfTally* tally, WhatIfTally* all) {
  test::Played played = test::Play(row.scenario, seed);
  AddAlert(row.pod, &played.investigation.diagnosis);
  const Prediction prediction = PredictChange(played.investigation, {ParseChange(row.change)}, 10);
  const Measured& p99 = (row.pod ? prediction.pod : prediction.e2e).at(2).after;
  if (!p99.value) {
    for (WhatIfTally* t : {tally, all}) ++t->refused;
    EXPECT_TRUE(prediction.undecidable) << row.scenario;
    EXPECT_NE(prediction.fires_after, false) << row.scenario;
    return;
  }
  const double truth = P99(Changing(played.scenario, row), row.pod, seed);
  const bool held = *p99.low <= truth && truth <= *p99.high;
  if (!held && std::getenv("WHAT_IF_VERBOSE") != nullptr) {
    fmt::print("{} {}: {:.4g} not in {:.4g} to {:.4g}\n", row.scenario, row.change, truth, *p99.low,
               *p99.high);
  }
  for (WhatIfTally* t : {tally, all}) {
    ++t->runs;
    t->held += held;
    t->false_quiet += prediction.fires_after == false && truth > 1;
    t->widths.push_back(*p99.high / *p99.low);
    t->ratios.push_back(*p99.value / truth);
  }
}

TEST(WhatIfTruth, ThePredictedIntervalHoldsTheTruth) {
  WhatIfTally all;
  std::string table =
      fmt::format("{:<33} {:<30} {:<3} {:>10}   {:>5}   {:>5}   {:>7} {:>11}\n", "scenario",
                  "change", "p99", "held", "width", "ratio", "refused", "false quiet");
  std::vector<TruthRow> rows = TruthRows();
  rows.insert(rows.end(), QueueRows().begin(), QueueRows().end());
  for (const TruthRow& row : rows) {
    if (!Wanted(row.scenario, row.quick)) continue;
    WhatIfTally tally;
    for (int seed = 1; seed <= Seeds(); ++seed) {
      Judge(row, static_cast<std::uint64_t>(seed) + 10, &tally, &all);
    }
    table += tally.Line(row.scenario, row.change, row.pod ? "pod" : "e2e");
  }
  table += all.Line("all", "", "");
  if (!Small()) fmt::print("{}", table);
  EXPECT_GE(all.held, 0.95 * all.runs) << table;
  EXPECT_LE(Median(all.widths), 2) << table;
  EXPECT_EQ(all.false_quiet, 0) << table;
  EXPECT_LE(all.refused, 0.1 * (all.runs + all.refused)) << table;
}

}  // namespace
}  // namespace schedlens
