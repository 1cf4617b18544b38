#include "scheduler/engine/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace schedlens::sim {
namespace {

Scenario Cluster(const std::string& nodes, const std::string& templates,
                 const std::string& more = "") {
  return ParseScenario(
      "cluster: {nodes: [" + nodes + "]}\nworkload: {templates: [" + templates + "]}\n" + more,
      "cluster");
}

constexpr char kSimple[] = "placement: simple";

TEST(FeasibleLimit, FollowsTheAdaptiveTable) {
  const std::map<int, int> expected = {{99, 99},    {100, 100},   {200, 100},  {250, 120},
                                       {500, 230},  {1000, 420},  {1500, 570}, {2500, 750},
                                       {3125, 781}, {4000, 720},  {5000, 500}, {5625, 281},
                                       {6000, 300}, {10000, 500}, {15000, 750}};
  for (const auto& [nodes, limit] : expected) {
    EXPECT_EQ(core::NumFeasibleNodesToFind(0, nodes), limit) << nodes;
  }
  EXPECT_EQ(core::NumFeasibleNodesToFind(100, 5000), 5000);
  EXPECT_EQ(core::NumFeasibleNodesToFind(1, 5000), 100);
}

TEST(Placement, FillsNodesToTheBrimAndNoFurther) {
  for (const char* mode : {"placement: full", kSimple}) {
    const Scenario s = Cluster("{count: 3, cpu: 1, pods: 4}", "{name: a, cpu: 300m}", mode);
    Placement placement(s, 1);
    std::map<int, int> on;
    for (PodNumber pod = 0; pod < 9; ++pod) {
      const PlacementDecision d = placement.Place(pod, 0);
      ASSERT_GE(d.node, 0) << mode;
      EXPECT_EQ(d.evaluated, 3);
      placement.Assume(pod, 0, d.node);
      ++on[d.node];
    }
    for (const auto& [node, count] : on) EXPECT_EQ(count, 3);
    const PlacementDecision full = placement.Place(9, 0);
    EXPECT_EQ(full.node, -1);
    EXPECT_EQ(full.rejections, kRejectedByResources);
    ASSERT_EQ(full.rejected.size(), 1u);
    EXPECT_EQ(full.rejected[0].plugin, "NodeResourcesFit");
    EXPECT_EQ(full.rejected[0].unschedulable, 3);
    placement.Remove(4);
    EXPECT_GE(placement.Place(9, 0).node, 0);
    EXPECT_TRUE(placement.WithinCapacity());
    placement.Assume(9, 0, placement.Place(9, 0).node);
    placement.Assume(10, 0, 0);
    EXPECT_FALSE(placement.WithinCapacity());
  }
}

// Full placement prefers the emptiest node; simple placement takes any that fits.
TEST(Placement, SimpleOnesAreUniformFullOnesScored) {
  const auto spread = [](const std::string& mode) {
    const Scenario s =
        Cluster("{count: 2, cpu: 64}, {name: busy, count: 1, cpu: 64}", "{name: a, cpu: 1}", mode);
    Placement placement(s, 3);
    for (PodNumber pod = 0; pod < 20; ++pod) placement.Assume(pod, 0, 2);
    int busy = 0;
    for (int i = 0; i < 600; ++i) busy += placement.Place(50, 0).node == 2;
    return busy;
  };
  EXPECT_EQ(spread("placement: full"), 0);
  EXPECT_NEAR(spread(kSimple), 200, 40);
}

TEST(Placement, PreemptsTheFewestAndLeastImportant) {
  const Scenario s = Cluster("{count: 2, cpu: 1}",
                             "{name: low, cpu: 500m}, {name: mid, cpu: 250m, priority: 5},"
                             "{name: high, cpu: 500m, priority: 9}");
  Placement placement(s, 1);
  placement.Assume(0, 0, 0);
  placement.Assume(1, 0, 0);
  for (PodNumber pod = 2; pod < 6; ++pod) placement.Assume(pod, 1, 1);
  ASSERT_EQ(placement.Place(9, 2).node, -1);
  const PreemptionPlan plan = placement.Preempt(9, 2);
  EXPECT_EQ(plan.node, 0) << "its victims have the lower priority";
  EXPECT_EQ(plan.victims.size(), 1u) << "one gets a reprieve";
  ASSERT_EQ(placement.Place(10, 0).node, -1);
  EXPECT_EQ(placement.Preempt(10, 0).node, -1) << "nobody is less important";
}

TEST(Placement, NominatedRoomIsKeptFromOthers) {
  const Scenario s =
      Cluster("{count: 1, cpu: 1}", "{name: low, cpu: 600m}, {name: high, cpu: 600m, priority: 9}");
  Placement placement(s, 1);
  placement.Nominate(7, 1, 0);
  EXPECT_EQ(placement.Place(8, 0).node, -1);
  const PlacementDecision own = placement.Place(7, 1);
  EXPECT_EQ(own.node, 0);
  EXPECT_TRUE(own.alone_tried && own.alone_taken);
  placement.Nominate(7, 1, -1);
  EXPECT_EQ(placement.Place(8, 0).node, 0);
}

// Constraints of all kinds, from the manifests.
TEST(Placement, ManifestsCount) {
  const Scenario s = Cluster(
      "{name: db, count: 1, manifest: {spec: {taints: [{key: t, effect: NoSchedule}]}}},"
      "{name: any, count: 2, zones: 2, labels: {disk: ssd}}",
      "{name: plain}, {name: db, manifest: {spec: {tolerations: [{key: t, operator: Exists}], "
      "nodeSelector: {kubernetes.io/hostname: db-0}}}},"
      "{name: lonely, manifest: {metadata: {labels: {app: lonely}}, spec: {affinity: "
      "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: lonely}}}]}}}}},"
      "{name: friend, manifest: {spec: {affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
      "labelSelector: {matchLabels: {app: lonely}}}]}}}}}");
  Placement placement(s, 1);
  const PlacementDecision plain = placement.Place(0, 0);
  EXPECT_EQ(plain.feasible, 2);
  ASSERT_EQ(plain.rejected.size(), 1u);
  EXPECT_EQ(plain.rejected[0].plugin, "TaintToleration");
  EXPECT_EQ(plain.rejected[0].unresolvable, 1);
  EXPECT_EQ(placement.NodeName(placement.Place(1, 1).node), "db-0");
  const PlacementDecision waits = placement.Place(2, 3);
  EXPECT_EQ(waits.rejections, kRejectedByTaints | kRejectedByInterPodAffinity);
  EXPECT_TRUE(placement.Attracts(2, 3));
  EXPECT_FALSE(placement.Attracts(0, 3));
  placement.Assume(3, 2, placement.Place(3, 2).node);
  EXPECT_EQ(placement.Place(4, 2).feasible, 1) << "the other zone";
  EXPECT_EQ(placement.Place(2, 3).feasible, 1) << "next to the pod that attracts it";
}

TEST(Placement, ADeletedNodeTakesItsPodsAlong) {
  const Scenario s = Cluster("{count: 2, cpu: 1}", "{name: a, cpu: 300m}");
  Placement placement(s, 1);
  placement.Assume(0, 0, 1);
  EXPECT_EQ(placement.DeleteNode(1), std::vector<PodNumber>{0});
  EXPECT_EQ(placement.node_count(), 1);
  EXPECT_EQ(placement.Place(1, 0).node, 0);
  EXPECT_EQ(placement.AddNode(0), 2);
  EXPECT_EQ(placement.NodeName(2), "node-2");
}

TEST(Placement, ExtendersTakeNodesOffAndScore) {
  const Scenario none =
      Cluster("{count: 5}", "{name: a}", "extenders: [{verbs: [filter], rejects: 1}]");
  Placement nowhere(none, 1);
  const PlacementDecision d = nowhere.Place(0, 0);
  EXPECT_EQ(d.node, -1);
  EXPECT_EQ(d.evaluated, 5);
  EXPECT_EQ(d.feasible, 0);
  EXPECT_EQ(d.rejections, kRejectedByNobody) << "no plugin rejected it: any event wakes it";
  // A heavy prioritize beats LeastAllocated: full nodes are chosen too.
  const Scenario scored = Cluster("{count: 2, cpu: 10}", "{name: a, cpu: 1}",
                                  "extenders: [{verbs: [prioritize], weight: 1000}]");
  Placement placement(scored, 1);
  for (PodNumber pod = 0; pod < 5; ++pod) placement.Assume(pod, 0, 0);
  int on_full = 0;
  for (int i = 0; i < 100; ++i) on_full += placement.Place(9, 0).node == 0;
  EXPECT_GT(on_full, 20);
}

}  // namespace
}  // namespace schedlens::sim
