#include <gtest/gtest.h>

#include "replay/fit.h"
#include "replay/played.h"

namespace schedlens {
namespace {

Incoming Count(const test::Played& played) {
  const Measurement& window = played.investigation.evidence->now;
  const TimeRange& range = window.breakdown.window;
  return CountIncoming(played.investigation.facts, window,
                       {range.start, 0, (range.end - range.start) * sim::kMillisecond});
}

// The loop takes 15 pods a second of the 25 that come: those that left do not say how many came.
TEST(CountIncomingTest, CountsThePodsThatCameToASaturatedLoop) {
  sim::Scenario scenario = sim::LoadScenario("healthy");
  scenario.segments.push_back(scenario.segments.front());
  scenario.segments.back().start = scenario.incident_start;
  sim::Conditions& now = scenario.segments.back().conditions;
  now.rate = 25;
  now.costs[sim::Cost::kFilter].wall = sim::Distribution::Constant(1.0 / 15);
  now.costs[sim::Cost::kFilter].computed = false;
  const test::Played played = test::PlayScenario(scenario, 3);
  const Measurement& window = played.investigation.evidence->now;
  const double seconds = window.breakdown.window.seconds();
  const Incoming came = Count(played);
  EXPECT_TRUE(came.waited);
  EXPECT_NEAR(came.count, 25 * seconds, 0.05 * 25 * seconds);
  EXPECT_NEAR(came.waiting_more, came.count - window.breakdown.scheduled(), 60);
  EXPECT_LT(window.breakdown.scheduled(), 16 * seconds);
}

TEST(CountIncomingTest, WithoutABacklogThoseThatLeftAreThoseThatCame) {
  const test::Played played = test::Play("healthy");
  const Incoming came = Count(played);
  EXPECT_FALSE(came.waited);
  EXPECT_NEAR(came.count, played.investigation.evidence->now.breakdown.scheduled(), 20);
}

TEST(StatusPatchesTest, AreThePatchesWithoutTheirWait) {
  const test::Played played = test::Play("queue.backlog");
  const Amount patches =
      StatusPatches(played.investigation.facts, played.investigation.evidence->now, Count(played));
  EXPECT_GT(patches.count, 300);
  const double seconds = played.investigation.evidence->now.breakdown.window.seconds();
  EXPECT_NEAR(patches.seconds, seconds, 0.1 * seconds) << "they hold the loop all the time";
}

}  // namespace
}  // namespace schedlens
