#include "sim/cluster/pod_index.h"

#include <gtest/gtest.h>

#include "sim/bed.h"

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
