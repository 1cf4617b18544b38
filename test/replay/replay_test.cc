#include <gtest/gtest.h>

#include <cmath>

#include "replay/played.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

TEST(NearestRankTest, IsTheSmallestValueWithThatManyAtOrBelow) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(NearestRank(values, 0.5), 5);
  EXPECT_EQ(NearestRank(values, 0.91), 10);
  EXPECT_EQ(NearestRank(values, 0), 1);
  EXPECT_TRUE(std::isnan(NearestRank({}, 0.5)));
}

TEST(ReplayTest, TheSourceShowsWhatTheTruthHolds) {
  const test::Played played = test::Play("healthy");
  const std::vector<double> truth = ScheduledSeconds(played.scenario, played.truth);
  const Amount e2e =
      played.investigation.evidence->now.breakdown.by_result.Get(kube::AttemptResult::kScheduled);
  EXPECT_NEAR(e2e.count, static_cast<double>(truth.size()), 120) << "edges lie on scrapes";
  double sum = 0;
  for (const double s : truth) sum += s;
  EXPECT_NEAR(e2e.mean(), sum / static_cast<double>(truth.size()), 0.05 * e2e.mean());
}

TEST(ReplayTest, SameSeedSameSamples) {
  const sim::Scenario scenario = sim::LoadScenario("healthy");
  const Query query{"sum(scheduler_e2e_scheduling_duration_seconds_count)",
                    scenario.start_time + 300'000, scenario.start_time + 300'000, 0};
  const auto one = ReplayAsSource(scenario, 5, nullptr)->Ask(query);
  const auto two = ReplayAsSource(scenario, 5, nullptr)->Ask(query);
  ASSERT_EQ(one.series.size(), 1u);
  EXPECT_EQ(one.series[0].samples, two.series.at(0).samples);
}

}  // namespace
}  // namespace schedlens
