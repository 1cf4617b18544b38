#include "replay/readings.h"

#include <gtest/gtest.h>

#include "replay/played.h"
#include "replay/what_if.h"

namespace schedlens {
namespace {

// Sixty pods at once against 20 binds a second: smoothed over a scrape interval nobody would wait.
TEST(ReadWindowTest, FindsBurstsInsideAScrapeInterval) {
  const test::Played played = test::PlayScenario(
      test::ScenarioOf({.pods = 60, .every_s = 12, .qps = 20, .client_burst = 30}), 3);
  const Fitted plain = FitScenario(played.investigation);
  ASSERT_TRUE(plain.limited);
  const ProvenWindow proven = ProveWindow(played.investigation, plain, {0.5, 0.9, 0.99});
  EXPECT_TRUE(WorstMiss(proven.e2e, PlayRuns(plain, 1, 3).e2e)) << "evenly spread they miss it";
  const Readings readings = ReadWindow(played.investigation, plain, proven, 3);
  EXPECT_FALSE(readings.e2e);
  EXPECT_TRUE(std::any_of(readings.kept.begin(), readings.kept.end(), [](const Reading& reading) {
    return reading.fitted.group > 30 || reading.fitted.spikes;
  }));
  EXPECT_TRUE(readings.groups_differ) << "two bursts of thirty would look the same";
  const Prediction p = PredictChange(played.investigation, {ParseChange("client.qps=40")}, 4);
  sim::Scenario after = played.scenario;
  after.qps = 40;
  sim::RunOptions options;
  options.seed = 4;
  const double truth = NearestRank(ScheduledSeconds(after, sim::RunScenario(after, options)), 0.99);
  EXPECT_FALSE(p.undecidable);
  EXPECT_LE(*p.e2e[2].after.low, truth);
  EXPECT_GE(*p.e2e[2].after.high, truth);
}

// Events wait for the limiter, binds do not: taking the wait off them makes them too quick.
TEST(ReadWindowTest, TheLimitersWaitMayBeThatOfEvents) {
  const test::Played played = test::Play("queue.backlog", 11);
  const Fitted plain = FitScenario(played.investigation);
  const ProvenWindow proven = ProveWindow(played.investigation, plain, {0.5, 0.9, 0.99});
  EXPECT_TRUE(WorstMiss(proven.e2e, PlayRuns(plain, 1, 2).e2e));
  EXPECT_FALSE(ReadWindow(played.investigation, plain, proven, 2).e2e);
}

TEST(ReadWindowTest, ThePlainReadingOfASteadyWindowIsTheFirst) {
  const test::Played played = test::Play("bind.extender");
  const Fitted plain = FitScenario(played.investigation);
  const ProvenWindow proven = ProveWindow(played.investigation, plain, {0.5, 0.9, 0.99});
  const Readings readings = ReadWindow(played.investigation, plain, proven, 3);
  EXPECT_FALSE(readings.e2e || readings.pod);
  EXPECT_EQ(readings.kept.front().fitted.group, 1);
}

}  // namespace
}  // namespace schedlens
