#include <gtest/gtest.h>

#include <algorithm>

#include "messages/written.h"
#include "replay/change.h"
#include "replay/played.h"

namespace schedlens {
namespace {

using sim::Cost;

/// A slow bind, and a loop that takes three times as long meanwhile.
sim::Scenario Busy() {
  sim::Scenario scenario = sim::LoadScenario("bind.apiserver");
  for (sim::Segment& segment : scenario.segments) {
    if (segment.start != scenario.incident_start) continue;
    for (const Cost point : LoopPoints()) {
      sim::StepCost& step = segment.conditions.costs[point];
      step = {};
      step.wall = sim::Distribution::Constant(3e-3);
    }
  }
  return scenario;
}

Changed Calmed(const Investigation& investigation, const std::vector<Cost>& stages, bool cheapest) {
  const Fitted fitted = FitScenario(investigation);
  Changed changed{fitted, fitted, false, {}};
  changed.cheapest = cheapest;
  MayCalm(stages, investigation, &changed);
  test::ExpectWrittenInEveryLanguage(changed.assumptions);
  return changed;
}

double Loop(const Fitted& fitted) {
  double mean = 0;
  for (const Cost point : LoopPoints()) {
    mean += fitted.scenario.segments.back().conditions.costs[point].wall.Mean();
  }
  return mean;
}

TEST(MayCalmTest, OnlyTheCheapestTakesTheQuietPeriod) {
  const test::Played played = test::PlayScenario(Busy(), 3);
  const double now = Loop(FitScenario(played.investigation));
  const Changed likely = Calmed(played.investigation, LoopPoints(), false);
  EXPECT_TRUE(likely.cheaper);
  ASSERT_EQ(likely.assumptions.size(), 1U);
  EXPECT_EQ(Loop(likely.likely), now);
  const Changed least = Calmed(played.investigation, LoopPoints(), true);
  EXPECT_LT(Loop(least.likely), 0.5 * now);
  EXPECT_EQ(Loop(least.extreme), now);
  // The classes of attempts, too.
  for (const auto& overrides : least.likely.scenario.segments.back().conditions.template_costs) {
    for (const auto& [cost, step] : overrides) {
      if (std::count(LoopPoints().begin(), LoopPoints().end(), cost) == 0) continue;
      EXPECT_LT(step.wall.Mean(), 2e-3);
    }
  }
}

TEST(MayCalmTest, WhatACauseMakesSlowStaysSlow) {
  test::Played bind = test::PlayScenario(Busy(), 3);
  EXPECT_FALSE(Calmed(bind.investigation, {Cost::kBindApi}, true).cheaper) << "bind.apiserver";
  bind.investigation.diagnosis.findings.clear();
  EXPECT_TRUE(Calmed(bind.investigation, {Cost::kBindApi}, true).cheaper);
  const test::Played loop = test::Play("algorithm.filter");
  EXPECT_FALSE(Calmed(loop.investigation, LoopPoints(), true).cheaper);
  const test::Played healthy = test::Play("bind.apiserver");
  EXPECT_FALSE(Calmed(healthy.investigation, LoopPoints(), true).cheaper) << "no slower";
}

/// Of the built-in scenario, whose volumes are slow: the bind, too, takes so many times as long.
test::Played SlowVolumes(double bind) {
  sim::Scenario scenario = sim::LoadScenario("prebind.volume");
  for (sim::Segment& segment : scenario.segments) {
    sim::StepCost& step = segment.conditions.costs[Cost::kBindApi];
    if (segment.start == scenario.incident_start) step.wall = step.wall.Scaled(bind);
  }
  return test::PlayScenario(std::move(scenario), 3);
}

double PreBind(const Fitted& fitted) { return fitted.now().costs[Cost::kPreBind].wall.Mean(); }
double Bind(const Fitted& fitted) { return fitted.now().costs[Cost::kBindApi].wall.Mean(); }

Changed After(const test::Played& played, const std::vector<const char*>& changes) {
  std::vector<Change> all;
  for (const char* change : changes) all.push_back(ParseChange(change));
  return ApplyAll(all, played.investigation, FitScenario(played.investigation));
}

bool SaysRequests(const Changed& changed) {
  return std::ranges::any_of(changed.assumptions, [](const Message& message) {
    return message.id == "whatif.calm.requests";
  });
}

TEST(RequestsMayCalmTest, NoMoreThanTheBindGrew) {
  const test::Played played = SlowVolumes(4);
  const Fitted before = FitScenario(played.investigation);
  const double grew = Bind(before) - before.quiet().costs[Cost::kBindApi].wall.Mean();
  const Changed changed = After(played, {"bind.request=baseline"});
  EXPECT_TRUE(SaysRequests(changed));
  test::ExpectWrittenInEveryLanguage(changed.assumptions);
  const sim::Distribution& wall = before.now().costs[Cost::kPreBind].wall;
  const double less = Partway(wall, wall, 0).Mean() - PreBind(changed.likely);
  EXPECT_GT(less, 0.05 * grew) << "one pod in nine waits";
  EXPECT_LE(less, (kRequestsAWait + 1) * grew) << "the volumes are as slow as they were";
  EXPECT_EQ(PreBind(changed.extreme), PreBind(before));
}

TEST(RequestsMayCalmTest, NothingWhereTheBindDidNotGrow) {
  const test::Played played = SlowVolumes(1);
  const Changed changed = After(played, {"bind.request=baseline"});
  EXPECT_FALSE(SaysRequests(changed));
  EXPECT_EQ(PreBind(changed.likely), PreBind(FitScenario(played.investigation)));
}

TEST(RequestsMayCalmTest, WhatElseIsSetStaysInEitherOrder) {
  const test::Played played = SlowVolumes(4);
  for (const auto& changes : {std::vector<const char*>{"prebind=3", "bind.request=baseline"},
                              {"bind.request=baseline", "prebind=3"}}) {
    const Changed changed = After(played, changes);
    EXPECT_FALSE(SaysRequests(changed)) << changes.front();
    EXPECT_NEAR(PreBind(changed.likely), 3, 1e-9) << changes.front();
  }
}

}  // namespace
}  // namespace schedlens
