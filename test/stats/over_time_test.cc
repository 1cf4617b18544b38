#include "stats/over_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/not_finite.h"

namespace schedlens {
namespace {

TEST(OverTimeTest, CompensatesByVersion) {
  const std::vector<double> lossy = {1, 1e100, 1, -1e100};
  EXPECT_EQ(SumOverTime(lossy, ParseSemantics("2.31")), 0);
  EXPECT_EQ(SumOverTime(lossy, ParseSemantics("2.32")), 2);
  // The mean is compensated from 2.32 on too, but taken from the sum only from 2.55 on.
  EXPECT_NE(AvgOverTime(lossy, ParseSemantics("2.54")), 0.5);
  EXPECT_EQ(AvgOverTime(lossy, ParseSemantics("2.55")), 0.5);
  EXPECT_EQ(SumOverTime(lossy, ParseSemantics("3.13")), 2);
  for (const char* version : {"2.20", "2.42", "2.54", "3.13"}) {
    EXPECT_DOUBLE_EQ(AvgOverTime(std::vector<double>{1, 2, 6}, ParseSemantics(version)), 3);
    EXPECT_EQ(AvgOverTime(std::vector<double>{kInfinity, 2}, ParseSemantics(version)), kInfinity);
    EXPECT_EQ(SumOverTime(std::vector<double>{kInfinity, 2}, ParseSemantics(version)), kInfinity);
    EXPECT_DOUBLE_EQ(
        VarianceOverTime(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}, ParseSemantics(version)), 4);
  }
}

TEST(OverTimeTest, ExtremesIgnoreNaNUnlessAllAreNaN) {
  EXPECT_EQ(MaxOverTime(std::vector<double>{kNaN, 1, 3, kNaN}), 3);
  EXPECT_EQ(MinOverTime(std::vector<double>{kNaN, 1, 3, kNaN}), 1);
  EXPECT_TRUE(std::isnan(MaxOverTime(std::vector<double>{kNaN, kNaN})));
}

TEST(OverTimeTest, QuantilesOfValuesInterpolateBetweenNeighbours) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_EQ(QuantileOfValues(0, values), 1);
  EXPECT_EQ(QuantileOfValues(1, values), 4);
  EXPECT_EQ(QuantileOfValues(0.5, values), 2.5);
  EXPECT_EQ(QuantileOfValues(-1, values), -kInfinity);
  EXPECT_EQ(QuantileOfValues(2, values), kInfinity);
  EXPECT_TRUE(std::isnan(QuantileOfValues(kNaN, values)));
  EXPECT_TRUE(std::isnan(QuantileOfValues(0.5, {})));
  EXPECT_TRUE(std::isnan(QuantileOfValues(0, std::vector<double>{1, kNaN})));  // NaN sorts first
}

}  // namespace
}  // namespace schedlens
