#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "scheduler/framework/algorithm.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

// One node holds one pod; the built-in constraints are switched off.
Scenario Batch(const std::string& version, const std::string& defaulting, const std::string& more) {
  return ParseScenario(
      "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"" + version +
          "\"\ncluster: {nodes: [{count: 40, cpu: 1}]}\nscheduler:\n  configuration: {apiVersion: "
          "kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: "
          "[{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [], "
          "defaultingType: " +
          defaulting + "}}]}]}\nworkload: {rate: 0, templates: [{name: web, cpu: 0.8}, {name: " +
          "other, cpu: 0.9}]}\n" + more,
      "batch");
}

std::map<std::string, double> By(const SimulationResult& run, const std::string& metric,
                                 const std::string& label) {
  return LastBy(run, "scheduler_" + metric, label);
}

constexpr char kBurst[] = "actions: [{at: 5s, do: burst, count: 20, template: web}]\n";

TEST(NodeHints, PodsOfOneKindFollowTheFirstOnesScores) {
  const SimulationResult run = RunScenario(Batch("1.36", "List", kBurst), {1, true, true, {}});
  EXPECT_EQ(run.counts.pods_bound, 20u);
  EXPECT_THAT(
      By(run, "batch_attempts_total", "result"),
      testing::UnorderedElementsAre(testing::Pair("no_hint", 1), testing::Pair("hint_used", 19)));
  std::set<int> nodes;
  int alone = 0;
  for (const AttemptRecord& a : run.attempts) {
    alone += a.evaluated == 1;
    nodes.insert(a.node);
    if (a.evaluated > 1) continue;
    EXPECT_EQ(a[AttemptStage::kScore], 0);
  }
  EXPECT_EQ(alone, 19);
  EXPECT_EQ(nodes.size(), 20u);
  EXPECT_EQ(By(run, "framework_extension_point_duration_seconds_count", "extension_point")["Score"],
            1);
}

TEST(NodeHints, ThePodsStorySaysThatItTookOne) {
  RunOptions options{1, true, true, {}};
  for (const auto& [pod, says] :
       std::map<const char*, bool>{{"default/web-000001", false}, {"default/web-000002", true}}) {
    options.watch = pod;
    const SimulationResult run = RunScenario(Batch("1.36", "List", kBurst), options);
    ASSERT_EQ(run.watched->attempts.size(), 1u);
    EXPECT_EQ(run.watched->attempts[0].why.find("tried first and taken") != std::string::npos,
              says);
  }
}

TEST(NodeHints, NobodyTakesOneBefore135OrWithTheBuiltInConstraints) {
  const SimulationResult old = RunScenario(Batch("1.34", "List", kBurst), {1, true, true, {}});
  EXPECT_TRUE(By(old, "batch_attempts_total", "result").empty());
  std::string plain = kBurst;
  Scenario s = ParseScenario(
      "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"1.36\"\ncluster: "
      "{nodes: [{count: 40, cpu: 1}]}\nworkload: {rate: 0, templates: [{name: web, cpu: 0.8}]}\n" +
          plain,
      "plain");
  const SimulationResult run = RunScenario(s, {1, true, true, {}});
  EXPECT_EQ(By(run, "batch_attempts_total", "result")["no_hint"], 20);
  EXPECT_EQ(By(run, "batch_cache_flushed_total", "reason")["pod_not_batchable"], 20);
}

TEST(NodeHints, ScoresAreDroppedForAReasonThatIsCounted) {
  const struct {
    const char* actions;
    const char* reason;
  } rows[] = {
      {"[{at: 5s, do: burst, template: web}, {at: 6s, do: burst, template: web}]", "expired"},
      {"[{at: 5s, do: burst, template: web}, {at: 5s, do: burst, template: other}]",
       "pod_incompatible"},
  };
  for (const auto& row : rows) {
    const SimulationResult run = RunScenario(
        Batch("1.36", "List", std::string("actions: ") + row.actions), {1, true, true, {}});
    EXPECT_EQ(By(run, "batch_cache_flushed_total", "reason")[row.reason], 1) << row.reason;
    EXPECT_EQ(By(run, "batch_attempts_total", "result")["no_hint"], 2) << row.reason;
  }
  // Two of them fit on a node.
  Scenario roomy = Batch("1.36", "List", kBurst);
  roomy.nodes[0].cpu = 8;
  const SimulationResult run = RunScenario(roomy, {1, true, true, {}});
  EXPECT_EQ(By(run, "batch_cache_flushed_total", "reason")["node_not_full"], 19);
}

TEST(NodeHints, From137ANodeWithRoomIsScoredAnewAndNoReason) {
  Scenario roomy = Batch("1.37", "List", kBurst);
  roomy.nodes[0].cpu = 8;
  const SimulationResult run = RunScenario(roomy, {1, true, true, {}});
  EXPECT_THAT(
      By(run, "batch_attempts_total", "result"),
      testing::UnorderedElementsAre(testing::Pair("no_hint", 1), testing::Pair("hint_used", 19)));
  EXPECT_EQ(By(run, "batch_rescore_attempts_total", "profile")["default-scheduler"], 19);
  EXPECT_TRUE(By(run, "batch_cache_flushed_total", "reason").empty());
}

}  // namespace
}  // namespace schedlens::sim
