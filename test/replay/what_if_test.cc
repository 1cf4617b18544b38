#include "replay/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

TEST(PredictChangeTest, WithoutTheCauseTheTailIsQuiet) {
  const test::Played played = test::Play("bind.extender");
  const Prediction p = PredictChange(played.investigation, {ParseChange("bind.extender=0.01")}, 3);
  ASSERT_EQ(p.e2e.size(), 4u);
  const PredictedChange& p99 = p.e2e[2];
  const std::vector<double> truth = ScheduledSeconds(played.scenario, played.truth);
  EXPECT_LE(*p99.before.low, NearestRank(truth, 0.99));
  EXPECT_GE(*p99.before.high, NearestRank(truth, 0.99));
  EXPECT_LT(*p99.after.high, 0.1);
  EXPECT_FALSE(p.assumptions.empty());
}

TEST(PredictChangeTest, SaysHowOftenEachSideWasPlayed) {
  const struct {
    const char* scenario;
    std::size_t asked, played;
  } rows[] = {{"bind.apiserver", 1, 3},  // of many pods
              {"bind.apiserver", 4, 4},
              {"quantile.few-samples", 1, 10}};
  for (const auto& row : rows) {
    const Prediction p = PredictChange(test::Play(row.scenario).investigation,
                                       {ParseChange("bind.request*=1")}, row.asked);
    EXPECT_EQ(p.seeds, row.played) << row.scenario;
    EXPECT_EQ(p.e2e[2].before.value, p.e2e[2].after.value) << "the same replays";
  }
}

TEST(PredictChangeTest, TheAlertFiresOnlyWithTheCause) {
  test::Played played = test::Play("bind.extender");
  played.investigation.diagnosis.alert.emplace();
  played.investigation.diagnosis.alert->metric = "scheduler_e2e_scheduling_duration_seconds";
  played.investigation.diagnosis.alert->threshold = 3;
  const auto predict = [&] {
    return PredictChange(played.investigation, {ParseChange("bind.extender=baseline")}, 2);
  };
  EXPECT_EQ(predict().fires_before, true);
  EXPECT_EQ(predict().fires_after, false);
  // The median does not fire, and another metric is not judged.
  played.investigation.diagnosis.alert->quantile = 0.5;
  EXPECT_EQ(predict().fires_before, false);
  played.investigation.diagnosis.alert->metric = "scheduler_binding_duration_seconds";
  EXPECT_EQ(predict().fires_before, std::nullopt);
}

TEST(PredictChangeTest, WhatCannotBeFittedIsSaidInOneLine) {
  const std::vector<Change> none;
  test::Played played = test::Play("bind.extender");
  auto& results = played.investigation.evidence->now.breakdown;
  const auto why = [&](const Investigation& investigation) {
    try {
      PredictChange(investigation, none, 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(why({}), HasSubstr("no scheduler was found"));
  results.by_result = {{kube::AttemptResult::kUnschedulable, {7, 1}}};
  results.e2e = {7, 1};
  EXPECT_THAT(why(played.investigation), HasSubstr("all 7 attempts of the window failed"));
  results.by_result = {};
  results.e2e = {};
  EXPECT_THAT(why(played.investigation), HasSubstr("no attempt ended in the window"));
}

// The loop takes 0.06 s an attempt: five times the pods are more than it can take, and the
// attempts' own histogram would not show it.
TEST(PredictChangeTest, AnAlertOnPodsSeesThatTheLoopIsSaturated) {
  sim::Scenario scenario = sim::LoadScenario("healthy");
  for (sim::Segment& segment : scenario.segments) {
    segment.conditions.rate = 5;
    segment.conditions.costs[sim::Cost::kFilter].wall = sim::Distribution::LogNormal(0.05, 0.4);
    segment.conditions.costs[sim::Cost::kFilter].computed = false;
  }
  test::Played played = test::PlayScenario(scenario, 3);
  auto& alert = played.investigation.diagnosis.alert.emplace();
  alert.metric = "scheduler_pod_scheduling_sli_duration_seconds";
  alert.threshold = 5;
  const Prediction p = PredictChange(played.investigation, {ParseChange("rate*=5")}, 3);
  EXPECT_EQ(p.fires_before, false);
  EXPECT_EQ(p.fires_after, true);
  EXPECT_LT(p.before.loop, 0.4);
  EXPECT_NEAR(p.after.loop, 5 * p.before.loop, 0.1);
  EXPECT_GT(p.after.WaitGrowth(), 10);
  EXPECT_LT(*p.e2e[2].after.high, 1) << "no attempt is slow";
  for (sim::Segment& segment : scenario.segments) segment.conditions.rate *= 5;
  std::vector<double> pods;
  sim::RunOptions options;
  options.seed = 4;
  for (const auto& attempt : sim::RunScenario(scenario, options).attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    if (end <= scenario.incident_start || end > scenario.incident_end) continue;
    pods.push_back(sim::ToSeconds(attempt.since_added));
  }
  std::sort(pods.begin(), pods.end());
  // Until the window began nothing had piled up, as the prediction has it.
  EXPECT_LT(*p.pod[2].after.low, NearestRank(pods, 0.99));
}

/// By how many seconds the pods of each minute of the incident wait longer, by simulation: the
/// slope of least squares.
double GrowthOf(const sim::Scenario& scenario) {
  sim::RunOptions options;
  options.seed = 4;
  options.scrape = false;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& attempt : sim::RunScenario(scenario, options).attempts) {
    const sim::Nanos came = attempt.start + attempt.e2e - attempt.since_added;
    const bool inside = came >= scenario.incident_start && came < scenario.incident_end;
    if (!inside || attempt.result != sim::AttemptResult::kScheduled) continue;
    const double minutes = sim::ToSeconds(came) / 60, wait = sim::ToSeconds(attempt.since_added);
    n += 1;
    x += minutes;
    y += wait;
    xx += minutes * minutes;
    xy += minutes * wait;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

TEST(PredictChangeTest, TheWaitGrowsAsFastAsInASimulation) {
  sim::Scenario scenario = sim::LoadScenario("healthy");
  scenario.duration = 1800 * sim::kSecond;
  scenario.segments.push_back({scenario.incident_start, scenario.segments.front().conditions});
  for (sim::Segment& segment : scenario.segments) {
    sim::StepCost& filter = segment.conditions.costs[sim::Cost::kFilter];
    filter.computed = false;
    filter.wall = sim::Distribution::Uniform(0.02, 0.04);
    segment.conditions.costs.noise = sim::Distribution::Constant(1);
  }
  const test::Played played = test::PlayScenario(scenario, 3);
  const auto predicted = [&](const char* change) {
    return PredictChange(played.investigation, {ParseChange(change)}, 3).after;
  };
  // 0.03 s an attempt at 40 a second: 1.2 times what the loop can take.
  sim::Scenario more = scenario;
  more.segments.back().conditions.rate *= 2;
  const Utilisation loop = predicted("rate*=2");
  EXPECT_GT(loop.loop, loop.client);
  EXPECT_NEAR(loop.WaitGrowth(), GrowthOf(more), 0.25 * GrowthOf(more));
  // Twenty pods a second through a limit of twelve.
  sim::Scenario limited = scenario;
  limited.qps = 12;
  const Utilisation client = predicted("qps=12");
  EXPECT_GT(client.client, client.loop);
  EXPECT_NEAR(client.WaitGrowth(), GrowthOf(limited), 0.1 * GrowthOf(limited));
}

TEST(PredictChangeTest, AReplayThatMissesWhatIsProvenPredictsNothing) {
  test::Played played = test::Play("bind.extender");
  played.investigation.diagnosis.alert.emplace();
  played.investigation.diagnosis.alert->metric = "scheduler_e2e_scheduling_duration_seconds";
  played.investigation.diagnosis.alert->threshold = 3;
  // The incident's buckets with the quiet period's sums: the replay is not what was measured.
  WindowEvidence& c = *played.investigation.evidence;
  const TimeRange window = c.now.breakdown.window;
  c.now.breakdown = c.baseline->breakdown;
  c.now.breakdown.window = window;
  const Prediction p = PredictChange(played.investigation, {ParseChange("rate*=1")}, 2);
  EXPECT_TRUE(p.undecidable);
  ASSERT_FALSE(p.refused.empty());
  EXPECT_EQ(p.refused.front().id, "whatif.refused.e2e");
  EXPECT_EQ(p.fires_before, std::nullopt);
  EXPECT_EQ(p.fires_after, std::nullopt);
  EXPECT_FALSE(p.e2e[2].after.value);
  EXPECT_TRUE(p.e2e[2].before.value);
}

TEST(PredictChangeTest, TooManyPodsAreRefused) {
  const test::Played played = test::Play("healthy");
  EXPECT_THROW(PredictChange(played.investigation, {ParseChange("rate=10000")}, 1), Error);
}

TEST(PredictedIntervalTest, HoldsEveryRunAndTheChanceOfSoMany) {
  EXPECT_FALSE(PredictedInterval({}, 0.5).value);
  EXPECT_FALSE(PredictedInterval({{}, {}}, 0.5).value);
  const Measured p = PredictedInterval({{1, 2, 3}, {2, 3, 4}, {}}, 0.5);
  EXPECT_EQ(*p.value, 3);
  EXPECT_LT(*p.low, 2);
  EXPECT_GT(*p.high, 3);
}

// Where as many are slow in every run, chance does not lead to them.
TEST(PredictedIntervalTest, DoesNotCrossAGapThatEveryRunHas) {
  std::vector<std::vector<double>> runs(10);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (int i = 0; i < 460; ++i)
      runs[r].push_back(0.01 + 1e-5 * i + 1e-6 * static_cast<double>(r));
    runs[r].resize(500, 1);
  }
  EXPECT_GT(*PredictedInterval(runs, 0.9).high, 1);
  EXPECT_LT(*PredictedInterval(runs, 0.9, 0, true).high, 0.1);
  EXPECT_NEAR(*PredictedInterval(runs, 0.95, 0, true).low, 1 / kFitError, 1e-9);
  runs.resize(3);
  EXPECT_GT(*PredictedInterval(runs, 0.9, 0, true).high, 1) << "three runs show no variance";
}

}  // namespace
}  // namespace schedlens
