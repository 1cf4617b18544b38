#include "stats/native_value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/native_samples.h"

namespace schedlens {
namespace {

using test::Fine;
using test::kCustom;
using test::kTwoSided;
using test::kZero;

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
