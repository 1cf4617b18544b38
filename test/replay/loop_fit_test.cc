#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "replay/change.h"
#include "replay/fit.h"
#include "replay/played.h"

namespace schedlens {
namespace {

using sim::AttemptStage;
using sim::Cost;

/// Chance is not in the bounds: each step is a little longer or shorter than its work.
constexpr double kNear = 1.05;

/// A quiet cluster whose steps take so many times what their unit costs say, without noise.
struct Machine {
  const char* release = "1.30";
  int nodes = 50;
  double factor = 1;
  int parallelism = 16;
  int cores = 0;
};

sim::Scenario On(const Machine& machine) {
  sim::ScenarioOptions options;
  options.kubernetes_version = machine.release;
  sim::Scenario scenario = sim::LoadScenario("healthy", options);
  scenario.nodes.front().count = machine.nodes;
  scenario.simple_placement = true;
  scenario.parallelism = machine.parallelism;
  scenario.incident_start = 30 * sim::kSecond;
  scenario.incident_end = 150 * sim::kSecond;
  scenario.duration = 160 * sim::kSecond;
  for (sim::Segment& segment : scenario.segments) {
    sim::Conditions& c = segment.conditions;
    c.costs.noise = sim::Distribution::Constant(1);
    c.cores = machine.cores;
    c.units = sim::cost::UnitCosts(scenario.release);
    c.units.Calibrate(machine.factor * c.units.core_ns(), machine.factor * c.units.memory_ns());
  }
  return scenario;
}

/// Seconds of one stage of every attempt inside the incident, ascending.
std::vector<double> SecondsOf(const sim::Scenario& scenario, const sim::SimulationResult& result,
                              AttemptStage stage) {
  std::vector<double> out;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    if (attempt.start < scenario.incident_start || attempt.start >= scenario.incident_end) continue;
    out.push_back(sim::ToSeconds(attempt[stage]));
  }
  std::sort(out.begin(), out.end());
  return out;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(LoopFitTest, TheFactorOfTheMachineComesBack) {
  const Machine machines[] = {
      {"1.20", 50, 3},     {"1.26", 400, 0.5}, {"1.30", 1000, 2},    {"1.34", 50, 1},
      {"1.36", 100, 0.25}, {"1.36", 2000, 4},  {"1.30", 50, 1.5, 4}, {"1.36", 400, 2, 16, 1},
      {"1.30", 400, 1, 8}, {"1.23", 80, 10},
  };
  for (const Machine& machine : machines) {
    SCOPED_TRACE(std::string(machine.release) + ", nodes: " + std::to_string(machine.nodes) +
                 ", factor: " + std::to_string(machine.factor));
    const test::Played played = test::PlayScenario(On(machine), 5);
    const LoopFit fit = FitScenario(played.investigation).loop;
    ASSERT_TRUE(fit.known());
    EXPECT_EQ(fit.setting().nodes, machine.nodes);
    EXPECT_EQ(fit.points().size(), 4u);
    for (const PointFit& point : fit.points()) {
      SCOPED_TRACE(ToString(point.name));
      EXPECT_LE(point.factor.low, kNear * machine.factor);
      EXPECT_GE(point.factor.high, machine.factor / kNear);
      const bool as_assumed = machine.parallelism == 16 && machine.cores == 0;
      if (as_assumed) {
        EXPECT_NEAR(point.factor.likely / machine.factor, 1, 0.05);
      }
    }
    EXPECT_LE(fit.machine()->low, kNear * machine.factor);
    EXPECT_GE(fit.machine()->high, machine.factor / kNear);
  }
}

/// A change after the fit, and the machine that it makes.
struct Moved {
  Machine before;
  Machine after;
};

TEST(LoopFitTest, AnotherSettingPredictsWhatIsSimulatedThere) {
  const Moved moves[] = {
      {{"1.30", 50, 2}, {"1.30", 2000, 2}},          {{"1.36", 1000, 1}, {"1.36", 100, 1}},
      {{"1.20", 400, 0.5}, {"1.20", 5000, 0.5}},     {{"1.30", 400, 2}, {"1.30", 400, 2, 1}},
      {{"1.36", 1000, 1}, {"1.36", 1000, 1, 16, 1}},
  };
  for (const Moved& move : moves) {
    SCOPED_TRACE(std::string(move.after.release) + ", nodes: " + std::to_string(move.after.nodes));
    const test::Played played = test::PlayScenario(On(move.before), 5);
    const test::Played truth = test::PlayScenario(On(move.after), 6);
    const Fitted fitted = FitScenario(played.investigation);
    Changed changed{fitted, fitted, false, {}};
    LoopSetting to = fitted.loop.setting();
    to.pods *= static_cast<double>(move.after.nodes) / to.nodes;
    to.nodes = move.after.nodes;
    to.parallelism = move.after.parallelism;
    to.cores = move.after.cores;
    MoveLoop(to, &changed);
    const sim::Scenario replayed = changed.likely.Played(1);
    sim::SimulationResult again;
    ReplayAsSource(replayed, 1, &again);
    using kube::ExtensionPoint;
    for (const auto& [point, stage] : {std::pair{ExtensionPoint::kFilter, AttemptStage::kFilter},
                                       std::pair{ExtensionPoint::kScore, AttemptStage::kScore}}) {
      SCOPED_TRACE(StageName(stage));
      const auto predicted = SecondsOf(replayed, again, stage);
      const Measurement& there = truth.investigation.evidence->now;
      EXPECT_NEAR(Mean(predicted) / there.breakdown.points[point].mean(), 1, 0.1);
      // The form is known as finely as buckets are.
      const auto simulated = SecondsOf(truth.scenario, truth.truth, stage);
      for (const double q : {0.5, 0.8}) {
        const double ratio = NearestRank(predicted, q) / NearestRank(simulated, q);
        EXPECT_GT(ratio, 0.6) << q;
        EXPECT_LT(ratio, 1.6) << q;
      }
    }
  }
}

TEST(LoopFitTest, WhatGoesOverPodsGrowsWithThemAndTheRestDoesNot) {
  const test::Played plain = test::PlayScenario(On({}), 5);
  LoopFit fit = FitScenario(plain.investigation).loop;
  LoopSetting more = fit.setting();
  more.pods *= 10;
  EXPECT_NEAR(fit.Of(Cost::kPreFilter, more).likely, 1, 0.5) << "no pod has terms";
  EXPECT_GE(fit.Of(Cost::kPreFilter, more).most, 10);
  EXPECT_NEAR(fit.Of(Cost::kScore, more).likely, 1, 0.05);
  EXPECT_EQ(fit.Of(Cost::kBindApi, more).most, 1) << "nothing of the loop's";

  sim::Scenario attracted = On({});
  attracted.templates.front().manifest =
      "metadata: {labels: {app: web}}\n"
      "spec: {affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
      "[{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, "
      "labelSelector: {matchLabels: {app: web}}}}]}}}\n";
  attracted.simple_placement = false;
  const test::Played dear = test::PlayScenario(attracted, 5);
  fit = FitScenario(dear.investigation).loop;
  more = fit.setting();
  more.pods *= 10;
  EXPECT_GT(fit.Of(Cost::kPreScore, more).likely, 5);
}

TEST(LoopFitTest, WithoutNodesNothingIsKnownAndNothingChanges) {
  test::Played played = test::PlayScenario(On({}), 5);
  played.investigation.facts = Facts();
  const LoopFit fit(played.investigation, played.investigation.evidence->now, 0);
  EXPECT_FALSE(fit.known());
  EXPECT_FALSE(fit.machine());
  EXPECT_EQ(fit.measured(), "");
  EXPECT_EQ(fit.Of(Cost::kFilter, {5000, 100}).most, 1);
  const Fitted fitted = FitScenario(played.investigation);
  Changed changed{fitted, fitted, false, {}};
  MoveLoop({5000, 100}, &changed);
  EXPECT_FALSE(changed.differ);
  EXPECT_EQ(changed.assumptions.back().id, "whatif.work.unknown");
}

}  // namespace
}  // namespace schedlens
