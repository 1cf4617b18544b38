#include "stats/go_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/not_finite.h"

namespace schedlens::go {
namespace {

TEST(GoMathTest, Log2IsExactForPowersOfTwo) {
  for (int i = -1074; i < 1024; ++i) EXPECT_EQ(Log2(std::ldexp(1, i)), i);
  EXPECT_EQ(Log2(0), -kInfinity);
  EXPECT_EQ(Log2(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(Log2(-1)));
  EXPECT_TRUE(std::isnan(Log2(kNaN)));
}

TEST(GoMathTest, Exp2IsExactForWholeExponents) {
  for (int i = -1074; i < 1024; ++i) EXPECT_EQ(Exp2(i), std::ldexp(1, i)) << i;
  EXPECT_EQ(Exp2(1024), kInfinity);
  EXPECT_EQ(Exp2(-1075), 0);
  EXPECT_EQ(Exp2(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(Exp2(kNaN)));
}

TEST(GoMathTest, StaysWithinOneUnitOfTheTruthAndDiffersFromTheCLibrarySomewhere) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  int log_differs = 0;
  int exp_differs = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::exp2(20 * uniform(random) - 10);
    EXPECT_NEAR(Log2(x), std::log2(x), 4e-16 * std::max(1.0, std::fabs(std::log2(x))));
    EXPECT_NEAR(Log(x), std::log(x), 4e-16 * std::max(1.0, std::fabs(std::log(x))));
    if (Log2(x) != std::log2(x)) ++log_differs;
    const double y = 20 * uniform(random) - 10;
    EXPECT_NEAR(Exp2(y), std::exp2(y), 3e-16 * std::exp2(y));
    if (Exp2(y) != std::exp2(y)) ++exp_differs;
  }
  EXPECT_GT(log_differs, 0);
  EXPECT_GT(exp_differs, 0);
}

TEST(GoMathTest, ExpAndLog10StayCloseAndHaveTheirEdges) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform(-700, 700);
  for (int i = 0; i < 20'000; ++i) {
    const double x = uniform(random);
    EXPECT_NEAR(Exp(x) / std::exp(x), 1, 5e-16) << x;
  }
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(710), kInfinity);
  EXPECT_EQ(Exp(-750), 0);
  EXPECT_EQ(Exp(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(Exp(kNaN)));
  EXPECT_EQ(Log10(1), 0);
  EXPECT_EQ(Log10(0), -kInfinity);
  EXPECT_NEAR(Log10(1000), 3, 1e-15);
}

TEST(GoMathTest, PowersHaveGosSpecialCases) {
  EXPECT_EQ(Pow(2, 10), 1024);
  EXPECT_EQ(Pow(2, -2), 0.25);
  EXPECT_EQ(Pow(9, 0.5), 3);
  EXPECT_EQ(Pow(4, -0.5), 0.5);
  EXPECT_EQ(Pow(kNaN, 0), 1);
  EXPECT_EQ(Pow(1, kNaN), 1);
  EXPECT_EQ(Pow(0, -1), kInfinity);
  EXPECT_EQ(Pow(-0.0, -3), -kInfinity);
  EXPECT_EQ(Pow(-kInfinity, 3), -kInfinity);
  EXPECT_EQ(Pow(-kInfinity, -2), 0);
  EXPECT_EQ(Pow(-1, kInfinity), 1);
  EXPECT_EQ(Pow(0.5, kInfinity), 0);
  EXPECT_EQ(Pow(2, 1e300), kInfinity);
  EXPECT_EQ(Pow(-2, 3), -8);
  EXPECT_TRUE(std::isnan(Pow(-2, 0.3)));
  EXPECT_NEAR(Pow(2, 0.3), std::pow(2, 0.3), 1e-15);
}

}  // namespace
}  // namespace schedlens::go
