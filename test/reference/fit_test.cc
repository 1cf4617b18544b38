#include "reference/fit.h"

#include <gtest/gtest.h>

#include "reference/played.h"

namespace schedlens {
namespace {

TEST(FitTest, RatesAndMeansComeBack) {
  const test::Played played = test::Play("bind.extender");
  const Fitted fitted = FitScenario(played.investigation);
  ASSERT_TRUE(fitted.has_baseline);
  const sim::Conditions& incident = fitted.scenario.segments.back().conditions;
  EXPECT_NEAR(incident.rate, 20, 1);
  const TimeBreakdown& now = played.investigation.evidence->now.breakdown;
  EXPECT_NEAR(incident.costs[sim::Cost::kExtBind].wall.Mean(),
              now.Seconds(kube::Stage::kBindUnmeasured) / now.extender_binds, 1e-6);
  EXPECT_EQ(fitted.scenario.extenders.size(), 1u);
  EXPECT_EQ(fitted.scenario.release.minor, 20);
}

TEST(FitTest, WithoutABaselineThereIsOneStretch) {
  test::Played played = test::Play("healthy");
  played.investigation.evidence->baseline.reset();
  const Fitted fitted = FitScenario(played.investigation);
  EXPECT_FALSE(fitted.has_baseline);
  EXPECT_EQ(fitted.scenario.segments.size(), 1u);
}

}  // namespace
}  // namespace schedlens
