#include <gtest/gtest.h>

#include "scheduler/bed.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim::core {
namespace {

TEST(AttemptDetail, GroupsNodesByPluginAndReasonLargestFirst) {
  Bed bed(30);
  for (int i = 0; i < 3; ++i) bed.Node("full" + std::to_string(i), "{}", 1);
  bed.Node("cordoned", "{}", 4, 8, 110, "{unschedulable: true}");
  const NodeId a = bed.Node("a");
  const NodeId b = bed.Node("b", "{}", 8);
  const Configuration configuration = DefaultConfiguration(Release{30});
  Algorithm algorithm(bed.cluster, configuration, 0);
  Random random(1);
  ScheduleResult result;
  const PodId pod = bed.Pod(bed.Spec("{}", "{" + Containers(2000, 100) + "}"));
  algorithm.Schedule(pod, random, nullptr, result);
  AttemptDetail detail;
  algorithm.Explain(result, detail);
  ASSERT_EQ(detail.rejected.size(), 2U);
  EXPECT_EQ(detail.rejected[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(detail.rejected[0].nodes.size(), 3U);
  EXPECT_EQ(detail.rejected[0].reasons, std::vector<std::string>{"Insufficient cpu"});
  EXPECT_EQ(detail.rejected[1].plugin, "NodeUnschedulable");
  EXPECT_EQ(detail.rejected[1].code, Code::kUnresolvable);
  ASSERT_EQ(detail.scored.size(), 2U);
  EXPECT_EQ(detail.scored[0].node, b);  // the larger one is less allocated
  EXPECT_EQ(detail.scored[1].node, a);
  EXPECT_EQ(detail.node, b);
  EXPECT_GT(detail.scored[0].total, detail.scored[1].total);
  EXPECT_EQ(detail.message, "");
}

TEST(AttemptDetail, APodThatPreFilterRefusesIsRejectedByItOnEveryNode) {
  Bed bed(30);
  bed.Node("a");
  bed.Node("b");
  const Configuration configuration = DefaultConfiguration(Release{30});
  Algorithm algorithm(bed.cluster, configuration, 0);
  Random random(1);
  ScheduleResult result;
  const PodId pod = bed.Pod(
      bed.Spec("{}",
               "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
               "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
               "[nowhere]}]}]}}}, containers: [{name: c}]}"));
  algorithm.Schedule(pod, random, nullptr, result);
  AttemptDetail detail;
  algorithm.Explain(result, detail);
  EXPECT_EQ(detail.node, kNone);
  EXPECT_EQ(detail.feasible, 0);
  EXPECT_NE(detail.message, "");
}

}  // namespace
}  // namespace schedlens::sim::core
