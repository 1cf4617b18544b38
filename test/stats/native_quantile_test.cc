#include <gtest/gtest.h>

#include <cmath>

#include "base/not_finite.h"
#include "stats/go_math.h"
#include "stats/native_value.h"

namespace schedlens {
namespace {

/// Schema 0: (0.5, 1] 4, (1, 2] 4, (2, 4] 2.
NativeHistogram Positive() { return {10, 15, {{0.5, 1, 4, 0}, {1, 2, 4, 0}, {2, 4, 2, 0}}}; }

NativeHistogram WithZero() { return {10, 12, {{-0.001, 0.001, 4, 3}, {1, 2, 4, 0}, {2, 4, 2, 0}}}; }

NativeHistogram Custom() {
  return {10, 12, {{-kInfinity, 0.3, 4, 3}, {0.3, 0.7, 4, 0}, {0.7, kInfinity, 2, 0}}};
}

double AskNative(double q, const NativeHistogram& histogram, const char* version) {
  return QuantileOfNative(q, histogram, ParseSemantics(version)).shown;
}

TEST(NativeQuantileTest, InterpolatesLinearlyUpTo255AndOnTheLogScaleFrom30) {
  EXPECT_EQ(AskNative(0.6, Positive(), "2.42"), 1 + (2 - 1) * (2.0 / 4));
  EXPECT_EQ(AskNative(0.6, Positive(), "2.55"), 1 + (2 - 1) * ((8 - 0.4 * 10 - 2) / 4));
  EXPECT_EQ(AskNative(0.6, Positive(), "3.0"), go::Exp2(0 + (1 - 0) * 0.5));
  EXPECT_EQ(AskNative(0.2, Positive(), "3.0"), go::Exp2(-1 + (0 - -1) * 0.5));
}

TEST(NativeQuantileTest, GivesTheEdges) {
  EXPECT_EQ(AskNative(-1, Positive(), "3.13"), -kInfinity);
  EXPECT_EQ(AskNative(2, Positive(), "3.13"), kInfinity);
  EXPECT_TRUE(std::isnan(AskNative(kNaN, Positive(), "3.13")));
  EXPECT_TRUE(std::isnan(AskNative(0.5, {}, "3.13")));
  EXPECT_EQ(AskNative(2, {}, "3.13"), kInfinity);
  EXPECT_EQ(AskNative(1, Positive(), "3.13"), 4);
}

TEST(NativeQuantileTest, TheZeroBucketEndsAtZeroWhenOneSideIsEmpty) {
  EXPECT_EQ(AskNative(0.2, WithZero(), "3.13"), 0 + (0.001 - 0) * 0.5);
  NativeHistogram both = WithZero();
  both.count += 2;
  both.buckets.insert(both.buckets.begin(), {-2, -1, 2, 1});
  EXPECT_EQ(AskNative(4.0 / 12, both, "3.13"), -0.001 + (0.001 - -0.001) * 0.5);
  EXPECT_EQ(AskNative(1.0 / 12, both, "3.13"), -go::Exp2(0 + (1 - 0) * (1 - 0.5)));
}

TEST(NativeQuantileTest, CustomBoundsAreLinearAndOpenAtBothEnds) {
  EXPECT_TRUE(HasCustomBounds(Custom()));
  EXPECT_FALSE(HasCustomBounds(Positive()));
  EXPECT_FALSE(HasCustomBounds(WithZero()));
  EXPECT_EQ(AskNative(0.2, Custom(), "3.13"), 0 + (0.3 - 0) * 0.5);
  EXPECT_EQ(AskNative(0.95, Custom(), "3.13"), 0.7);
  EXPECT_DOUBLE_EQ(AskNative(0.6, Custom(), "3.13"), 0.5);
}

TEST(NativeQuantileTest, WithANaNSumReproducesTheServersDefectAndKnowsBetter) {
  NativeHistogram histogram = Positive();
  histogram.count = 11;  // one observation was NaN
  histogram.sum = kNaN;
  const NativeQuantile old = QuantileOfNative(0.5, histogram, ParseSemantics("3.4"));
  const NativeQuantile now = QuantileOfNative(0.5, histogram, ParseSemantics("3.5"));
  EXPECT_EQ(old.shown, go::Exp2((5.5 - 4) / 4));
  EXPECT_EQ(old.shown, old.correct);
  EXPECT_EQ(now.correct, old.correct);
  EXPECT_EQ(now.shown, go::Exp2(1 + (2 - 1) * (1.5 / 2)));  // in the last bucket
  // Beyond all buckets: the highest bound, from 3.5 on NaN.
  EXPECT_EQ(QuantileOfNative(0.99, histogram, ParseSemantics("3.4")).shown, 4);
  EXPECT_TRUE(std::isnan(QuantileOfNative(0.99, histogram, ParseSemantics("3.5")).shown));
}

TEST(NativeQuantileTest, FractionIsTheInverse) {
  for (const char* version : {"2.42", "3.13"}) {
    const Semantics semantics = ParseSemantics(version);
    for (const NativeHistogram& histogram : {Positive(), WithZero()}) {
      for (double q = 0.05; q < 1; q += 0.1) {
        const double value = QuantileOfNative(q, histogram, semantics).shown;
        EXPECT_NEAR(FractionOfNative(-kInfinity, value, histogram, semantics), q, 1e-12);
      }
    }
    EXPECT_EQ(FractionOfNative(-kInfinity, kInfinity, Positive(), semantics), 1);
    EXPECT_EQ(FractionOfNative(1, 2, Positive(), semantics), 0.4);
    EXPECT_EQ(FractionOfNative(2, 1, Positive(), semantics), 0);
    EXPECT_TRUE(std::isnan(FractionOfNative(kNaN, 1, Positive(), semantics)));
    EXPECT_TRUE(std::isnan(FractionOfNative(0, 1, {}, semantics)));
  }
}

TEST(NativeQuantileTest, NaNObservationsCountInTheDenominatorOnly) {
  NativeHistogram histogram = Positive();
  histogram.count = 20;
  histogram.sum = kNaN;
  EXPECT_EQ(FractionOfNative(-kInfinity, kInfinity, histogram, ParseSemantics("3.4")), 1);
  EXPECT_EQ(FractionOfNative(-kInfinity, kInfinity, histogram, ParseSemantics("3.5")), 0.5);
}

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
