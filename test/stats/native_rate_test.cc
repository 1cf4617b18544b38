#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/native_value.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

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
