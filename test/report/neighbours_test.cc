#include "report/neighbours.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

Diagnosis WithServers(double seen, double all) {
  NeighboursSeen n;
  n.apiserver.seen = seen;
  n.apiserver.instances = {all, seen, std::nullopt, "count", BasisKind::kNeighbours};
  n.apiserver.covered = Exact(seen / all, "1");
  n.etcd.missing = {Message("neighbours.missing.etcd")};
  Diagnosis d;
  d.neighbours = n;
  d.gaps = {Message("gap.nothing", {{"command", "schedlens doctor"}})};
  return d;
}

TEST(NeighboursSentenceTest, SaysHowManyAreThereAndWhatTheyAnswered) {
  EXPECT_EQ(NeighboursSentence(Messages("en"), WithServers(1, 4)),
            "API servers: 1 of 4, with 25.0 % of the bindings; etcd: none in this source; "
            "kube-state-metrics: none in this source");
}

TEST(NeighboursSentenceTest, IsNotGivenWhereNobodyAsksForThem) {
  Diagnosis d = WithServers(0, 1);
  EXPECT_EQ(NeighboursSentence(Messages("en"), d), "");
  EXPECT_EQ(GapSentences(Messages("en"), d).size(), 1u);
  d.findings.emplace_back().id = "bind.apiserver";
  EXPECT_NE(NeighboursSentence(Messages("en"), d), "");
  EXPECT_EQ(GapSentences(Messages("en"), d).size(), 2u) << "the gap, and etcd's metrics";
  EXPECT_EQ(NeighboursSentence(Messages("en"), Diagnosis()), "");
}

}  // namespace
}  // namespace schedlens
