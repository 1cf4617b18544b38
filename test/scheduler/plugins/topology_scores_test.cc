#include <gtest/gtest.h>

#include "scheduler/bed.h"
#include "scheduler/plugins/topology_sums.h"

namespace schedlens::sim::core {
namespace {

// Few values are summed up, many are looked up node by node: the scores are the same, and those of
// every weighted count added at the node.
TEST(TopologyScores, AreTheSameSummedUpAndApart) {
  Random random(11);
  Bed bed;
  RandomNodes(bed, random, 12);
  PodIndex& index = bed.cluster.index();
  Strings& strings = bed.cluster.strings();
  PodAffinityTerm term;
  term.namespaces = {strings.Intern("default")};
  term.selector = {false, {{strings.Intern("app"), Operator::kIn, {strings.Intern("a")}}}};
  const int tally = index.Tally({term}, true);
  for (int i = 0; i < 60; ++i) {
    bed.Pod(bed.Spec(RandomLabels(random), "{containers: [{name: c}]}"),
            bed.cluster.order()[random.Below(12)]);
  }
  const std::vector<NodeId> scored = {3, 0, 7};
  TopologyScores summed, apart;
  summed.Clear(1000);
  apart.Clear(0);
  EXPECT_FALSE(summed.any());
  std::vector<std::int64_t> expected(scored.size(), 0);
  for (const auto& [name, weight] : {std::pair{"host", 3}, {"zone", -5}, {"host", 2}}) {
    const DomainCounts& counts = index.CountsBy(tally, strings.Intern(name));
    summed.Add(counts, weight, index);
    apart.Add(counts, weight, index);
    for (std::size_t i = 0; i < scored.size(); ++i) {
      const auto node = Index(scored[i]);
      if (counts.topology->has[node] == 0) continue;
      expected[i] += weight * counts.of[Index(counts.topology->domain[node])];
    }
  }
  ASSERT_TRUE(summed.any());
  std::vector<std::int64_t> one(scored.size(), 9), other(scored.size(), 9);
  summed.At(scored, one);
  apart.At(scored, other);
  EXPECT_EQ(one, expected);
  EXPECT_EQ(other, expected);
}

TEST(TopologyScores, OfNoPodsThereAreNone) {
  Bed bed;
  bed.Node("a", "{k: x}");
  PodAffinityTerm term;
  term.selector = {false, {{bed.cluster.strings().Intern("app"), Operator::kExists, {}}}};
  PodIndex& index = bed.cluster.index();
  TopologyScores scores;
  scores.Clear(1);
  scores.Add(index.CountsBy(index.Tally({term}, true), bed.cluster.strings().Intern("k")), 7,
             index);
  EXPECT_FALSE(scores.any());
  std::vector<std::int64_t> at = {9};
  scores.At(std::vector<NodeId>{0}, at);
  EXPECT_EQ(at, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace schedlens::sim::core
