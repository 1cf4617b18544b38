// Time from work: what a whole simulation's attempts take, where the scenario does not say.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scheduler/engine/scheduling_loop.h"
#include "scheduler/engine/simulation.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

SimulationResult Play(const std::string& yaml) {
  return RunScenario(ParseScenario("costs: {noise: 1}\nduration: 30s\n" + yaml, "costs"),
                     {1, true, false, {}});
}

/// The median of a stage, microseconds.
double Median(const SimulationResult& run, AttemptStage stage) {
  std::vector<double> us;
  for (const AttemptRecord& a : run.attempts) us.push_back(ToSeconds(a[stage]) * 1e6);
  if (us.empty()) return -1;
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

std::string Nodes(int count, const std::string& workload) {
  return fmt::format("cluster: {{nodes: [{{count: {}, zones: 3}}], running: {}}}\nworkload: {{{}}}",
                     count, 10 * count, workload);
}

TEST(LoopCosts, PodsWithTermsPayForTheScansOfTheirPlugins) {
  const std::string spread =
      "rate: 5, templates: [{name: web, life: 2s, manifest: {metadata: {labels: {app: web}}, spec: "
      "{topologySpreadConstraints: [{labelSelector: {matchLabels: {app: web}}, maxSkew: 5, "
      "topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]}}}]";
  const std::string plain = "rate: 5, templates: [{name: web, life: 2s}]";
  const double with = Median(Play(Nodes(1000, spread)), AttemptStage::kPreFilter);
  const double without = Median(Play(Nodes(1000, plain)), AttemptStage::kPreFilter);
  EXPECT_GT(with, 20 * without);
  // The scan goes over all pods: ten times as many.
  EXPECT_GT(with, 6 * Median(Play(Nodes(100, spread)), AttemptStage::kPreFilter));
  EXPECT_NEAR(without, Median(Play(Nodes(100, plain)), AttemptStage::kPreFilter), 1);
}

TEST(LoopCosts, PluginMetricsShowWhichPluginTookTheTime) {
  const std::string spread =
      "rate: 30, templates: [{name: web, life: 2s, manifest: {metadata: {labels: {app: web}}, "
      "spec: {topologySpreadConstraints: [{labelSelector: {matchLabels: {app: web}}, maxSkew: 5, "
      "topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]}}}]";
  const SimulationResult run =
      RunScenario(ParseScenario("costs: {noise: 1}\nduration: 30s\n" + Nodes(500, spread), "costs"),
                  {1, false, true, {}});
  std::map<std::string, double> seconds;
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("__name__") == "scheduler_plugin_execution_duration_seconds_sum" &&
        series.labels.Get("extension_point") == "PreFilter") {
      seconds[std::string(series.labels.Get("plugin"))] += series.samples.back().v;
    }
  }
  ASSERT_TRUE(seconds.contains("NodeResourcesFit"));
  EXPECT_GT(seconds["PodTopologySpread"], 50 * seconds["NodeResourcesFit"]);
}

TEST(LoopCosts, CoresShareTheNodes) {
  const auto filter = [](int cores, int parallelism) {
    return Median(
        Play(
            Nodes(2000, fmt::format("rate: 5, cores: {}, templates: [{{life: 2s}}]", cores)) +
            fmt::format("\nscheduler: {{percentage_of_nodes: 100, parallelism: {}}}", parallelism)),
        AttemptStage::kFilter);
  };
  const double one = filter(1, 16), four = filter(4, 16);
  EXPECT_GT(one, 3 * four);
  EXPECT_GT(four, filter(16, 16));
  EXPECT_GT(filter(16, 4), 1.5 * filter(16, 16));
}

TEST(LoopCosts, AGivenCostReplacesTheComputedTimeOfItsPointOnly) {
  const std::string plain = "rate: 5, templates: [{life: 2s}], ";
  const SimulationResult given = Play(Nodes(100, plain + "costs: {filter: 50ms}"));
  const SimulationResult computed = Play(Nodes(100, plain));
  EXPECT_DOUBLE_EQ(Median(given, AttemptStage::kFilter), 50'000);
  EXPECT_LT(Median(computed, AttemptStage::kFilter), 200);
  EXPECT_NEAR(Median(given, AttemptStage::kScore), Median(computed, AttemptStage::kScore), 15);
}

TEST(LoopCosts, UnitCostsAreOverriddenByName) {
  const std::string plain = "rate: 5, templates: [{life: 2s}], cores: 1, ";
  const auto filter = [&](const std::string& units) {
    return Median(Play(Nodes(100, plain + "unit_costs: {" + units + "}")), AttemptStage::kFilter);
  };
  const double before = filter("");
  EXPECT_NEAR(filter("filter.NodeName: 10") - before, 1000, 150);
  EXPECT_NEAR(filter("filter.NodeName: 10us"), filter("filter.NodeName: 10"), 1e-6);
  EXPECT_NEAR(filter("filter.NodeName: {hot_us: 10, cold_us: 20}"), filter("filter.NodeName: 10"),
              1e-6);
  EXPECT_NEAR(filter("core_ns: 4.01334") / before, 2, 0.1);
}

TEST(LoopCosts, AnExtenderThatRejectsEveryNodeCostsItsCall) {
  const SimulationResult run =
      Play(Nodes(20, "rate: 2, templates: [{pending_life: 5s}], costs: {ext_filter: 20ms}") +
           "\nextenders: [{verbs: [filter], rejects: 1}]");
  ASSERT_GT(run.attempts.size(), 10u);
  for (const AttemptRecord& a : run.attempts) {
    EXPECT_EQ(a.result, AttemptResult::kUnschedulable);
    EXPECT_EQ(a[AttemptStage::kExtFilter], 20 * kMillisecond);
  }
}

TEST(LoopCosts, AnExtendersCallCostsWhatIsSentUnlessTheScenarioGivesIt) {
  const auto call = [](const std::string& more) {
    return Median(Play(Nodes(500, "rate: 2, templates: [{life: 2s}]") +
                       "\nextenders: [{verbs: [filter]" + more + "}]"),
                  AttemptStage::kExtFilter);
  };
  EXPECT_NEAR(call("") - call(", names_only: true"), 230 * 65, 230 * 20);
}

TEST(LoopCosts, GarbageIsCollectedIfAskedFor) {
  const std::string plain = "rate: 200, cores: 1, templates: [{life: 1s}], gc: ";
  const auto total = [&](const std::string& gc) {
    double sum = 0;
    for (const AttemptRecord& a : Play(Nodes(500, plain + gc)).attempts) {
      sum += ToSeconds(a.algorithm);
    }
    return sum;
  };
  const double without = total("false"), with = total("true");
  EXPECT_GT(with, 1.05 * without);
  EXPECT_LT(with, 1.5 * without);
}

TEST(LoopCosts, TheProcessPaysForItsGarbage) {
  const std::string plain = "rate: 200, cores: 2, templates: [{life: 1s}], gc: ";
  const auto cpu = [&](const std::string& gc) {
    const std::string yaml = "costs: {noise: 1}\nduration: 30s\n" + Nodes(500, plain + gc);
    return Last(RunScenario(ParseScenario(yaml, "costs"), {1, false, true, {}}),
                "process_cpu_seconds_total");
  };
  const double without = cpu("false"), with = cpu("true");
  EXPECT_GT(with, 1.03 * without);
  EXPECT_LT(with, 1.6 * without);
}

}  // namespace
}  // namespace schedlens::sim
