#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stats/over_time.h"

namespace schedlens {
namespace {

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
