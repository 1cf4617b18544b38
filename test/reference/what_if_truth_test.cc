// What-if against truth: a scenario with its cause is measured, the prediction without it is made
// from what was measured, and the same scenario is simulated without it.
//
// Here a few of them at one seed; `test/what-if` plays all of them over many and prints the table.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference/played.h"
#include "reference/what_if.h"

namespace schedlens {
namespace {

using sim::Cost;

struct TruthRow {
  const char* scenario;
  const char* change;
  std::vector<Cost> restored;  ///< costs that are as before the incident in the truth
  double qps = 0;              ///< of the truth, 0: the scenario's
  bool quiet = false;          ///< the load, too, is as before in the truth
  bool quick = false;          ///< also played by the small test
};

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
      {"preemption", "rate=baseline", {Cost::kDeleteApi}, 0, true},
      {"quantile.few-samples", "bind.request=baseline", {Cost::kBindApi}},
      {"quantile.population", "algorithm.unmeasured=baseline", {Cost::kExtFilter}},
      {"quantile.saturated", "bind.request=baseline", {Cost::kBindApi}},
      {"quantile.threshold-inside-bucket", "bind.request=baseline", {Cost::kBindApi}},
      {"queue.backlog", "rate=baseline", {Cost::kWriteApi}, 0, true},
      {"reserve", "reserve=baseline", {Cost::kReserveWait}},
      {"roll-out", "client.qps=500", {}, 500},
  };
  return rows;
}

double TruthWithout(sim::Scenario scenario, const TruthRow& row, std::uint64_t seed) {
  const sim::Conditions& before = scenario.segments.front().conditions;
  for (sim::Segment& segment : scenario.segments) {
    for (const Cost cost : row.restored) segment.conditions.costs[cost] = before.costs[cost];
    segment.conditions.template_costs = before.template_costs;
    if (row.quiet) segment.conditions = before;
  }
  if (row.qps > 0) scenario.qps = scenario.client_burst = row.qps;
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = false;
  return NearestRank(ScheduledSeconds(scenario, sim::RunScenario(scenario, options)), 0.99);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? NAN : values[values.size() / 2];
}

struct Tally {
  int runs = 0, held = 0;
  std::vector<double> widths, ratios;

  std::string Line(const std::string& name, const std::string& change) const {
    return fmt::format("{:<33} {:<30} {:>3} of {:>3}   {:>5.2f}   {:>5.2f}\n", name, change, held,
                       runs, Median(widths), Median(ratios));
  }
};

void Judge(const TruthRow& row, std::uint64_t seed, Tally* tally, Tally* all) {
  const test::Played played = test::Play(row.scenario, seed);
  const Prediction prediction = PredictChange(played.investigation, {ParseChange(row.change)}, 10);
  const Measured& p99 = prediction.e2e.at(2).after;
  const double truth = TruthWithout(played.scenario, row, seed);
  ASSERT_TRUE(p99.low && p99.value && p99.high) << row.scenario;
  for (Tally* t : {tally, all}) {
    ++t->runs;
    t->held += *p99.low <= truth && truth <= *p99.high;
    t->widths.push_back(*p99.high / *p99.low);
    t->ratios.push_back(*p99.value / truth);
  }
}

TEST(WhatIfTruth, ThePredictedIntervalHoldsTheTruth) {
  const char* wanted = std::getenv("WHAT_IF_SEEDS");
  const char* only = std::getenv("WHAT_IF_NAMES");
  const int seeds = wanted == nullptr ? 1 : std::atoi(wanted);
  Tally all;
  std::string table = fmt::format("{:<33} {:<30} {:>10}   {:>5}   {:>5}\n", "scenario", "change",
                                  "p99 held", "width", "ratio");
  for (const TruthRow& row : TruthRows()) {
    if (wanted == nullptr && !row.quick) continue;
    if (only != nullptr && std::string(only).find(row.scenario) == std::string::npos) continue;
    Tally tally;
    for (int seed = 1; seed <= seeds; ++seed) {
      Judge(row, static_cast<std::uint64_t>(seed) + 10, &tally, &all);
    }
    table += tally.Line(row.scenario, row.change);
  }
  table += all.Line("all", "");
  if (wanted != nullptr) fmt::print("{}", table);
  EXPECT_GE(all.held, 0.9 * all.runs) << table;
  EXPECT_LE(Median(all.widths), 2) << table;
}

}  // namespace
}  // namespace schedlens
