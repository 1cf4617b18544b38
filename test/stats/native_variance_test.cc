#include <gtest/gtest.h>

#include <cmath>

#include "stats/native_quantile.h"

namespace schedlens {
namespace {

TEST(NativeVarianceTest, TakesTheGeometricMiddleOfExponentialBuckets) {
  const NativeHistogram histogram{4, 10, {{1, 2, 2, 0}, {2, 4, 2, 0}}};
  const double mean = 2.5;
  const double low = std::sqrt(2.0) - mean;
  const double high = std::sqrt(8.0) - mean;
  EXPECT_DOUBLE_EQ(VarianceOfNative(histogram, ParseSemantics("3.0")),
                   (2 * low * low + 2 * high * high) / 4);
}

TEST(NativeVarianceTest, CustomBucketsHaveTheirArithmeticMiddleFrom34On) {
  const NativeHistogram histogram{2, 0.8, {{0.3, 0.5, 2, 0}}};
  EXPECT_DOUBLE_EQ(VarianceOfNative(histogram, ParseSemantics("3.4")), 0);
  EXPECT_GT(VarianceOfNative(histogram, ParseSemantics("3.3")), 1e-5);
}

TEST(NativeVarianceTest, NegativeBucketsHadThePositiveMiddleUpTo251) {
  const NativeHistogram histogram{2, -2 * std::sqrt(2.0), {{-2, -1, 2, 1}}};
  EXPECT_DOUBLE_EQ(VarianceOfNative(histogram, ParseSemantics("2.52")), 0);
  EXPECT_DOUBLE_EQ(VarianceOfNative(histogram, ParseSemantics("2.51")), 8);
}

}  // namespace
}  // namespace schedlens
