#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/significance.h"

namespace schedlens {
namespace {

TEST(RankCorrelationTest, IsOneForAnyRisingRelation) {
  const std::vector<double> x = {3, 1, 4, 1.5, 9, 2.6};
  std::vector<double> rising, falling;
  for (const double v : x) rising.push_back(std::exp(v));
  for (const double v : x) falling.push_back(-v * v * v);
  EXPECT_DOUBLE_EQ(RankCorrelation(x, rising, 2), 1);
  EXPECT_DOUBLE_EQ(RankCorrelation(x, falling, 2), -1);
}

TEST(RankCorrelationTest, IsSpearmansFormulaWithoutTies) {
  // 1 - 6 sum(d^2) / (n (n^2 - 1)), d^2 = 1 1 1 1 0.
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 3, 4, 5}, {20, 10, 40, 30, 50}, 2), 0.8);
  EXPECT_NEAR(RankCorrelation({1, 2, 3, 4}, {2, 4, 1, 3}, 2), 0, 1e-12);
}

TEST(RankCorrelationTest, EqualValuesShareTheirMeanRank) {
  // Ranks 0 1.5 1.5 3 against 0 1 2 3: 4.5 / sqrt(4.5 * 5).
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}, 2), std::sqrt(0.9));
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 2, 3}, {1, 5, 5, 8}, 2), 1);
}

TEST(RankCorrelationTest, OrderOfThePairsAndSidesDoesNotMatter) {
  const double r = RankCorrelation({1, 2, 3, 4, 5}, {2, 1, 4, 5, 3}, 2);
  EXPECT_DOUBLE_EQ(RankCorrelation({5, 3, 1, 4, 2}, {3, 4, 2, 5, 1}, 2), r);
  EXPECT_DOUBLE_EQ(RankCorrelation({2, 1, 4, 5, 3}, {1, 2, 3, 4, 5}, 2), r);
}

TEST(RankCorrelationTest, IsZeroWhereNothingCanBeSaid) {
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {1, 2, 3}, 4), 0) << "fewer pairs than asked for";
  EXPECT_EQ(RankCorrelation({1, 2, 3, 4}, {1, 2, 3, 4}, 4), 1);
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {7, 7, 7}, 2), 0) << "a side that never varies";
  EXPECT_EQ(RankCorrelation({}, {}, 0), 0);
  EXPECT_EQ(RankCorrelation({1}, {1}, 0), 0);
}

}  // namespace
}  // namespace schedlens
