#include <gtest/gtest.h>

#include "replay/cross_check.h"
#include "replay/played.h"

namespace schedlens {
namespace {

// However many attempts there were, and whether they wait for each other or for nothing.
TEST(ReplayLikeliestTest, PlaysAPartOfALongWindow) {
  for (const char* name : {"bind.extender", "bind.client-throttling"}) {
    const test::Played played = test::Play(name);
    const Replayed replayed = ReplayLikeliest(played.investigation);
    const double all = played.investigation.evidence->now.breakdown.scheduled();
    EXPECT_GT(all, 7000) << name;
    EXPECT_LT(static_cast<double>(replayed.seconds.size()), 0.5 * all) << name;
    EXPECT_FALSE(replayed.miss) << name;
    ASSERT_EQ(replayed.worked_out.has_value(), replayed.fitted.limited) << name;
    if (!replayed.worked_out) continue;
    EXPECT_NEAR(static_cast<double>(replayed.worked_out->seconds.size()) / all, 1, 0.05);
    const auto played_ones = static_cast<double>(replayed.seconds.size());
    EXPECT_NEAR(static_cast<double>(replayed.worked_out->again.size()), played_ones,
                0.01 * played_ones);
  }
}

TEST(ReplayLikeliestTest, MoreAttemptsAreJudgedThanPlayedWithMetricsWhereAQuantileIsOpen) {
  sim::Scenario scenario = sim::LoadScenario("bind.apiserver");
  for (sim::Segment& segment : scenario.segments) segment.conditions.rate = 28;
  const test::Played played = test::PlayScenario(std::move(scenario), 3);
  const Replayed replayed = ReplayLikeliest(played.investigation);
  EXPECT_TRUE(replayed.open);
  EXPECT_GT(replayed.judged, 1.5 * static_cast<double>(replayed.seconds.size()));
}

// A hundred and twenty pods at once, smoothed over a scrape interval, would hardly wait.
TEST(ReplayLikeliestTest, FindsTheReadingInWhichPodsComeTogether) {
  const test::Played played = test::PlayScenario(
      test::ScenarioOf({.pods = 120, .every_s = 15, .qps = 20, .client_burst = 45}), 3);
  const Replayed replayed = ReplayLikeliest(played.investigation);
  EXPECT_FALSE(replayed.miss);
  EXPECT_TRUE(replayed.fitted.group > 60 || replayed.fitted.spikes);
}

}  // namespace
}  // namespace schedlens
