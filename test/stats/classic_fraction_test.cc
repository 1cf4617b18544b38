#include <gtest/gtest.h>

#include <cmath>

#include "schedlens/histogram.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

const std::vector<Bucket> kPlain = {{0.1, 10}, {0.5, 30}, {1, 40}, {kInfinity, 50}};

TEST(ClassicFractionTest, InterpolatesOnBothSides) {
  struct Row {
    double lower, upper, value;
  };
  const std::vector<Row> table = {
      {0, 0.5, 30.0 / 50},
      {-kInfinity, 0.1, 10.0 / 50},
      {0.1, 0.5, 20.0 / 50},
      {0.3, kInfinity, (50 - (10 + 20 * (0.3 - 0.1) / (0.5 - 0.1))) / 50},
      {1, 5, 0},  // nothing of the open top bucket counts
      {1, kInfinity, 0.2},
      {-kInfinity, kInfinity, 1},
      {-5, 0, 0},
      {0.5, 0.5, 0},
      {0.6, 0.5, 0},
  };
  for (const Row& row : table) {
    EXPECT_DOUBLE_EQ(FractionOfBuckets(row.lower, row.upper, kPlain, Semantics{}), row.value)
        << row.lower << " to " << row.upper;
  }
}

TEST(ClassicFractionTest, IsNaNWithoutData) {
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, {}, Semantics{})));
  const std::vector<Bucket> open = {{1, 5}};
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, open, Semantics{})));
  const std::vector<Bucket> empty = {{1, 0}, {kInfinity, 0}};
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, empty, Semantics{})));
  EXPECT_TRUE(std::isnan(FractionOfBuckets(kNaN, 1, kPlain, Semantics{})));
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, kNaN, kPlain, Semantics{})));
}

TEST(ClassicFractionTest, TakesABucketWithoutLowerEndWhole) {
  const std::vector<Bucket> negative = {{-1, 10}, {1, 20}, {kInfinity, 20}};
  EXPECT_EQ(FractionOfBuckets(-kInfinity, -2, negative, ParseSemantics("3.8")), 0.5);
  EXPECT_TRUE(std::isnan(FractionOfBuckets(-kInfinity, -2, negative, ParseSemantics("3.7"))));
}

TEST(ClassicFractionTest, IsTheInverseOfTheQuantile) {
  for (double q = 0.05; q < 0.8; q += 0.05) {
    const double value = QuantileOfBuckets(q, kPlain, Semantics{}).value;
    EXPECT_NEAR(FractionOfBuckets(-kInfinity, value, kPlain, Semantics{}), q, 1e-12);
  }
}

}  // namespace
}  // namespace schedlens
