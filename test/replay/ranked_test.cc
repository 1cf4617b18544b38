#include <gtest/gtest.h>

#include <algorithm>

#include "replay/fit.h"

namespace schedlens {
namespace {

using sim::Distribution;

double At(const Distribution& distribution, double q) {
  const std::vector<double> all = Ranked(distribution);
  return all[static_cast<std::size_t>(q * static_cast<double>(all.size()))];
}

TEST(RankedTest, IsAscendingAndAlwaysAsLong) {
  const std::vector<double> one = Ranked(Distribution::LogNormal(0.01, 0.5));
  EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  EXPECT_EQ(one.size(), Ranked(Distribution::Constant(3)).size());
  EXPECT_EQ(Ranked(Distribution()).front(), 0);
}

TEST(PartwayTest, IsTheOneOrTheOtherAtItsEnds) {
  const Distribution from = Distribution::Uniform(1, 3), to = Distribution::Constant(0.5);
  EXPECT_NEAR(Partway(from, to, 0).Mean(), 2, 0.05);
  EXPECT_NEAR(Partway(from, to, 0.5).Mean(), 1.25, 0.05);
  EXPECT_NEAR(Partway(from, to, 1).Mean(), 0.5, 0.01);
  EXPECT_NEAR(At(Partway(from, to, 0.5), 0.99), (2.98 + 0.5) / 2, 0.03);
}

// Each is slower at one end.
TEST(SlowerTest, TakesTheSlowerAtEachRank) {
  const Distribution wide = Distribution::Uniform(0, 10), narrow = Distribution::Constant(5);
  const Distribution slower = Slower(wide, narrow);
  EXPECT_NEAR(At(slower, 0.1), 5, 0.01);
  EXPECT_NEAR(At(slower, 0.9), 9, 0.2);
  EXPECT_NEAR(Slower(wide, Distribution()).Mean(), wide.Mean(), 0.1);
}

TEST(GrewEvenlyTest, ATailThatGrewIsNotTheMiddle) {
  const Distribution quiet = Distribution::LogNormal(0.01, 0.3);
  EXPECT_TRUE(GrewEvenly(quiet.Scaled(5), quiet));
  EXPECT_FALSE(
      GrewEvenly(Distribution::Mixture({{0.95, quiet}, {0.05, Distribution::Constant(1)}}), quiet));
}

}  // namespace
}  // namespace schedlens
