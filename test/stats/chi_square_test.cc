#include <gtest/gtest.h>

#include <cmath>

#include "stats/significance.h"

namespace schedlens {
namespace {

TEST(ChiSquareAtMostTest, GivesTheValuesOfPrintedTables) {
  const struct {
    double x, degrees, probability;
  } cases[] = {
      {3.841458820694124, 1, 0.95},   {0.0009820691171752555, 1, 0.025},
      {18.307038053275146, 10, 0.95}, {3.940299136119084, 10, 0.05},
      {124.3421134004, 100, 0.95},
  };
  for (const auto& c : cases) {
    EXPECT_NEAR(ChiSquareAtMost(c.x, c.degrees), c.probability, 1e-9) << c.degrees;
  }
}

TEST(ChiSquareAtMostTest, IsKnownInClosedFormForOneAndTwoDegrees) {
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 3.0, 10.0, 40.0}) {
    EXPECT_NEAR(ChiSquareAtMost(x, 1), std::erf(std::sqrt(x / 2)), 1e-13) << x;
    EXPECT_NEAR(ChiSquareAtMost(x, 2), -std::expm1(-x / 2), 1e-13) << x;
  }
}

TEST(ChiSquareAtMostTest, RisesFromNothingToAll) {
  double last = 0;
  for (double x = 1; x < 200; x *= 1.3) {
    const double p = ChiSquareAtMost(x, 20);
    EXPECT_GE(p, last - 1e-12) << x;
    EXPECT_LE(p, 1) << x;
    last = p;
  }
  EXPECT_NEAR(ChiSquareAtMost(1000, 20), 1, 1e-12);
  EXPECT_GT(ChiSquareAtMost(1e-3, 20), 0) << "small, and still a probability";
}

TEST(ChiSquareAtMostTest, TheEdges) {
  EXPECT_EQ(ChiSquareAtMost(0, 5), 0);
  EXPECT_EQ(ChiSquareAtMost(-1, 5), 0);
  EXPECT_EQ(ChiSquareAtMost(1, 0), 1);
  for (const double x : {1e7, 1e15, 1e300, HUGE_VAL}) {
    for (const double degrees : {1.0, 20.0, 1e4}) EXPECT_EQ(ChiSquareAtMost(x, degrees), 1) << x;
  }
  EXPECT_EQ(ChiSquareAtMost(std::nan(""), 5), 1) << "even enough for all that is known";
  EXPECT_EQ(ChiSquareAtMost(1e7, 20), 1) << "beyond what the series can add up";
}

}  // namespace
}  // namespace schedlens
