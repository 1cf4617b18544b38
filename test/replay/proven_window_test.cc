#include <gtest/gtest.h>

#include "replay/played.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

TEST(WorstMissTest, IsTheRowThatIsFurthestOff) {
  const std::vector<std::vector<double>> runs = {{1, 1, 1, 1}};
  EXPECT_FALSE(WorstMiss({}, runs));
  EXPECT_FALSE(WorstMiss({{0.5, {0.9, 1.05}}}, runs)) << "the interval of the runs touches it";
  EXPECT_FALSE(WorstMiss({{0.5, {2, 3}}}, {{}})) << "nothing was replayed";
  const auto miss = WorstMiss({{0.5, {2, 4}}, {0.9, {8, std::nullopt}}}, runs);
  ASSERT_TRUE(miss);
  EXPECT_EQ(miss->q, 0.9);
  EXPECT_NEAR(miss->factor, 8 / 1.08, 1e-9);
}

TEST(OutlyingTest, EveryQuantileMustLieInside) {
  const std::vector<double> run = {1, 1, 1, 1, 1, 1, 1, 1, 1, 5};
  EXPECT_FALSE(Outlying({}, run));
  EXPECT_FALSE(Outlying({{0.5, {2, 3}}}, {})) << "nothing was replayed";
  EXPECT_FALSE(Outlying({{0.5, {0.9, 1.1}}, {0.99, {4, std::nullopt}}}, run));
  EXPECT_FALSE(Outlying({{0.5, {1.05, 2}}}, run)) << "buckets hide more from a fit";
  EXPECT_TRUE(Outlying({{0.5, {1.2, 2}}, {0.99, {4, 6}}}, run));
  EXPECT_TRUE(Outlying({{0.5, {0.9, 1.1}}, {0.95, {1, 3}}}, run));
  EXPECT_FALSE(WorstMiss({{0.95, {1, 3}}}, {run})) << "so few attempts cannot tell";
}

TEST(ProveWindowTest, HoldsTheTruthOfAttemptsAndPods) {
  const test::Played played = test::Play("attempts.unschedulable");
  const Fitted fitted = FitScenario(played.investigation);
  const ProvenWindow proven = ProveWindow(played.investigation, fitted, {0.5, 0.99});
  std::vector<double> pods;
  for (const sim::AttemptRecord& attempt : played.truth.attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    const bool inside = end > played.scenario.incident_start && end <= played.scenario.incident_end;
    if (!inside || attempt.result != sim::AttemptResult::kScheduled) continue;
    pods.push_back(sim::ToSeconds(attempt.since_added));
  }
  std::sort(pods.begin(), pods.end());
  const std::vector<double> e2e = ScheduledSeconds(played.scenario, played.truth);
  ASSERT_EQ(proven.e2e.size(), 2u);
  ASSERT_EQ(proven.pod.size(), 2u);
  for (const std::size_t i : {0, 1}) {
    const double q = proven.e2e[i].q;
    EXPECT_LE(*proven.e2e[i].interval.low, NearestRank(e2e, q) * 1.002);
    EXPECT_GE(*proven.e2e[i].interval.high, NearestRank(e2e, q) * 0.998);
    EXPECT_LE(*proven.pod[i].interval.low, NearestRank(pods, q) * 1.002);
    EXPECT_GE(*proven.pod[i].interval.high, NearestRank(pods, q) * 0.998);
  }
}

}  // namespace
}  // namespace schedlens
