#include <gtest/gtest.h>

#include "replay/fit.h"

namespace schedlens {
namespace {

using sim::Cost;

LoopSetting Of(int nodes, int parallelism = 16, int cores = 1) {
  return {nodes, 10.0 * nodes, 0, parallelism, cores};
}

TEST(ComputedLoopTest, IsCallsTimesUnitCosts) {
  const ComputedLoop work(36);
  EXPECT_EQ(work.measured(), "1.36.3");
  EXPECT_EQ(ComputedLoop(24).measured(), "1.30.14");
  // Until 100 nodes all are looked at: a hundredfold of a node's frame and plugins.
  const double node = work.Of(Cost::kFilter, Of(100)).growing / 100;
  EXPECT_GT(node, 0.6e-6);
  EXPECT_LT(node, 1.5e-6);
  EXPECT_NEAR(work.Of(Cost::kFilter, Of(50)).growing / 50, node, 0.2 * node);
  EXPECT_NEAR(work.Of(Cost::kPreFilter, Of(100)).fixed, 4.816e-6, 1e-9);
}

TEST(ComputedLoopTest, GrowsWithNodesLookedAtAndFallsWithCores) {
  const ComputedLoop work(36);
  EXPECT_EQ(NodesLookedAt(Of(5000)), 500);
  LoopSetting fifth = Of(5000);
  fifth.percentage = 2;
  EXPECT_EQ(NodesLookedAt(fifth), 100);
  EXPECT_NEAR(work.Of(Cost::kScore, Of(5000)).growing / work.Of(Cost::kScore, fifth).growing, 5,
              0.01);
  EXPECT_GT(work.Of(Cost::kFilter, Of(5000), true).growing,
            7 * work.Of(Cost::kFilter, Of(5000)).growing);
  const double one = work.Of(Cost::kScore, Of(1000)).growing;
  const double four = work.Of(Cost::kScore, Of(1000, 16, 4)).growing;
  EXPECT_LT(four, 0.35 * one);
  EXPECT_NEAR(work.Of(Cost::kScore, Of(1000, 1, 4)).growing, one, 1e-12) << "one worker";
}

TEST(ComputedLoopTest, OtherStepsHaveNone) {
  EXPECT_EQ(ComputedLoop(36).Of(Cost::kBindApi, Of(100)).Seconds(), 0);
  EXPECT_GE(NodesLookedAt({}), 1);
}

}  // namespace
}  // namespace schedlens
