#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/played.h"
#include "replay/what_if.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

TEST(ParseTargetTest, ReadsAQuantileAndATime) {
  EXPECT_EQ(ParseTarget("p99=1s").seconds, 1);
  EXPECT_NEAR(ParseTarget("p99.9=500ms").q, 0.999, 1e-12);
  EXPECT_EQ(ParseTarget("p50=2m").seconds, 120);
  EXPECT_EQ(ParseTarget("p50=1h").seconds, 3600);
  EXPECT_NEAR(ParseTarget("p50=5us").seconds, 5e-6, 1e-18);
  EXPECT_EQ(ParseTarget("p90=0.25").seconds, 0.25);
  for (const char* text :
       {"", "p99", "99=1s", "p0=1s", "p100=1s", "p99=0", "p99=much", "p99=-1s"}) {
    EXPECT_THROW(ParseTarget(text), Error) << text;
  }
}

/// p99 of the pods' time where the pods come this many times as fast.
double PodsAt(sim::Scenario scenario, double factor, std::uint64_t seed) {
  scenario.segments.back().conditions.rate *= factor;
  if (scenario.segments.size() > 1) scenario.segments[1].conditions.rate *= factor;
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = false;
  std::vector<double> pods;
  for (const auto& attempt : sim::RunScenario(scenario, options).attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    const bool inside = end > scenario.incident_start && end <= scenario.incident_end;
    if (inside && attempt.result == sim::AttemptResult::kScheduled) {
      pods.push_back(sim::ToSeconds(attempt.since_added));
    }
  }
  std::sort(pods.begin(), pods.end());
  return NearestRank(pods, 0.99);
}

// Twenty pods a second, and a client that lets fifty binds a second go.
TEST(PredictHeadroomTest, TheClientsLimitIsFoundWhereASweepFindsIt) {
  const test::Played played = test::Play("healthy");
  const Headroom h = PredictHeadroom(played.investigation, {}, "rate", ParseTarget("p99=2s"), 3);
  ASSERT_TRUE(h.refused.empty());
  ASSERT_TRUE(h.factor.low && h.factor.value && h.factor.high);
  EXPECT_EQ(h.limit, "client");
  EXPECT_NEAR(*h.factor.value, 2.5, 0.15);
  EXPECT_LT(*h.factor.high / *h.factor.low, 1.3);
  sim::Scenario scenario = played.scenario;
  scenario.segments.resize(1, scenario.segments.front());
  scenario.segments.push_back(scenario.segments.front());
  scenario.segments.back().start = scenario.incident_start;
  scenario.segments.front().start = 0;
  EXPECT_GT(*h.now, 18);
  ASSERT_EQ(h.moves.size(), 2u);
  EXPECT_EQ(h.moves.back().id, "headroom.moved");
  EXPECT_LT(PodsAt(scenario, 0.5 * *h.factor.low, 5), 2);
}

TEST(PredictHeadroomTest, OfACauseThatIsNoLimitThereIsNone) {
  const test::Played played = test::Play("bind.extender");
  const Headroom h = PredictHeadroom(played.investigation, {}, "nodes", ParseTarget("p99=1s"), 2);
  EXPECT_FALSE(h.factor.value) << "crossed whatever the number of nodes";
  EXPECT_FALSE(h.factor.low);
}

TEST(PredictHeadroomTest, MoreNodesAloneDoNotCrossIt) {
  const test::Played played = test::Play("healthy");
  const Headroom h = PredictHeadroom(played.investigation, {}, "nodes", ParseTarget("p99=60s"), 2);
  EXPECT_FALSE(h.factor.value);
  EXPECT_EQ(h.factor.low, h.most);
}

TEST(PredictHeadroomTest, AnotherMetricHasNoTarget) {
  const test::Played played = test::Play("healthy");
  const ThresholdOf other{ReplayedSeconds::kOther, "scheduler_binding_duration_seconds", 0.99, 1};
  try {
    PredictHeadroom(played.investigation, {}, "rate", other, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("give a --target"));
  }
}

}  // namespace
}  // namespace schedlens
