#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "replay/fit.h"

namespace schedlens {
namespace {

const FineBuckets kStage = {{0.001, 70}, {0.1, 0}, {0.2, 30}};

/// The histogram of the sum of two such stages.
LatencyShape SumOfTwo(double quick, double one_slow, double both_slow) {
  LatencyShape sum;
  sum.buckets = {{0.002, quick}, {0.21, one_slow}, {0.41, both_slow}};
  sum.count = quick + one_slow + both_slow;
  sum.seconds = 0.0013 * quick + 0.15 * one_slow + 0.3 * both_slow;
  return sum;
}

TEST(CoupledCostsTest, TogetherWhereTheSumSaysSo) {
  const auto costs = CoupledCosts({{sim::Cost::kPreScore, kStage}, {sim::Cost::kScore, kStage}},
                                  SumOfTwo(70, 0, 30));
  ASSERT_EQ(costs.size(), AttemptClasses().size());
  ASSERT_EQ(costs.back().size(), 2u);
  EXPECT_LT(costs.front()[0].second.wall.Mean(), 0.001);
  EXPECT_GT(costs.back()[0].second.wall.Mean(), 0.1);
  EXPECT_GT(costs.back()[1].second.wall.Mean(), 0.1);
}

TEST(CoupledCostsTest, AloneWhereTheSumSaysSo) {
  EXPECT_TRUE(CoupledCosts({{sim::Cost::kPreScore, kStage}, {sim::Cost::kScore, kStage}},
                           SumOfTwo(49, 42, 9))
                  .empty());
  EXPECT_TRUE(CoupledCosts({}, {}).empty());
}

TEST(AttemptClassesTest, AreAllAttempts) {
  EXPECT_NEAR(std::accumulate(AttemptClasses().begin(), AttemptClasses().end(), 0.0), 1, 1e-12);
}

}  // namespace
}  // namespace schedlens
