#include "sim/placement.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/random.h"

namespace schedlens::sim {
namespace {

Scenario Cluster(const std::string& nodes, const std::string& templates) {
  return ParseScenario(
      "cluster: {nodes: [" + nodes + "]}\nworkload: {templates: [" + templates + "]}", "cluster");
}

TEST(FeasibleLimit, FollowsTheAdaptiveTable) {
  const std::map<int, int> expected = {{99, 99},    {100, 100},   {200, 100},  {250, 120},
                                       {500, 230},  {1000, 420},  {1500, 570}, {2500, 750},
                                       {3125, 781}, {4000, 720},  {5000, 500}, {5625, 281},
                                       {6000, 300}, {10000, 500}, {15000, 750}};
  for (const auto& [nodes, limit] : expected) EXPECT_EQ(FeasibleLimit(nodes, 0), limit) << nodes;
  EXPECT_EQ(FeasibleLimit(5000, 100), 5000);
  EXPECT_EQ(FeasibleLimit(5000, 1), 100);
}

TEST(SimplePlacement, FillsNodesToTheBrimAndNoFurther) {
  const Scenario s = Cluster("{count: 3, cpu: 1, pods: 4}", "{name: a, cpu: 300m}");
  const auto placement = MakeSimplePlacement(s, 1);
  std::map<int, int> on;
  for (PodId pod = 0; pod < 9; ++pod) {
    const PlacementDecision d = placement->Place(pod, 0);
    ASSERT_GE(d.node, 0);
    EXPECT_EQ(d.evaluated, 3);
    placement->Assume(pod, 0, d.node);
    ++on[d.node];
  }
  for (const auto& [node, count] : on) EXPECT_EQ(count, 3);
  const PlacementDecision full = placement->Place(9, 0);
  EXPECT_EQ(full.node, -1);
  EXPECT_EQ(full.rejecting_plugin, "NodeResourcesFit");
  EXPECT_FALSE(full.unresolvable);
  placement->Remove(4);
  EXPECT_GE(placement->Place(9, 0).node, 0);
  EXPECT_TRUE(placement->WithinCapacity());
}

TEST(SimplePlacement, PreemptsTheFewestAndLeastImportant) {
  const Scenario s = Cluster("{count: 2, cpu: 1}",
                             "{name: low, cpu: 500m}, {name: mid, cpu: 250m, priority: 5},"
                             "{name: high, cpu: 500m, priority: 9}");
  const auto placement = MakeSimplePlacement(s, 1);
  placement->Assume(0, 0, 0);
  placement->Assume(1, 0, 0);
  for (PodId pod = 2; pod < 6; ++pod) placement->Assume(pod, 1, 1);
  ASSERT_EQ(placement->Place(9, 2).node, -1);
  const PreemptionPlan plan = placement->Preempt(9, 2);
  EXPECT_EQ(plan.node, 0) << "its victims have the lower priority";
  EXPECT_EQ(plan.victims.size(), 1u) << "one gets a reprieve";
  EXPECT_EQ(placement->Preempt(9, 0).node, -1) << "nobody is less important";
}

TEST(SimplePlacement, NominatedRoomIsKeptFromOthers) {
  const Scenario s =
      Cluster("{count: 1, cpu: 1}", "{name: low, cpu: 600m}, {name: high, cpu: 600m, priority: 9}");
  const auto placement = MakeSimplePlacement(s, 1);
  placement->Nominate(7, 1, 0);
  EXPECT_FALSE(placement->Fits(8, 0, 0));
  EXPECT_TRUE(placement->Fits(7, 1, 0)) << "its own";
  placement->Nominate(7, 1, -1);
  EXPECT_TRUE(placement->Fits(8, 0, 0));
}

TEST(SimplePlacement, ADeletedNodeTakesItsPodsAlong) {
  const Scenario s = Cluster("{count: 2, cpu: 1}", "{name: a, cpu: 300m}");
  const auto placement = MakeSimplePlacement(s, 1);
  placement->Assume(0, 0, 1);
  EXPECT_EQ(placement->DeleteNode(1), std::vector<PodId>{0});
  EXPECT_EQ(placement->node_count(), 1);
  EXPECT_EQ(placement->Place(1, 0).node, 0);
  EXPECT_EQ(placement->AddNode(0), 2);
  EXPECT_EQ(placement->NodeName(2), "node-2");
}

}  // namespace
}  // namespace schedlens::sim
