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

// How many wait is counted: those drawn stand for as many, and for all where there are no others.
TEST(PlayRunsTest, AsManyAttemptsAsWereDrawnWhateverWaited) {
  const test::Played played = test::Play("healthy");
  for (const double share : {0.3, 0.9995}) {
    Fitted fitted = StartOf(FitScenario(played.investigation), 300);
    fitted.now().costs[sim::Cost::kPreBind].wall =
        sim::Distribution::Mixture({{1 - share, sim::Distribution::Constant(0.001)},
                                    {share, sim::Distribution::Constant(1.5)}});
    const std::vector<double> run = PlayRuns(fitted, 1, 1).e2e.at(0);
    EXPECT_NEAR(static_cast<double>(run.size()), 260, 60) << share;
    const auto waited = static_cast<double>(run.end() - std::ranges::lower_bound(run, 1));
    EXPECT_NEAR(waited / static_cast<double>(run.size()), share, 0.015) << share;
  }
}

TEST(RunsTest, TheLoadIsTheMeanOverTheReplays) {
  Runs runs;
  runs.loads = {{{0.2, 0}, 0, 0}, {{0.4, 0}, 0, 0}, {{0.6, 1.5}, 0, 0}};
  EXPECT_NEAR(runs.MeanLoad().loop, 0.4, 1e-12);
  EXPECT_NEAR(runs.MeanLoad().client, 0.5, 1e-12);
}

}  // namespace
}  // namespace schedlens
