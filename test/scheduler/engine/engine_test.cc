// Processes that restart, stand by and are scraped; runs that are stopped in between.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/base/random.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

TEST(Engine, StoppingInBetweenChangesNothing) {
  const Scenario s = Short("data.reset");
  const auto simulation = StartSimulation(s, {7, true, true, {}});
  Random random(1);
  for (Nanos t = 0; t < s.duration; t += random.Below(3'000'000'000)) {
    simulation->AdvanceTo(t);
    simulation->MetricsPage(0);
  }
  simulation->AdvanceTo(s.duration);
  const SimulationResult a = simulation->Finish();
  EXPECT_EQ(TruthCsv(s, a), TruthCsv(s, RunScenario(s, {7, true, true, {}})));
}

TEST(Engine, ProgressMayStopIt) {
  RunOptions options;
  int calls = 0;
  options.progress = [&](double done) { return ++calls < 3 && done < 1; };
  const SimulationResult run = RunScenario(Short("healthy"), options);
  EXPECT_EQ(calls, 3);
  EXPECT_LT(run.counts.scrapes, 20u);
}

TEST(Engine, AnIdleStandbyExportsZerosAndNoVectors) {
  const SimulationResult run = RunScenario(Short("data.reset"), {1, true, true, {}});
  std::set<std::string> names;
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("pod") != "kube-scheduler-1") continue;
    const std::string name(series.labels.Get("__name__"));
    names.insert(name);
    if (name == "scheduler_scheduling_algorithm_duration_seconds_count") {
      EXPECT_EQ(series.samples.back().v, 0);
    }
  }
  EXPECT_TRUE(names.contains("scheduler_scheduling_algorithm_duration_seconds_count"));
  EXPECT_TRUE(names.contains("scheduler_binding_duration_seconds_count"));
  for (const std::string& name : names) {
    EXPECT_EQ(name.find("e2e"), std::string::npos) << name;
    EXPECT_EQ(name.find("extension_point"), std::string::npos) << name;
  }
}

TEST(Engine, ARestartResetsCountersAndMissesScrapes) {
  Scenario s = Short("data.reset");
  s.actions.front().length = 12 * kSecond;
  const SimulationResult run = RunScenario(s, {1, true, true, {}});
  int misses = 0, resets = 0;
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("pod") != "kube-scheduler-0") continue;
    const std::string_view name = series.labels.Get("__name__");
    if (name == "up") {
      for (const Sample& sample : series.samples) misses += sample.v == 0;
    }
    if (name != "scheduler_scheduling_algorithm_duration_seconds_count") continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      resets += series.samples[i].v < series.samples[i - 1].v;
    }
  }
  EXPECT_GE(misses, 2);
  EXPECT_EQ(resets, 1);
}

}  // namespace
}  // namespace schedlens::sim
