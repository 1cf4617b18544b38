#include <gtest/gtest.h>

#include <set>

#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {
namespace {

TEST(Costs, KeysAreUniqueAndDefaultsMillisecondsAtMost) {
  std::set<std::string_view> keys;
  const Costs costs = Costs::Default();
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    EXPECT_TRUE(keys.insert(CostKey(cost)).second) << CostKey(cost);
    EXPECT_TRUE(!IsCpuWork(cost) || costs[cost].wall.Mean() < 0.003) << CostKey(cost);
  }
  EXPECT_TRUE(IsCpuWork(Cost::kFailure));
  EXPECT_FALSE(IsCpuWork(Cost::kBindApi));
  EXPECT_NEAR(costs.noise.Mean(), 1.6, 0.3);
}

}  // namespace
}  // namespace schedlens::sim
