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

}  // namespace
}  // namespace schedlens
