// anchored and smoothed windows (3.7 and newer), worked by hand.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "stats/range_functions.h"

namespace schedlens {
namespace {

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
