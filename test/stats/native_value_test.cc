#include "stats/native_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace schedlens {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

const NativeHistogram kZero{10, 12, {{-0.001, 0.001, 4, 3}, {1, 2, 4, 0}, {2, 4, 2, 0}}};
const NativeHistogram kTwoSided{7, 1, {{-4, -2, 1, 1}, {-0.5, 0.5, 2, 3}, {0.5, 1, 4, 0}}};
const NativeHistogram kCustom{10, 12, {{-kInf, 0.3, 4, 3}, {0.3, 0.7, 4, 0}, {0.7, kInf, 2, 0}}};

/// Schema 1: two buckets a doubling.
NativeHistogram Fine(double low, double high) {
  const double root = std::sqrt(2.0);
  return {low + high, 3, {{1, root, low, 0}, {root, 2, high, 0}}};
}

TEST(NativeValueTest, ComesBackAsItWas) {
  for (const NativeHistogram& each : {kZero, kTwoSided, kCustom, Fine(1, 2), NativeHistogram{}}) {
    EXPECT_EQ(NativeHistogramOf(NativeValueOf(each)), each);
  }
  EXPECT_EQ(NativeValueOf(kZero).schema, 0);
  EXPECT_EQ(NativeValueOf(Fine(1, 2)).schema, 1);
  EXPECT_EQ(NativeValueOf(kZero).positive.begin()->first, 1);  // (1, 2] has index 1
  EXPECT_TRUE(NativeValueOf(kCustom).custom);
}

TEST(NativeValueTest, ReadsTheSchemaOffBucketsThatTheZeroBucketDoesNotCut) {
  const NativeHistogram cut{6, 1, {{-0.75, 0.75, 1, 3}, {0.75, 1, 2, 0}, {1, 2, 3, 0}}};
  EXPECT_EQ(NativeValueOf(cut).schema, 0);
  EXPECT_EQ(NativeValueOf(cut).positive.begin()->first, 0);
  EXPECT_EQ(NativeHistogramOf(NativeValueOf(cut)), cut);
}

TEST(NativeValueTest, ABucketCutOffTheGridKeepsItsEdgesButHasNoSchema) {
  const NativeHistogram cut{3, 1, {{-0.75, 0.75, 1, 3}, {0.75, 1, 2, 0}}};
  EXPECT_FALSE(NativeValueOf(cut).schema);
  EXPECT_EQ(NativeHistogramOf(NativeValueOf(cut)), cut);
  const NativeHistogram whole{3, 1, {{-1, 1, 1, 3}, {1, 2, 2, 0}}};
  EXPECT_EQ(NativeValueOf(whole).schema, 0);
}

}  // namespace
}  // namespace schedlens
