#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/not_finite.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

double Mean(const std::vector<double>& values, const char* version) {
  GroupMean mean(ParseSemantics(version));
  mean.Start(values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) mean.Add(values[i]);
  return mean.Result();
}

TEST(SummationTest, MeansAreCompensatedFrom255On) {
  const std::vector<double> lossy = {1, 1e100, 1, -1e100};
  EXPECT_NE(Mean(lossy, "2.54"), 0.5);
  EXPECT_EQ(Mean(lossy, "2.55"), 0.5);
}

TEST(SummationTest, MeansOfHugeValuesDoNotOverflow) {
  for (const char* version : {"2.42", "2.54", "3.5", "3.13"}) {
    EXPECT_DOUBLE_EQ(Mean({1.6e308, 1.6e308, 1.6e308}, version), 1.6e308) << version;
    EXPECT_DOUBLE_EQ(Mean({1, 2, 6}, version), 3) << version;
    EXPECT_EQ(Mean({kInfinity, 1}, version), kInfinity) << version;
    EXPECT_TRUE(std::isnan(Mean({kInfinity, -kInfinity}, version))) << version;
  }
}

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

const std::vector<TimeMs> kTimes = {0, 10'000, 20'000};

TEST(RegressionTest, DrawsTheLine) {
  const std::vector<double> values = {1, 3, 5};
  for (const char* version : {"2.20", "2.42", "3.15", "victoriametrics"}) {
    const RegressionLine line = LinearRegression(kTimes, values, 20'000, ParseSemantics(version));
    EXPECT_DOUBLE_EQ(line.slope, 0.2) << version;
    EXPECT_DOUBLE_EQ(line.intercept, 5) << version;
  }
}

TEST(RegressionTest, ConstantsAreFlatFrom232On) {
  const std::vector<double> flat = {0.1, 0.1, 0.1};
  EXPECT_EQ(LinearRegression(kTimes, flat, 0, ParseSemantics("2.32")).slope, 0);
  EXPECT_EQ(LinearRegression(kTimes, flat, 0, ParseSemantics("victoriametrics")).slope, 0);
  EXPECT_EQ(LinearRegression(kTimes, flat, 0, ParseSemantics("2.32")).intercept, 0.1);
  const std::vector<double> infinite(3, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(LinearRegression(kTimes, infinite, 0, ParseSemantics("2.42")).intercept));
}

TEST(RegressionTest, CompensatesFrom232On) {
  // The time of the intercept is the middle, so it is the mean value.
  const std::vector<TimeMs> times = {0, 1'000, 2'000, 3'000};
  const std::vector<double> lossy = {1e17, 1, -1e17, 1};
  EXPECT_EQ(LinearRegression(times, lossy, 1'500, ParseSemantics("2.31")).intercept, 0.25);
  EXPECT_EQ(LinearRegression(times, lossy, 1'500, ParseSemantics("2.32")).intercept, 0.5);
}

TEST(RegressionTest, SmoothsByLevelAndTrend) {
  // Level 1, trend 2; then 0.5 * 5 + 0.5 * (1 + 2) and so on.
  EXPECT_EQ(DoubleExponentialSmoothing(std::vector<double>{1, 3}, 0.5, 0.5), 3);
  EXPECT_EQ(DoubleExponentialSmoothing(std::vector<double>{1, 3, 7}, 0.5, 0.5),
            0.5 * 7 + 0.5 * (3 + (0.5 * 2 + 0.5 * 2)));
}

}  // namespace
}  // namespace schedlens
