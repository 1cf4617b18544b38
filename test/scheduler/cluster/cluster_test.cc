#include "scheduler/cluster/cluster.h"

#include <gtest/gtest.h>

#include "scheduler/bed.h"

namespace schedlens::sim::core {
namespace {

std::string Order(Bed& bed) {
  std::string out;
  for (const NodeId node : bed.cluster.order()) out += bed.Name(node) + " ";
  return out;
}

TEST(Cluster, NodesAreListedZoneByTurn) {
  Bed bed;
  const char* zone = "{topology.kubernetes.io/zone: ";
  bed.Node("a1", std::string(zone) + "a}");
  bed.Node("a2", std::string(zone) + "a}");
  bed.Node("b1", std::string(zone) + "b}");
  bed.Node("none");
  bed.Node("a3", std::string(zone) + "a}");
  EXPECT_EQ(Order(bed), "a1 b1 none a2 a3 ");
  bed.cluster.RemoveNode(0);
  EXPECT_EQ(Order(bed), "a2 b1 none a3 ");
  bed.Node("b1", std::string(zone) + "a}");  // moves to the end of zone a
  EXPECT_EQ(Order(bed), "a2 b1 none a3 ") << "until a node comes or goes";
  bed.Node("a4", std::string(zone) + "a}");
  EXPECT_EQ(Order(bed), "a2 none a3 b1 a4 ");
}

TEST(Cluster, ImageCountsAreRememberedAsOfWhenTheNodeCame) {
  Bed bed;
  const auto node = [&](const char* name, std::int64_t size) {
    Node n;
    n.name = bed.cluster.strings().Intern(name);
    n.images.push_back({{bed.cluster.strings().Intern("img:1")}, size});
    return bed.cluster.AddNode(n);
  };
  const NodeId first = node("a", 100), second = node("b", 999);
  EXPECT_EQ(bed.cluster.node(first).images[0].nodes, 1);
  EXPECT_EQ(bed.cluster.node(second).images[0].nodes, 2);
  EXPECT_EQ(bed.cluster.node(second).images[0].size_bytes, 100) << "the first node's size";
}

TEST(Cluster, From130ImageCountsAreAsOfTheSnapshotAfterAnyChangeOfTheNode) {
  for (const int minor : {29, 30}) {
    Bed bed(minor);
    const auto node = [&](const char* name) {
      Node n;
      n.name = bed.cluster.strings().Intern(name);
      n.images.push_back({{bed.cluster.strings().Intern("img:1")}, 100});
      return bed.cluster.AddNode(n);
    };
    const NodeId first = node("a");
    bed.cluster.TakeSnapshot();
    node("b");
    bed.cluster.TakeSnapshot();
    EXPECT_EQ(bed.cluster.node(first).images[0].nodes, 1) << "nothing changed on it";
    const PodId pod = bed.Pod(bed.Spec("{}", "{}"), first);
    EXPECT_EQ(bed.cluster.node(first).images[0].nodes, 1) << "no snapshot yet";
    bed.cluster.TakeSnapshot();
    EXPECT_EQ(bed.cluster.node(first).images[0].nodes, minor >= 30 ? 2 : 1);
    node("c");
    bed.cluster.DeletePod(pod);
    bed.cluster.TakeSnapshot();
    EXPECT_EQ(bed.cluster.node(first).images[0].nodes, minor >= 30 ? 3 : 1);
  }
}

TEST(Cluster, BooksBalanceOverRandomComingsAndGoings) {
  Random random(7);
  Bed bed;
  RandomNodes(bed, random, 10);
  std::vector<PodId> pods;
  for (int step = 0; step < 2000; ++step) {
    if (pods.empty() || random.Below(2) == 0) {
      const SpecId spec = bed.Spec(RandomLabels(random), RandomSpec(random));
      pods.push_back(bed.Pod(spec, static_cast<NodeId>(random.Below(10))));
    } else {
      const std::size_t at = random.Below(static_cast<std::uint32_t>(pods.size()));
      if (random.Below(3) == 0) bed.cluster.SetTerminating(pods[at]);
      bed.cluster.DeletePod(pods[at]);
      pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (step % 100 != 0) continue;
    for (const NodeId node : bed.cluster.order()) {
      std::int64_t cpu = 0, count = 0;
      for (const PodId pod : pods) {
        if (bed.cluster.pod(pod).node != node) continue;
        cpu += bed.cluster.SpecOf(pod).request.milli_cpu;
        ++count;
      }
      ASSERT_EQ(bed.cluster.node(node).requested.milli_cpu, cpu);
      ASSERT_EQ(bed.cluster.hot(node).used_milli_cpu, cpu);
      ASSERT_EQ(bed.cluster.hot(node).pods, count);
    }
  }
  for (const PodId pod : pods) bed.cluster.DeletePod(pod);
  for (const NodeId node : bed.cluster.order()) {
    EXPECT_EQ(bed.cluster.node(node).nonzero.memory, 0);
    EXPECT_EQ(bed.cluster.node(node).pods_with_affinity, 0);
  }
}

}  // namespace
}  // namespace schedlens::sim::core
