#include <gtest/gtest.h>

#include "replay/played.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

TEST(PlayRunsTest, LoadIsWhatPodsBringAndWhatTheLimitsTake) {
  const test::Played played = test::Play("healthy");
  const Fitted fitted = FitScenario(played.investigation);
  const Runs runs = PlayRuns(fitted, 1, 2);
  ASSERT_EQ(runs.e2e.size(), 2u);
  ASSERT_EQ(runs.loads.size(), 2u);
  const double pods = fitted.rates.back();
  EXPECT_NEAR(runs.MeanLoad().client, pods / 50, 0.02);
  const TimeBreakdown& now = played.investigation.evidence->now.breakdown;
  const double loop = now.Seconds(kube::Stage::kAlgorithm) / now.window.seconds();
  EXPECT_NEAR(runs.MeanLoad().loop, loop, 0.2 * loop);
  EXPECT_EQ(runs.e2e[0].size(), runs.all[0].size()) << "no attempt failed";
  for (std::size_t i = 0; i < runs.pod[0].size(); ++i) EXPECT_GE(runs.pod[0][i], runs.e2e[0][i]);
}

TEST(RunsTest, TheLoadIsTheMeanOverTheReplays) {
  Runs runs;
  runs.loads = {{{0.2, 0}, 0, 0}, {{0.4, 0}, 0, 0}, {{0.6, 1.5}, 0, 0}};
  EXPECT_NEAR(runs.MeanLoad().loop, 0.4, 1e-12);
  EXPECT_NEAR(runs.MeanLoad().client, 0.5, 1e-12);
}

}  // namespace
}  // namespace schedlens
