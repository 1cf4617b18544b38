#include "scheduler/framework/framework.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "scheduler/bed.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim::core {
namespace {

TEST(Framework, NominatedPodsOfEqualPriorityTakeTheirRoom) {
  Bed bed;
  const NodeId node = bed.Node("n", "{}", 1);
  const PodId waiting = bed.Pod(bed.Spec("{}", "{" + Containers(800, 64) + ", priority: 5}"));
  bed.cluster.Nominate(waiting, node);
  Framework framework(bed.cluster, DefaultConfiguration(Release{26}), 0, {});
  for (const int priority : {0, 5, 6}) {
    const PodId pod =
        bed.Pod(bed.Spec("{}", fmt::format("{{{}, priority: {}}}", Containers(500, 64), priority)));
    const Attempt attempt = framework.MakeAttempt(pod);
    PreFilterNodes nodes;
    std::int32_t rejecting = kNone;
    ASSERT_EQ(framework.PreFilter(attempt, nodes, rejecting), Code::kSuccess);
    const FilterVerdict verdict = framework.Filter(attempt, node);
    EXPECT_EQ(verdict.code == Code::kSuccess, priority == 6) << priority;
    EXPECT_EQ(verdict.nominated_pods, priority < 6);
    const auto why = framework.Explain(attempt, node, verdict, true);
    if (priority < 6) {
      ASSERT_EQ(why.size(), 1U);
      EXPECT_EQ(why[0].reasons, std::vector<std::string>{"Insufficient cpu"});
    }
  }
}

// A plugin that skips at PreFilter is not asked again, whatever nominated pods bring.
TEST(Framework, From127ASkippedPluginDoesNotSeeNominatedPods) {
  for (const int minor : {26, 27}) {
    Bed bed(minor);
    const NodeId node = bed.Node("n", "{host: n}");
    const PodId waiting = bed.Pod(bed.Spec(
        "{}", "{" + Containers(100, 64) +
                  ", priority: 5, affinity: {podAntiAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: "
                  "{app: web}}, topologyKey: host}]}}}"));
    bed.cluster.Nominate(waiting, node);
    Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
    const PodId pod = bed.Pod(bed.Spec("{app: web}", "{" + Containers(100, 64) + "}"));
    const Attempt attempt = framework.MakeAttempt(pod);
    PreFilterNodes nodes;
    std::int32_t rejecting = kNone;
    framework.PreFilter(attempt, nodes, rejecting);
    EXPECT_EQ(framework.Filter(attempt, node).code == Code::kSuccess, minor == 27) << minor;
  }
}

// Random pods and nodes, half of the beds with a nominated pod, half without any taint.
TEST(Framework, SeveralNodesAtOnceAreJudgedAndScoredAsOneByOne) {
  int judged = 0, refused = 0, scored = 0;
  for (const int minor : {20, 24, 26, 27, 30, 34, 36, 37}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Bed bed(minor);
      Random random(seed, 5);
      if (seed % 2 == 0) {
        RandomNodes(bed, random, 20);
      } else {
        for (int i = 0; i < 20; ++i) {
          bed.Node(fmt::format("n{}", i), fmt::format("{{host: n{}, zone: z{}}}", i, i % 3));
        }
      }
      for (NodeId node = 0; node < 20; ++node) {
        bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)), node);
      }
      if (seed % 4 < 2) {
        bed.cluster.Nominate(bed.Pod(bed.Spec("{}", "{" + Containers(1500, 64) + "}")), 3);
      }
      Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
      const Attempt attempt =
          framework.MakeAttempt(bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random))));
      PreFilterNodes subset;
      std::int32_t rejecting = kNone;
      if (framework.PreFilter(attempt, subset, rejecting) != Code::kSuccess) continue;
      std::vector<NodeId> left(bed.cluster.order().begin(), bed.cluster.order().end()), passed;
      std::vector<std::pair<NodeId, FilterVerdict>> rejected;
      framework.FilterNodes(attempt, left, rejected);
      std::map<NodeId, FilterVerdict> verdicts(rejected.begin(), rejected.end());
      for (const NodeId node : bed.cluster.order()) {
        const FilterVerdict one = framework.Filter(attempt, node);
        if (one.code == Code::kSuccess) passed.push_back(node);
        ASSERT_EQ(verdicts.contains(node), one.code != Code::kSuccess) << seed;
        const FilterVerdict& among = verdicts[node];
        EXPECT_EQ(std::tie(among.code, among.plugin, among.failed_pass),
                  std::tie(one.code, one.plugin, one.failed_pass));
        ++judged;
      }
      EXPECT_EQ(left, passed);
      refused += static_cast<int>(rejected.size());
      if (passed.size() < 2) continue;
      std::vector<std::int64_t> totals, in_full;
      std::vector<std::vector<std::int64_t>> raw, norm;
      framework.Score(attempt, passed, totals, nullptr, nullptr);
      framework.Score(attempt, passed, in_full, &raw, &norm);
      EXPECT_EQ(totals, in_full) << minor << " " << seed;
      ++scored;
    }
  }
  EXPECT_GT(refused, judged / 10);
  EXPECT_GT(scored, 50);
}

std::string Scoring(int minor, const char* spec) {
  Bed bed(minor);
  const NodeId nodes[] = {bed.Node("a"), bed.Node("b")};
  Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
  const Attempt attempt = framework.MakeAttempt(bed.Pod(bed.Spec("{}", spec)));
  PreFilterNodes subset;
  std::int32_t rejecting = kNone;
  framework.PreFilter(attempt, subset, rejecting);
  std::vector<std::int64_t> totals;
  framework.Score(attempt, nodes, totals, nullptr, nullptr);
  std::string out;
  for (const std::int32_t i : framework.scoring()) {
    out += framework.At(ExtensionPoint::kScore)[Index(i)].name + " ";
  }
  return out;
}

TEST(Framework, From127PluginsWithNothingToSayAreNotAskedToScore) {
  const std::string plain = "{" + Containers(100, 64) + "}";
  EXPECT_EQ(Scoring(26, plain.c_str()),
            "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread "
            "InterPodAffinity NodeResourcesBalancedAllocation ImageLocality ");
  EXPECT_EQ(Scoring(30, plain.c_str()),
            "TaintToleration NodeResourcesFit NodeResourcesBalancedAllocation ImageLocality ");
  EXPECT_EQ(Scoring(33, "{containers: [{}]}"),
            "TaintToleration NodeResourcesFit NodeResourcesBalancedAllocation ImageLocality ");
  EXPECT_EQ(Scoring(34, "{containers: [{}]}"), "TaintToleration NodeResourcesFit ImageLocality ");
  EXPECT_EQ(Scoring(36, "{containers: [{}]}"),
            "TaintToleration NodeResourcesFit DynamicResources ImageLocality ");
  EXPECT_EQ(Scoring(37, "{containers: [{}]}"),
            "TaintToleration NodeResourcesFit VolumeBinding DynamicResources ImageLocality ");
}

TEST(NodeHints, NameTheNextBestNodeOnceTheLastIsFull) {
  for (const int minor : {34, 36}) {
    Bed bed(minor);
    const NodeId nodes[] = {bed.Node("a", "{}", 1), bed.Node("b", "{}", 1), bed.Node("c", "{}", 1)};
    Configuration configuration = DefaultConfiguration(Release{minor});
    configuration.profiles[0].args.system_default_constraints = false;
    Framework framework(bed.cluster, configuration, 0, {});
    NodeHints hints(framework);
    const auto spec = [&](int milli_cpu, const char* labels) {
      return bed.Spec(labels, "{" + Containers(milli_cpu, 64) + "}");
    };
    const auto hint = [&](SpecId of) {
      const Attempt attempt = framework.MakeAttempt(bed.Pod(of));
      PreFilterNodes subset;
      std::int32_t rejecting = kNone;
      framework.PreFilter(attempt, subset, rejecting);
      std::string out;
      for (const NodeId node : hints.Candidates(attempt)) out += bed.Name(node);
      return out;
    };
    const PodId first = bed.Pod(spec(800, "{}"));
    const std::int64_t totals[] = {30, 20, 20};
    hints.Chosen(framework.MakeAttempt(first), nodes[0], nodes, totals, {}, 1000);
    EXPECT_EQ(hint(spec(800, "{}")), "") << "the last node takes another";
    bed.cluster.BindPod(first, nodes[0]);
    const bool hints_are_given = minor >= 35;
    EXPECT_EQ(hint(spec(800, "{}")), hints_are_given ? "bc" : "");
    EXPECT_EQ(hint(spec(800, "{app: x}")), "") << "of another kind";
    hints.HintTaken(nodes[1]);
    bed.cluster.BindPod(bed.Pod(spec(800, "{}")), nodes[1]);
    EXPECT_EQ(hint(spec(800, "{}")), hints_are_given ? "c" : "");
    hints.Failed();
    EXPECT_EQ(hint(spec(800, "{}")), "");
  }
}

TEST(NodeHints, From137TheLastNodeIsScoredAnewWhereItTakesAnother) {
  Bed bed(37);
  const NodeId nodes[] = {bed.Node("a", "{}", 4), bed.Node("b", "{}", 4), bed.Node("c", "{}", 2)};
  Configuration configuration = DefaultConfiguration(Release{37});
  configuration.profiles[0].args.system_default_constraints = false;
  Framework framework(bed.cluster, configuration, 0, {});
  NodeHints hints(framework);
  const SpecId spec = bed.Spec("{}", "{" + Containers(500, 64) + "}");
  const auto attempt_of_another = [&] {
    const Attempt attempt = framework.MakeAttempt(bed.Pod(spec));
    PreFilterNodes subset;
    std::int32_t rejecting = kNone;
    framework.PreFilter(attempt, subset, rejecting);
    return attempt;
  };
  std::vector<std::int64_t> totals;
  RawScores raw;
  const Attempt first = attempt_of_another();
  EXPECT_TRUE(hints.KeepsRaw(first));
  framework.Score(first, nodes, totals, &raw, nullptr);
  hints.Chosen(first, nodes[0], nodes, totals, raw, 1000);
  bed.cluster.BindPod(first.pod, nodes[0]);
  // As if all were scored anew: only the node that was chosen has changed. Each goes to the best.
  for (int i = 0; i < 6; ++i) {
    const Attempt attempt = attempt_of_another();
    framework.Score(attempt, nodes, totals, nullptr, nullptr);
    const std::int64_t top = *std::ranges::max_element(totals);
    std::set<NodeId> best, offered;
    for (std::size_t k = 0; k < totals.size(); ++k) {
      if (totals[k] == top) best.insert(nodes[k]);
    }
    for (const NodeId node : hints.Candidates(attempt)) offered.insert(node);
    EXPECT_EQ(offered, best) << i;
    hints.HintTaken(*best.begin());
    bed.cluster.BindPod(attempt.pod, *best.begin());
  }
}

TEST(Framework, NodeNamesInEveryTermLimitTheSearchFrom124) {
  for (const int minor : {20, 26}) {
    Bed bed(minor);
    bed.Node("a");
    const NodeId b = bed.Node("b");
    const PodId pod = bed.Pod(bed.Spec("{}",
                                       "{containers: [], affinity: {nodeAffinity: "
                                       "{requiredDuringSchedulingIgnoredDuringExecution: "
                                       "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
                                       "operator: In, values: [b]}]}]}}}}"));
    Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
    PreFilterNodes nodes;
    std::int32_t rejecting = kNone;
    framework.PreFilter(framework.MakeAttempt(pod), nodes, rejecting);
    EXPECT_EQ(nodes.all, minor == 20);
    if (minor == 26) {
      EXPECT_EQ(nodes.nodes, std::vector<NodeId>{b});
    }
  }
}

}  // namespace
}  // namespace schedlens::sim::core
