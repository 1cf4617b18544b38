#include "stats/native_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/not_finite.h"
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

using test::Fine;
using test::kCustom;
using test::kTwoSided;
using test::kZero;

NativeHistogram Sum(const NativeHistogram& a, const NativeHistogram& b, double factor = 1) {
  NativeValue value = NativeValueOf(a);
  EXPECT_EQ(AddNative(&value, NativeValueOf(b), factor), NativeMix::kFits);
  return NativeHistogramOf(value);
}

TEST(NativeArithmeticTest, AddsAtTheLowerResolution) {
  const NativeHistogram coarse{3, 1, {{1, 2, 1, 0}, {4, 8, 2, 0}}};
  const NativeHistogram expected{6, 4, {{1, 2, 4, 0}, {4, 8, 2, 0}}};
  EXPECT_EQ(Sum(coarse, Fine(1, 2)), expected);
  EXPECT_EQ(Sum(Fine(1, 2), coarse), expected);
}

TEST(NativeArithmeticTest, DifferencesKeepNegativeCountsAndLeaveOutEmptyBuckets) {
  EXPECT_EQ(Sum(Fine(1, 2), Fine(3, 2), -1).buckets,
            (std::vector<NativeBucket>{{1, std::sqrt(2.0), -2, 0}}));
}

TEST(NativeArithmeticTest, WidensTheZeroBucketPastAPopulatedBucket) {
  // 1.5 lies inside (1, 2]: the zero bucket ends at 2 in both.
  const NativeHistogram wide{5, 0, {{-1.5, 1.5, 5, 3}, {4, 8, 0, 0}}};
  EXPECT_EQ(Sum(kZero, wide), (NativeHistogram{15, 12, {{-2, 2, 13, 3}, {2, 4, 2, 0}}}));
  EXPECT_EQ(Sum(wide, kZero), Sum(kZero, wide));
}

TEST(NativeArithmeticTest, RefusesToMixWhatDoesNotFit) {
  NativeHistogram other = kCustom;
  other.buckets[1] = {0.3, 0.8, 4, 0};
  const NativeHistogram cut{3, 1, {{-0.75, 0.75, 1, 3}, {0.75, 1, 2, 0}}};
  EXPECT_EQ(MixOf(NativeValueOf(kCustom), NativeValueOf(kZero)), NativeMix::kSchemas);
  EXPECT_EQ(MixOf(NativeValueOf(kCustom), NativeValueOf(other)), NativeMix::kBounds);
  EXPECT_EQ(MixOf(NativeValueOf(kZero), NativeValueOf(cut)), NativeMix::kUnclear);
  EXPECT_EQ(MixOf(NativeValueOf(kCustom), NativeValueOf({})), NativeMix::kFits);
  NativeValue value = NativeValueOf(kCustom);
  EXPECT_EQ(AddNative(&value, NativeValueOf(other), 1), NativeMix::kBounds);
  EXPECT_EQ(NativeHistogramOf(value), kCustom);
}

struct ResetCase {
  const char* rule;
  NativeHistogram before;
  NativeHistogram now;
  bool reset;
};

TEST(NativeArithmeticTest, KnowsResetsByTheirRules) {
  const NativeHistogram coarse{5, 3, {{1, 2, 5, 0}}};
  const ResetCase cases[] = {
      {"nothing changes", kZero, kZero, false},
      {"the sum may fall", {3, 9, {{1, 2, 3, 0}}}, {3, 1, {{1, 2, 3, 0}}}, false},
      {"count falls", {3, 1, {}}, {2, 1, {}}, true},
      {"a bucket falls", Fine(2, 2), Fine(1, 9), true},
      {"a bucket is missing", {3, 1, {{1, 2, 3, 0}}}, {9, 1, {{2, 4, 9, 0}}}, true},
      {"zero count falls",
       {3, 1, {{-0.5, 0.5, 3, 3}}},
       {9, 1, {{-0.5, 0.5, 2, 3}, {1, 2, 7, 0}}},
       true},
      {"resolution rises", coarse, Fine(3, 3), true},
      {"resolution falls", Fine(2, 2), coarse, false},
      {"resolution falls, and the merged bucket", Fine(3, 3), coarse, true},
      {"zero threshold falls", kTwoSided, {9, 1, {{-4, -2, 1, 1}, {-0.25, 0.25, 8, 3}}}, true},
      {"zero threshold rises over whole buckets",
       kZero,
       {12, 12, {{-2, 2, 9, 3}, {2, 4, 3, 0}}},
       false},
      {"zero threshold rises into a bucket",
       kZero,
       {12, 12, {{-1.5, 1.5, 9, 3}, {2, 4, 3, 0}}},
       true},
      {"exponential becomes custom", kZero, kCustom, true},
  };
  for (const ResetCase& each : cases) {
    EXPECT_EQ(NativeReset(NativeValueOf(each.now), NativeValueOf(each.before)), each.reset)
        << each.rule;
  }
}

TEST(NativeArithmeticTest, ScalesEveryCount) {
  NativeValue value = NativeValueOf(kZero);
  MultiplyNative(&value, 2);
  EXPECT_EQ(NativeHistogramOf(value),
            (NativeHistogram{20, 24, {{-0.001, 0.001, 8, 3}, {1, 2, 8, 0}, {2, 4, 4, 0}}}));
  DivideNative(&value, 2);
  EXPECT_EQ(NativeHistogramOf(value), kZero);
  DivideNative(&value, 0);
  EXPECT_EQ(value.count, kInfinity);
  EXPECT_FALSE(value.HasBins());
}

TEST(NativeArithmeticTest, EqualityIsOfEveryCountAndTheSumsBits) {
  NativeHistogram other = kZero;
  EXPECT_TRUE(EqualNative(NativeValueOf(kZero), NativeValueOf(other)));
  other.sum = kNaN;
  EXPECT_TRUE(EqualNative(NativeValueOf(other), NativeValueOf(other)));
  EXPECT_FALSE(EqualNative(NativeValueOf(kZero), NativeValueOf(other)));
  other = kZero;
  other.buckets[1].count = 5;
  EXPECT_FALSE(EqualNative(NativeValueOf(kZero), NativeValueOf(other)));
}

/// Whole counts at a random schema, as the API would show them.
NativeHistogram Random(std::mt19937_64* random) {
  std::uniform_int_distribution<int> schema(-2, 2);
  std::uniform_int_distribution<int> number(0, 9);
  const int s = schema(*random);
  NativeHistogram histogram;
  const double zero = number(*random) < 5 ? 0 : 0.25;
  std::vector<NativeBucket> all;
  for (int index = 40; index >= -8; --index) {
    const double low = std::exp2(std::ldexp(index - 1, -s));
    const double high = std::exp2(std::ldexp(index, -s));
    if (low >= 0.25 && high < 1e6 && number(*random) < 2) {
      all.push_back({-high, -low, static_cast<double>(1 + number(*random)), 1});
    }
  }
  if (zero > 0) all.push_back({-zero, zero, static_cast<double>(1 + number(*random)), 3});
  for (int index = -8; index <= 40; ++index) {
    const double low = std::exp2(std::ldexp(index - 1, -s));
    const double high = std::exp2(std::ldexp(index, -s));
    if (low >= 0.25 && high < 1e6 && number(*random) < 4) {
      all.push_back({low, high, static_cast<double>(1 + number(*random)), 0});
    }
  }
  for (const NativeBucket& bucket : all) histogram.count += bucket.count;
  histogram.sum = number(*random);
  histogram.buckets = all;
  return histogram;
}

double CountOf(const NativeHistogram& histogram) {
  double count = 0;
  for (const NativeBucket& bucket : histogram.buckets) count += bucket.count;
  return count;
}

TEST(NativeArithmeticTest, NoObservationIsLostAndOrderDoesNotMatter) {
  std::mt19937_64 random(20260101);
  int differing = 0;
  for (int i = 0; i < 2000; ++i) {
    const NativeHistogram a = Random(&random);
    const NativeHistogram b = Random(&random);
    const NativeValue left = NativeValueOf(a);
    const NativeValue right = NativeValueOf(b);
    // A lone cut bucket does not tell its schema.
    if (MixOf(left, right) != NativeMix::kFits) continue;
    if (left.schema != right.schema) ++differing;
    const NativeHistogram sum = Sum(a, b);
    EXPECT_EQ(CountOf(sum), a.count + b.count);
    EXPECT_EQ(sum, Sum(b, a));
    // What was merged stays merged, so the difference has a's observations, nothing of b's.
    EXPECT_EQ(CountOf(Sum(sum, b, -1)), a.count);
    EXPECT_FALSE(NativeReset(NativeValueOf(sum), left) &&
                 left.schema == NativeValueOf(sum).schema &&
                 left.zero_threshold == NativeValueOf(sum).zero_threshold);
  }
  EXPECT_GT(differing, 500);
}

TEST(NativeArithmeticTest, CompensatedSumsKeepWhatPlainOnesRoundAway) {
  const NativeHistogram small{1e-3, 1, {{1, 2, 1e-3, 0}}};
  const NativeHistogram large{1e16, 1, {{1, 2, 1e16, 0}}};
  NativeSum plain(false);
  NativeSum compensated(true);
  for (const NativeHistogram& each : {large, small, small}) {
    EXPECT_EQ(plain.Add(NativeValueOf(each)), NativeMix::kFits);
    EXPECT_EQ(compensated.Add(NativeValueOf(each)), NativeMix::kFits);
  }
  NativeHistogram minus = large;
  for (double* count : {&minus.count, &minus.buckets[0].count}) *count = -*count;
  plain.Add(NativeValueOf(minus));
  compensated.Add(NativeValueOf(minus));
  EXPECT_EQ(plain.Result().count, 0);
  EXPECT_EQ(compensated.Result().count, 2e-3);
  EXPECT_EQ(NativeHistogramOf(compensated.Result()).buckets,
            (std::vector<NativeBucket>{{1, 2, 2e-3, 0}}));
}

NativeHistogram One(double count, double sum) { return {count, sum, {{1, 2, count, 0}}}; }

bool Differ(const NativeValue& a, const NativeValue& b) { return !EqualNative(a, b); }

NativeHistogram Rate(const std::vector<NativeSample>& samples, RateKind kind, const char* version,
                     TimeMs start = 0, TimeMs end = 60'000) {
  NativeValue result;
  EXPECT_EQ(NativeRate({samples, start, end}, kind, DurationSeconds(end - start),
                       ParseSemantics(version), &result),
            NativeMix::kFits);
  return NativeHistogramOf(result);
}

TEST(NativeRateTest, ExtrapolatesAsFloatsDo) {
  const std::vector<NativeSample> samples = {
      {0, One(100, 150)}, {30'000, One(130, 200)}, {60'000, One(160, 240)}};
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "2.42"), One(60, 90));
  EXPECT_EQ(Rate(samples, RateKind::kRate, "2.42"), One(1, 1.5));
  EXPECT_EQ(Rate(samples, RateKind::kDelta, "3.5"), One(60, 90));
  // Half an interval at the far edge, none more.
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "3.5", 0, 600'000), One(75, 112.5));
}

TEST(NativeRateTest, OnlyFrom36OnTheLineBackToZeroLimits) {
  const std::vector<NativeSample> samples = {
      {10'000, One(1, 1)}, {20'000, One(3, 4)}, {30'000, One(5, 7)}};
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "3.5", 0, 30'000), One(6, 9));
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "3.6", 0, 30'000), One(5, 7.5));
  EXPECT_EQ(Rate(samples, RateKind::kDelta, "3.6", 0, 30'000), One(6, 9));
}

TEST(NativeRateTest, AddsWhatAResetTookAway) {
  const std::vector<NativeSample> samples = {
      {0, One(10, 15)}, {20'000, One(14, 21)}, {40'000, One(2, 3)}, {60'000, One(8, 12)}};
  for (const char* version : {"2.42", "3.13"}) {
    EXPECT_EQ(Rate(samples, RateKind::kIncrease, version), One(12, 18)) << version;
  }
  EXPECT_EQ(CountNative({samples, 0, 60'000}, NativeReset), 1);
  EXPECT_EQ(CountNative({samples, 0, 60'000}, Differ), 3);
}

TEST(NativeRateTest, AResetAtTheFirstSampleForgetsItsResolutionFrom30On) {
  const double root = std::sqrt(2.0);
  const std::vector<NativeSample> samples = {{0, {4, 4, {{1, 2, 4, 0}}}},
                                             {30'000, {5, 5, {{1, root, 3, 0}, {root, 2, 2, 0}}}},
                                             {60'000, {9, 9, {{1, root, 5, 0}, {root, 2, 4, 0}}}}};
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "2.55"), One(9, 9));
  EXPECT_EQ(Rate(samples, RateKind::kIncrease, "3.0"), samples[2].h);
}

TEST(NativeRateTest, InstantRatesLookAtTheLastTwo) {
  const std::vector<NativeSample> samples = {
      {0, One(10, 15)}, {20'000, One(14, 21)}, {40'000, One(4, 6)}};
  NativeValue result;
  EXPECT_EQ(NativeInstantRate({samples, 0, 0}, true, &result), NativeMix::kFits);
  EXPECT_EQ(NativeHistogramOf(result), One(0.2, 0.3));
  EXPECT_EQ(NativeInstantRate({samples, 0, 0}, false, &result), NativeMix::kFits);
  EXPECT_EQ(NativeHistogramOf(result), One(-10, -15));
}

TEST(NativeRateTest, RefusesSamplesOfTwoKinds) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  const NativeHistogram custom{9, 9, {{-kInfinity, 0.3, 9, 3}}};
  NativeValue result;
  for (const std::vector<NativeSample>& samples :
       {std::vector<NativeSample>{{0, custom}, {30'000, custom}, {60'000, One(9, 9)}},
        std::vector<NativeSample>{{0, One(1, 1)}, {30'000, custom}, {60'000, One(9, 9)}}}) {
    EXPECT_EQ(
        NativeRate({samples, 0, 60'000}, RateKind::kRate, 60, ParseSemantics("2.55"), &result),
        NativeMix::kSchemas);
  }
}

/// The rate of a sum is the sum of the rates when all share their scrapes and nothing resets.
TEST(NativeRateTest, SumsAndRatesChangePlaces) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> more(0, 5);
  for (int round = 0; round < 300; ++round) {
    std::vector<NativeSample> pods[2];
    std::vector<NativeSample> both;
    for (auto& pod : pods) {
      NativeHistogram histogram{0, 0, {{1, 2, 1, 0}, {2, 4, 1, 0}, {4, 8, 1, 0}}};
      for (int i = 0; i < 4; ++i) {
        histogram.count = 0;
        for (NativeBucket& bucket : histogram.buckets) {
          bucket.count += more(random);
          histogram.count += bucket.count;
          histogram.sum += bucket.count;
        }
        pod.push_back({i * 20'000, histogram});
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      NativeValue sum = NativeValueOf(pods[0][i].h);
      AddNative(&sum, NativeValueOf(pods[1][i].h), 1);
      both.push_back({pods[0][i].t, NativeHistogramOf(sum)});
    }
    NativeValue sum = NativeValueOf(Rate(pods[0], RateKind::kIncrease, "3.5"));
    AddNative(&sum, NativeValueOf(Rate(pods[1], RateKind::kIncrease, "3.5")), 1);
    EXPECT_EQ(NativeHistogramOf(sum), Rate(both, RateKind::kIncrease, "3.5"));
  }
}

}  // namespace
}  // namespace schedlens
