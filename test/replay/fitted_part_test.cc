#include <gtest/gtest.h>

#include "replay/fit.h"
#include "replay/played.h"

namespace schedlens {
namespace {

TEST(FittedPartTest, TheStartOfAWindowIsItsFirstAttempts) {
  const test::Played played = test::Play("bind.client-throttling");
  const Fitted whole = FitScenario(played.investigation);
  const auto pods = [](const Fitted& fitted, bool window) {
    double n = 0;
    for (const CountedArrivals& arrivals : fitted.arrivals) {
      if ((arrivals.start >= fitted.scenario.incident_start) == window) n += arrivals.count;
    }
    return n;
  };
  const Fitted part = StartOf(whole, 1000);
  EXPECT_NEAR(pods(part, true), 1000, 20) << "the last scrape interval in part";
  EXPECT_EQ(pods(part, false), pods(whole, false));
  EXPECT_EQ(part.window.start, whole.window.start);
  EXPECT_NEAR(part.window.seconds(),
              sim::ToSeconds(part.scenario.incident_end - part.scenario.incident_start), 0.01);
  const Fitted alone = WithoutBaseline(whole, 300);
  EXPECT_GE(pods(alone, false), 300);
  EXPECT_LT(pods(alone, false), 0.5 * pods(whole, false));
  EXPECT_EQ(pods(alone, true), pods(whole, true));
  EXPECT_EQ(StartOf(whole, 1e9).window, whole.window);
}

}  // namespace
}  // namespace schedlens
