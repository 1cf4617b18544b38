#include "reference/likeliest_replay.h"

#include <gtest/gtest.h>

#include "reference/played.h"

namespace schedlens {
namespace {

// However many attempts there were, and whether they wait for each other or for nothing.
TEST(ReplayLikeliestTest, PlaysAPartOfALongWindow) {
  for (const char* name : {"bind.extender", "bind.client-throttling"}) {
    const test::Played played = test::Play(name);
    const Replayed replayed = ReplayLikeliest(played.investigation);
    const double all = played.investigation.evidence->now.breakdown.scheduled();
    EXPECT_GT(all, 7000) << name;
    EXPECT_LT(replayed.attempts, 0.5 * all) << name;
    EXPECT_FALSE(replayed.miss) << name;
    ASSERT_EQ(replayed.worked_out.has_value(), replayed.fitted.limited) << name;
    if (!replayed.worked_out) continue;
    EXPECT_NEAR(static_cast<double>(replayed.worked_out->seconds.size()) / all, 1, 0.05);
    EXPECT_EQ(replayed.worked_out->played.size(), replayed.attempts);
  }
}

TEST(ReplayLikeliestTest, MoreAttemptsAreJudgedThanPlayedWithMetricsWhereAQuantileIsOpen) {
  sim::Scenario scenario = sim::LoadScenario("bind.apiserver");
  for (sim::Segment& segment : scenario.segments) segment.conditions.rate = 28;
  const test::Played played = test::PlayScenario(std::move(scenario), 3);
  const Replayed replayed = ReplayLikeliest(played.investigation);
  EXPECT_TRUE(replayed.open);
  EXPECT_GT(replayed.judged, 1.5 * replayed.attempts);
}

// A hundred and twenty pods at once, smoothed over a scrape interval, would hardly wait.
TEST(ReplayLikeliestTest, FindsTheReadingInWhichPodsComeTogether) {
  std::string yaml = R"y(
name: bursts
kubernetes_version: "1.26"
cluster: {nodes: [{count: 20}]}
scheduler: {qps: 20, burst: 45}
workload:
  rate: 4
  templates: [{name: web, life: "u(20,40)"}]
scrape: {interval: 10s}
faults: [{rate: 0.01}]
actions:
)y";
  for (int at = 155; at < 510; at += 15) {
    yaml += "  - {at: " + std::to_string(at) + "s, do: burst, template: web, count: 120}\n";
  }
  const test::Played played = test::PlayScenario(sim::ParseScenario(yaml, "bursts"), 3);
  const Replayed replayed = ReplayLikeliest(played.investigation);
  EXPECT_FALSE(replayed.miss);
  EXPECT_TRUE(replayed.fitted.group > 60 || replayed.fitted.spikes);
}

}  // namespace
}  // namespace schedlens
