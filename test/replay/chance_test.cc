#include <gtest/gtest.h>

#include <cmath>

#include "replay/played.h"
#include "replay/what_if.h"

namespace schedlens {
namespace {

TEST(ByChanceTest, AnotherWindowHasAFewPodsMoreOrLess) {
  const test::Played played = test::Play("algorithm.filter");
  const Fitted fitted = FitScenario(played.investigation);
  const WindowEvidence& c = *played.investigation.evidence;
  const auto rate = [](const Fitted& f) { return f.scenario.segments.back().conditions.rate; };
  const auto filter = [](const Fitted& f) {
    return f.scenario.segments.back().conditions.costs[sim::Cost::kFilter].wall.Mean();
  };
  const Fitted more = ByChance(c, fitted, 1), less = ByChance(c, fitted, -1);
  const double pods = c.now.breakdown.scheduled();
  EXPECT_NEAR(rate(more) / rate(fitted), 1 + 2 / std::sqrt(pods), 1e-3);
  EXPECT_NEAR(rate(less) / rate(fitted), 1 - 2 / std::sqrt(pods), 1e-3);
  EXPECT_GT(filter(more), filter(fitted) * 1.01);
  EXPECT_LT(filter(less), filter(fitted) * 0.99);
}

// 3 % wait for 1 to 2.5 s, above the top bound of the extension point's histogram.
TEST(ByChanceTest, AFewSlowOnesMakeTheMeanUncertain) {
  const test::Played played = test::Play("reserve");
  const Fitted fitted = FitScenario(played.investigation);
  const auto mean = [](const Fitted& f) {
    return f.scenario.segments.back().conditions.costs[sim::Cost::kReserveWait].wall.Mean();
  };
  const Fitted more = ByChance(*played.investigation.evidence, fitted, 1);
  EXPECT_GT(mean(more) / mean(fitted), 1.15);
  EXPECT_LT(mean(more) / mean(fitted), 1.6);
}

}  // namespace
}  // namespace schedlens
