#include "stats/range_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/not_finite.h"

namespace schedlens {
namespace {

struct Data {
  std::vector<TimeMs> times;
  std::vector<double> values;
  std::vector<std::uint32_t> drops;

  Data(std::vector<TimeMs> t, std::vector<double> v) : times(std::move(t)), values(std::move(v)) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] < values[i - 1]) drops.push_back(static_cast<std::uint32_t>(i));
    }
  }
  SampleWindow Window(TimeMs start, TimeMs end) const {
    return {times, values, drops, 0, start, end};
  }
};

std::optional<double> Rate(const Data& data, TimeMs start, TimeMs end, RateKind kind,
                           const char* version) {
  return ExtrapolatedRate(data.Window(start, end), kind, ParseSemantics(version),
                          DurationSeconds(end - start));
}

TEST(RangeFunctionsTest, ExtrapolatesToBothEdges) {
  // 10 s scrapes in a minute: 5 s missing on the left, 5 s on the right.
  const Data data({5'000, 15'000, 25'000, 35'000, 45'000, 55'000}, {100, 110, 120, 130, 140, 150});
  for (const char* version : {"2.20", "2.40", "2.51", "3.6"}) {
    EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kIncrease, version), 60) << version;
    EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kRate, version), 1) << version;
    EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kDelta, version), 60) << version;
  }
}

TEST(RangeFunctionsTest, NeedsTwoSamples) {
  EXPECT_FALSE(Rate(Data({5'000}, {1}), 0, 60'000, RateKind::kRate, "3.6").has_value());
  EXPECT_FALSE(Rate(Data({}, {}), 0, 60'000, RateKind::kRate, "3.6").has_value());
}

TEST(RangeFunctionsTest, ClipsAtZeroBeforeOrAfterTheHalfInterval) {
  // First sample 12 s in, average 10 s, threshold 11 s: over it, so half an interval (5 s). The
  // line back to zero takes 10.5 s: under the threshold. Up to 2.50 the clip comes first and leaves
  // 10.5 s; from 2.51 on the cap comes first and leaves 5 s.
  const Data data({12'000, 22'000, 32'000, 42'000, 52'000}, {10.5, 20.5, 30.5, 40.5, 50.5});
  const double old = 40 * ((40 + 10.5 + 8) / 40.0);
  const double young = 40 * ((40.0 + 5 + 8) / 40.0);
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kIncrease, "2.20"), old);
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kIncrease, "2.50"), old);
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kIncrease, "2.51"), young);
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kIncrease, "3.13"), young);
  // A gauge has no zero.
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 60'000, RateKind::kDelta, "3.13"), young);
  const Data small({5'000, 15'000}, {1, 11});  // zero is 1 s before the first sample
  EXPECT_DOUBLE_EQ(*Rate(small, 0, 20'000, RateKind::kIncrease, "3.13"), 10 * (10.0 + 1 + 5) / 10);
  EXPECT_DOUBLE_EQ(*Rate(small, 0, 20'000, RateKind::kDelta, "3.13"), 10 * (10.0 + 5 + 5) / 10);
}

TEST(RangeFunctionsTest, TheThresholdIsStrict) {
  // Average 10 s; exactly 1.1 times it to the end counts as beyond.
  const Data data({0, 10'000, 20'000}, {100, 110, 120});
  const double capped = 20 * (20.0 + 0 + 5) / 20;
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 31'000, RateKind::kIncrease, "2.42"), capped);
  EXPECT_DOUBLE_EQ(*Rate(data, 0, 30'999, RateKind::kIncrease, "2.42"), 20 * (20 + 10.999) / 20);
}

TEST(RangeFunctionsTest, AddsWhatResetsLost) {
  const Data data({0, 10'000, 20'000, 30'000}, {100, 5, 8, 2});
  for (const char* version : {"2.20", "2.42", "3.6"}) {
    EXPECT_DOUBLE_EQ(*Rate(data, 0, 30'000, RateKind::kIncrease, version), 2 - 100 + 100 + 8);
    EXPECT_DOUBLE_EQ(*Rate(data, 0, 30'000, RateKind::kDelta, version), -98);
  }
}

TEST(RangeFunctionsTest, OrderOfOperationsDiffersInTheLastBits) {
  int apart = 0;
  int factor = 0;
  for (int i = 1; i < 400; ++i) {
    const double step = 0.1 * i;
    const Data data({3'000, 18'000, 33'000, 48'000}, {50.3, 50.3 + step, 0.7, 0.1});
    const double a = *Rate(data, 0, 60'000, RateKind::kRate, "2.39");
    const double b = *Rate(data, 0, 60'000, RateKind::kRate, "2.40");
    EXPECT_NEAR(a, b, 1e-12 * b);
    if (a != b) ++apart;
    const Data even({3'000, 18'000, 33'000}, {900, 900 + step, 900 + 2 * step});
    if (*Rate(even, 0, 60'000, RateKind::kRate, "2.39") !=
        *Rate(even, 0, 60'000, RateKind::kRate, "2.40")) {
      ++factor;
    }
  }
  EXPECT_GT(apart, 40);
  EXPECT_GT(factor, 40);
}

TEST(RangeFunctionsTest, DropsOutsideTheWindowDoNotCount) {
  const std::vector<std::uint32_t> drops = {3, 5, 9};  // of the whole series
  const std::vector<TimeMs> times = {0, 10'000, 20'000};
  const std::vector<double> values = {4, 9, 1};  // samples 3, 4, 5: the drop at 3 came before
  SampleWindow window{times, values, drops, 3, 0, 20'000};
  const auto result = ExtrapolatedRate(window, RateKind::kIncrease, Semantics{}, 20);
  EXPECT_DOUBLE_EQ(result.value(), 1 - 4 + 9);
}

TEST(RangeFunctionsTest, InstantFunctionsTakeTheLastTwo) {
  const Data up({0, 10'000, 14'000}, {1, 5, 9});
  EXPECT_EQ(InstantRate(up.Window(0, 20'000), true), 1);
  EXPECT_EQ(InstantRate(up.Window(0, 20'000), false), 4);
  const Data reset({0, 10'000}, {5, 2});
  EXPECT_EQ(InstantRate(reset.Window(0, 20'000), true), 0.2);
  EXPECT_EQ(InstantRate(reset.Window(0, 20'000), false), -3);
  EXPECT_EQ(InstantRate(Data({0}, {1}).Window(0, 20'000), true), std::nullopt);
}

TEST(RangeFunctionsTest, CountsResetsAndChanges) {
  const Data data({10, 20, 30, 40, 50, 60, 70}, {5, 5, 3, kNaN, kNaN, 4, 1});
  EXPECT_EQ(CountResets(data.Window(0, 100), false, ParseSemantics("3.15")),
            2);  // a NaN is neither below nor above
  EXPECT_EQ(CountChanges(data.Window(0, 100), false, ParseSemantics("3.15")),
            4);  // 5-3, 3-NaN, NaN-4, 4-1
  EXPECT_EQ(CountResets(Data({}, {}).Window(0, 100), false, ParseSemantics("3.15")), std::nullopt);
  // Anchored: from the last sample at or before the start.
  EXPECT_EQ(CountChanges(data.Window(25, 100), true, ParseSemantics("3.15")), 4);
  EXPECT_EQ(CountChanges(data.Window(30, 100), true, ParseSemantics("3.15")), 3);
  EXPECT_EQ(CountChanges(data.Window(70, 100), true, ParseSemantics("3.15")), std::nullopt);
  // Up to 3.8 the last two samples were counted, wherever they lay.
  EXPECT_EQ(CountChanges(data.Window(70, 100), true, ParseSemantics("3.8")), 1);
}

TEST(RangeFunctionsTest, SecondsOfADurationAreGos) {
  EXPECT_EQ(DurationSeconds(300'000), 300);
  EXPECT_EQ(DurationSeconds(1'100), 1.0 + 100'000'000 / 1e9);
  EXPECT_EQ(DurationSeconds(1), 1'000'000 / 1e9);
}

// anchored and smoothed windows (3.7 and newer), worked by hand.

std::optional<double> Ask(bool smoothed, RateKind kind, const std::vector<TimeMs>& times,
                          const std::vector<double>& values, TimeMs start, TimeMs end,
                          const char* version = "3.15") {
  const SampleWindow window{times, values, {}, 0, start, end};
  return ExtendedRate(window, kind, DurationSeconds(end - start), smoothed,
                      ParseSemantics(version));
}

TEST(ExtendedRateTest, AnchoredTakesTheSampleAtOrBeforeTheStart) {
  const std::vector<TimeMs> times = {5'000, 15'000, 25'000, 35'000};
  const std::vector<double> values = {1, 3, 6, 10};
  EXPECT_EQ(Ask(false, RateKind::kIncrease, times, values, 20'000, 40'000), 10 - 3);
  EXPECT_EQ(Ask(false, RateKind::kIncrease, times, values, 15'000, 40'000), 10 - 3);
  EXPECT_EQ(Ask(false, RateKind::kRate, times, values, 20'000, 40'000), 7.0 / 20);
  // Nothing before the start: the first sample itself.
  EXPECT_EQ(Ask(false, RateKind::kIncrease, times, values, 0, 40'000), 10 - 1);
  // A single sample inside is enough; none inside is nothing.
  EXPECT_EQ(Ask(false, RateKind::kIncrease, {5'000}, {4}, 0, 40'000), 0);
  EXPECT_EQ(Ask(false, RateKind::kIncrease, times, values, 35'000, 40'000), std::nullopt);
  EXPECT_EQ(Ask(false, RateKind::kIncrease, {}, {}, 0, 40'000), std::nullopt);
}

TEST(ExtendedRateTest, AnchoredCountsResets) {
  const std::vector<TimeMs> times = {5'000, 15'000, 25'000, 35'000};
  const std::vector<double> values = {10, 2, 5, 1};
  EXPECT_EQ(Ask(false, RateKind::kIncrease, times, values, 10'000, 40'000), 1 - 10 + 10 + 5);
  EXPECT_EQ(Ask(false, RateKind::kDelta, times, values, 10'000, 40'000), 1 - 10);
}

TEST(ExtendedRateTest, SmoothedDrawsLinesAtBothEdges) {
  const std::vector<TimeMs> times = {0, 10'000, 20'000, 30'000};
  const std::vector<double> values = {0, 10, 30, 40};
  // At 5 s the line stands at 5, at 25 s at 35.
  EXPECT_EQ(Ask(true, RateKind::kIncrease, times, values, 5'000, 25'000), 30);
  EXPECT_EQ(Ask(true, RateKind::kRate, times, values, 5'000, 25'000), 1.5);
  EXPECT_EQ(Ask(true, RateKind::kDelta, times, values, 5'000, 25'000), 30);
}

TEST(ExtendedRateTest, SmoothedTakesADropAtAnEdgeAsARestartFromZero) {
  // Left edge: the line starts at zero at 0 s and reaches 10 at 10 s.
  EXPECT_EQ(Ask(true, RateKind::kIncrease, {0, 10'000, 20'000}, {50, 10, 20}, 5'000, 20'000), 15);
  // Right edge: the counter goes on above 30: 30 + 10 at 20 s, half of it at 15 s.
  EXPECT_EQ(Ask(true, RateKind::kIncrease, {0, 10'000, 20'000}, {10, 30, 10}, 0, 15'000), 25);
  // A drop beyond the right edge that ends below the left one: up to 3.9 the line was raised first
  // (100 + 10 / 2) and never seen to fall; now it starts at zero and the fall is a reset.
  const std::vector<TimeMs> times = {0, 10'000};
  EXPECT_EQ(Ask(true, RateKind::kIncrease, times, {100, 10}, 5'000, 8'000, "3.9"), 108 - 5);
  EXPECT_EQ(Ask(true, RateKind::kIncrease, times, {100, 10}, 5'000, 8'000, "3.10"), 8 - 5);
  // A gauge simply falls.
  EXPECT_EQ(Ask(true, RateKind::kDelta, {0, 10'000, 20'000}, {10, 30, 10}, 0, 15'000), 10);
}

TEST(ExtendedRateTest, SmoothedOfDataBeyondTheWindowIsNothingFrom312) {
  const std::vector<TimeMs> times = {50'000, 60'000};
  EXPECT_EQ(Ask(true, RateKind::kIncrease, times, {1, 2}, 0, 40'000, "3.11"), 0);
  EXPECT_EQ(Ask(true, RateKind::kIncrease, times, {1, 2}, 0, 40'000, "3.12"), std::nullopt);
}

}  // namespace
}  // namespace schedlens
