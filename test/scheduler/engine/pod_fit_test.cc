#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "schedlens/error.h"
#include "scheduler/engine/truth.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kCluster = R"(
name: mixed
kubernetes_version: "1.30"
cluster:
  running: 3
  nodes:
  - {name: small, count: 3, cpu: 4}
  - {name: large, count: 2, cpu: 16, memory: 8Gi}
  - {name: tainted, count: 2, cpu: 64, manifest: {spec: {taints: [{key: gpu, effect: NoSchedule}]}}}
workload: {rate: 0, templates: [{name: web, cpu: 1, memory: 1Gi}]}
)";

std::string Pod(const std::string& requests) {
  return "kind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n"
         "  - {name: c, image: i, resources: {requests: " +
         requests + "}}\n";
}

FitResult Fit(const std::string& manifest) {
  RunOptions run;
  run.scrape = false;
  return StartSimulation(ParseScenario(kCluster, "mixed"), run)->Fit(manifest, "p.yaml");
}

// By hand: each small node runs one pod of 1 core already and has 3 left, each large one has 16.
TEST(Fit, CountsAsByHand) {
  const FitResult two = Fit(Pod("{cpu: 2, memory: 1Gi}"));
  EXPECT_EQ(two.pod, "shop/p");
  EXPECT_EQ(two.count, 3 * 1 + 2 * 8);
  ASSERT_EQ(two.by_node.size(), 5U);
  EXPECT_EQ(two.by_node[0].second, 8);
  EXPECT_EQ(two.by_node[4].second, 1);
  EXPECT_THAT(two.next.message, HasSubstr("0/7 nodes are available"));
  EXPECT_THAT(two.next.message, HasSubstr("2 node(s) had untolerated taint"));

  // Memory stops the large ones: 8Gi hold two pods of 3Gi.
  const FitResult memory = Fit(Pod("{cpu: 3, memory: 3Gi}"));
  EXPECT_EQ(memory.count, 3 * 1 + 2 * 2);
  EXPECT_THAT(memory.next.message, HasSubstr("2 Insufficient memory"));

  EXPECT_EQ(Fit(Pod("{cpu: 17}")).count, 0);
}

TEST(Fit, SaysWhatStopsTheNext) {
  const Scenario scenario = ParseScenario(kCluster, "mixed");
  const FitResult fit = Fit(Pod("{cpu: 2}"));
  const std::string text = FitText(scenario, fit, false);
  EXPECT_THAT(text, HasSubstr("shop/p: 19 more fit (mixed, kube-scheduler 1.30, 7 nodes)"));
  EXPECT_THAT(text, HasSubstr("       8  on each of large-0, large-1\n"));
  EXPECT_THAT(text, HasSubstr("       5  NodeResourcesFit: Insufficient cpu\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;

  const auto json = nlohmann::json::parse(FitJson(scenario, fit));
  EXPECT_EQ(json["schema"], "schedlens.fit/1");
  EXPECT_EQ(json["count"], 19);
  EXPECT_EQ(json["nodes"].size(), 5U);
  for (const auto& row : json["next"]["reasons"]) {
    EXPECT_EQ(row["nodes"], row["reason"] == "Insufficient cpu" ? 5 : 2) << row;
  }
}

TEST(Fit, SaysWhetherAllReplicasFit) {
  const Scenario scenario = ParseScenario(kCluster, "mixed");
  const auto fit = [](int replicas) {
    return Fit(
        fmt::format("kind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec: "
                    "{{replicas: {}, template: {{spec: {{containers: [{{name: c, resources: "
                    "{{requests: {{cpu: 2}}}}}}]}}}}}}\n",
                    replicas));
  };
  EXPECT_THAT(FitText(scenario, fit(19), false),
              testing::StartsWith("shop/web: 19 more fit (mixed, kube-scheduler 1.30, 7 nodes)\n"
                                  "Deployment web asks for 19: all of them fit.\n"));
  EXPECT_THAT(FitText(scenario, fit(20), false),
              HasSubstr("\nDeployment web asks for 20: 19 of them fit.\n"));
  const auto json = nlohmann::json::parse(FitJson(scenario, fit(20)));
  EXPECT_EQ(json["maker"], "Deployment web");
  EXPECT_EQ(json["replicas"], 20);
  EXPECT_EQ(json["count"], 19);
}

TEST(Fit, TextWrapsAtWordsAndCountsTheNamesItLeavesOut) {
  FitResult fit;
  fit.pod = "shop/p";
  fit.next.message = std::string(60, 'a') + " bbbbb cccc dddd";
  fit.by_node = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
  const Scenario scenario = ParseScenario(kCluster, "mixed");
  const std::string text = FitText(scenario, fit, false);
  EXPECT_THAT(text, HasSubstr("The next one: " + std::string(60, 'a') + " bbbbb\n  cccc dddd\n"));
  EXPECT_THAT(text, HasSubstr("       1  on each of a, b, c and 1 more\n"));
  fit.next.message = std::string(100, 'x');  // nowhere to break
  EXPECT_THAT(FitText(scenario, fit, false), HasSubstr("one:\n  " + fit.next.message + "\n"));
}

TEST(Fit, NeedsAProfileThatSchedulesThePod) {
  const std::string manifest = "spec: {schedulerName: other, containers: [{name: c, image: i}]}\n";
  try {
    Fit(manifest);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "p.yaml: no profile schedules pods of schedulerName `other`; there is "
                 "default-scheduler");
  }
}

}  // namespace
}  // namespace schedlens::sim
