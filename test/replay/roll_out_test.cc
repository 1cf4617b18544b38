#include <gtest/gtest.h>

#include <numeric>

#include "replay/change.h"
#include "replay/played.h"
#include "replay/what_if.h"

namespace schedlens {
namespace {

TEST(RollOutTest, ALevelNumberOfBindsIsOne) {
  const test::Played played = test::Play("roll-out");  // 6000 pods, 100 pending at a time
  const Fitted fitted = FitScenario(played.investigation);
  const auto found = FindRollOut(played.investigation, fitted);
  ASSERT_TRUE(found);
  // And what comes besides, 10 a second: each waits as long as the roll-out's own.
  EXPECT_GE(found->surge, 95);
  EXPECT_LE(found->surge, 140);
  EXPECT_GE(found->pods, 5500);
  EXPECT_LE(found->pods, 7300);
  EXPECT_GE(found->start, fitted.scenario.incident_start);
  EXPECT_LE(found->end, fitted.scenario.incident_end);
}

TEST(RollOutTest, ABacklogThatGrowsAndDrainsIsNone) {
  for (const char* name : {"bind.client-throttling", "bind.apiserver", "healthy"}) {
    const test::Played played = test::Play(name);
    EXPECT_FALSE(FindRollOut(played.investigation, FitScenario(played.investigation))) << name;
  }
}

TEST(RollOutTest, TakesThePlaceOfThePodsThatWereCounted) {
  const test::Played played = test::Play("roll-out");
  Fitted fitted = FitScenario(played.investigation);
  const auto pods = [&] {
    return std::accumulate(fitted.arrivals.begin(), fitted.arrivals.end(), 0.0,
                           [](double n, const CountedArrivals& a) { return n + a.count; });
  };
  const double before = pods();
  const RollOut found = *FindRollOut(played.investigation, fitted);
  PlayRollOut(found, &fitted);
  EXPECT_NEAR(pods() + found.pods, before, 1e-6);
  double played_pods = 0;
  for (const sim::Action& action : fitted.scenario.actions) played_pods += action.count;
  EXPECT_NEAR(played_pods, found.pods, static_cast<double>(fitted.scenario.actions.size()));
}

TEST(RollOutTest, AFasterClientIsPredictedToSpeedItUp) {
  const test::Played played = test::Play("roll-out");
  const Prediction prediction =
      PredictChange(played.investigation, {ParseChange("client.qps=500")}, 2);
  const Measured& p99 = prediction.e2e.at(2).after;
  EXPECT_GT(*p99.value, 0.1);  // 100 at once against 500 a second
  EXPECT_LT(*p99.value, 0.5);
  EXPECT_LT(*p99.low, 0.1);  // and if the pods came when they came
  EXPECT_EQ(prediction.assumptions.back().id, "whatif.roll_out");
}

TEST(RollOutTest, IsFollowedWhicheverWayTheLimitIsChanged) {
  const test::Played played = test::Play("roll-out");
  Change file = ParseChange("config=f.yaml");
  file.text =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "clientConnection: {qps: 500, burst: 1000}\n";
  const std::vector<std::vector<Change>> ways = {
      {ParseChange("client.qps=500"), ParseChange("client.burst=1000")},
      {ParseChange("nodes=500"), ParseChange("client.qps=500")},
      {file},
  };
  for (const std::vector<Change>& changes : ways) {
    const Fitted fitted = FitScenario(played.investigation);
    Changed changed{fitted, fitted, false, {}};
    for (const Change& change : changes) Apply(change, played.investigation, &changed);
    EXPECT_TRUE(changed.rolls_out) << changes.front().key;
    EXPECT_TRUE(changed.differ);
    EXPECT_FALSE(changed.likely.scenario.actions.empty());
    EXPECT_TRUE(changed.extreme.scenario.actions.empty());
  }
}

}  // namespace
}  // namespace schedlens
