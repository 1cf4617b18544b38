#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/not_finite.h"
#include "stats/over_time.h"

namespace schedlens {
namespace {

double Sum(const std::vector<double>& values, const char* version) {
  GroupSum sum(ParseSemantics(version));
  sum.Start(values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) sum.Add(values[i]);
  return sum.Result();
}

double Mean(const std::vector<double>& values, const char* version) {
  GroupMean mean(ParseSemantics(version));
  mean.Start(values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) mean.Add(values[i]);
  return mean.Result();
}

TEST(SummationTest, CompensatesFrom254On) {
  const std::vector<double> lossy = {1, 1e100, 1, -1e100};
  EXPECT_EQ(Sum(lossy, "2.53"), 0);
  EXPECT_EQ(Sum(lossy, "2.54"), 2);
  EXPECT_EQ(Sum(lossy, "victoriametrics"), 0);
}

TEST(SummationTest, MeansAreCompensatedFrom255On) {
  const std::vector<double> lossy = {1, 1e100, 1, -1e100};
  EXPECT_NE(Mean(lossy, "2.54"), 0.5);
  EXPECT_EQ(Mean(lossy, "2.55"), 0.5);
}

TEST(SummationTest, KeepsInfinitiesAndNegativeZero) {
  EXPECT_EQ(Sum({1, kInfinity, 1}, "2.54"), kInfinity);
  EXPECT_EQ(Sum({1e308, 1e308}, "3.13"), kInfinity);
  EXPECT_TRUE(std::isnan(Sum({kInfinity, -kInfinity}, "3.13")));
  EXPECT_TRUE(std::signbit(Sum({-0.0}, "2.42")));
}

TEST(SummationTest, MeansOfHugeValuesDoNotOverflow) {
  for (const char* version : {"2.42", "2.54", "3.5", "3.13"}) {
    EXPECT_DOUBLE_EQ(Mean({1.6e308, 1.6e308, 1.6e308}, version), 1.6e308) << version;
    EXPECT_DOUBLE_EQ(Mean({1, 2, 6}, version), 3) << version;
    EXPECT_EQ(Mean({kInfinity, 1}, version), kInfinity) << version;
    EXPECT_TRUE(std::isnan(Mean({kInfinity, -kInfinity}, version))) << version;
  }
}

}  // namespace
}  // namespace schedlens
