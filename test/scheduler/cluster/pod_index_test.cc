#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scheduler/bed.h"
#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::core {
namespace {

TEST(PodIndex, CountsAgreeWithCountingFromScratch) {
  Random random(3);
  Bed bed;
  RandomNodes(bed, random, 8);
  Strings& strings = bed.cluster.strings();
  PodAffinityTerm term;
  term.namespaces = {strings.Intern("default")};
  term.selector = {false, {{strings.Intern("app"), Operator::kIn, {strings.Intern("a")}}}};
  PodIndex& index = bed.cluster.index();
  const int all = index.Tally({term}, true), living = index.Tally({term}, false);
  EXPECT_EQ(index.Tally({term}, true), all) << "equal questions share a number";
  std::vector<PodId> pods;
  for (int step = 0; step < 600; ++step) {
    const auto choice = random.Below(5);
    if (pods.empty() || choice < 3) {
      const SpecId spec = bed.Spec(RandomLabels(random), "{containers: [{name: c}]}");
      pods.push_back(bed.Pod(spec, static_cast<NodeId>(random.Below(8))));
    } else if (choice == 3) {
      bed.cluster.SetTerminating(pods[random.Below(static_cast<std::uint32_t>(pods.size()))]);
    } else {
      bed.cluster.DeletePod(pods.back());
      pods.pop_back();
    }
    if (step == 300) RandomNodes(bed, random, 8);  // changes every node: counts start afresh
    for (const NodeId node : bed.cluster.order()) {
      std::int32_t matching = 0, terminating = 0;
      for (const PodId pod : bed.cluster.node(node).pods) {
        if (!Matches(term, bed.cluster.SpecOf(pod), bed.cluster)) continue;
        ++matching;
        terminating += bed.cluster.pod(pod).terminating;
      }
      ASSERT_EQ(index.Counts(all)[static_cast<std::size_t>(node)], matching) << step;
      ASSERT_EQ(index.Counts(living)[static_cast<std::size_t>(node)], matching - terminating);
    }
  }
}

// Pods with and without affinity come and go, nodes too: sums by value of a key are those of the
// counts by node, of a tally and of each spec with affinity.
TEST(PodIndex, SumsByTopologyAgreeWithCountsByNode) {
  Random random(7);
  Bed bed;
  RandomNodes(bed, random, 12);
  Strings& strings = bed.cluster.strings();
  PodAffinityTerm term;
  term.namespaces = {strings.Intern("default")};
  term.selector = {false, {{strings.Intern("app"), Operator::kIn, {strings.Intern("a")}}}};
  PodIndex& index = bed.cluster.index();
  const int tally = index.Tally({term}, true);
  std::vector<SpecId> specs;
  for (int i = 0; i < 6; ++i) specs.push_back(bed.Spec(RandomLabels(random), RandomSpec(random)));
  std::vector<PodId> pods;
  for (int step = 0; step < 800; ++step) {
    if (pods.size() < 4 || random.Below(2) == 0) {
      const NodeId node =
          bed.cluster.order()[random.Below(static_cast<std::uint32_t>(bed.cluster.node_count()))];
      pods.push_back(bed.Pod(specs[random.Below(6)], node));
    } else {
      std::swap(pods[random.Below(static_cast<std::uint32_t>(pods.size()))], pods.back());
      bed.cluster.DeletePod(pods.back());
      pods.pop_back();
    }
    if (step % 200 == 199) bed.cluster.RemoveNode(bed.cluster.order().front());
    for (const char* name : {"host", "zone", "rack"}) {
      const Id key = strings.Intern(name);
      const Topology& topology = index.TopologyOf(key);
      const auto sums = [&](const auto& count_of) {
        std::vector<std::int32_t> out(Index(topology.domains), 0);
        for (const NodeId node : bed.cluster.order()) {
          if (topology.has[Index(node)] == 0) continue;
          out[Index(topology.domain[Index(node)])] += count_of(node);
        }
        return out;
      };
      ASSERT_EQ(index.CountsBy(tally, key).of,
                sums([&](NodeId node) { return index.Counts(tally)[Index(node)]; }));
      const auto& of = index.CountsBy(tally, key).of;
      ASSERT_EQ(index.CountsBy(tally, key).pods, std::accumulate(of.begin(), of.end(), 0));
      for (std::size_t i = 0; i < index.carriers().size(); ++i) {
        const SpecId spec = index.carriers()[i].spec;
        ASSERT_EQ(index.CarrierBy(i, key).of, sums([&](NodeId node) {
                    const auto& on = bed.cluster.node(node).pods;
                    return std::count_if(on.begin(), on.end(), [&](PodId pod) {
                      return bed.cluster.pod(pod).spec == spec;
                    });
                  }));
      }
    }
  }
}

TEST(PodIndex, ANodeWithoutTheKeyIsToldFromOneWithAnEmptyValue) {
  Bed bed;
  bed.Node("a", "{k: x}");
  bed.Node("b");
  bed.Node("c", "{k: ''}");
  const Topology& topology = bed.cluster.index().TopologyOf(bed.cluster.strings().Intern("k"));
  EXPECT_EQ(topology.domains, 2);
  EXPECT_EQ(topology.nodes_with_key, 2);
  EXPECT_EQ(topology.domain[1], topology.domain[2]);
  EXPECT_FALSE(topology.has[1]);
  EXPECT_TRUE(topology.has[2]);
}

}  // namespace
}  // namespace schedlens::sim::core
