#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "stats/range_functions.h"

namespace schedlens {
namespace {

std::optional<double> Ask(VictoriaFunction function, const std::vector<TimeMs>& times,
                          const std::vector<double>& values, TimeMs end, std::int64_t window,
                          std::int64_t step = 0) {
  const std::vector<TimeMs> ends = {end};
  std::vector<double> results = {-12345};
  VictoriaRollupOverSteps({function, window, step}, times, values, ends, results);
  return results[0] == -12345 ? std::nullopt : std::optional(results[0]);
}

TEST(VictoriaFunctionsTest, RateStartsAtTheSampleBeforeTheWindow) {
  const std::vector<TimeMs> times = {0, 10'000, 20'000, 30'000};
  const std::vector<double> values = {100, 110, 130, 160};
  EXPECT_EQ(Ask(VictoriaFunction::kRate, times, values, 30'000, 15'000), (160 - 110) / 20.0);
  EXPECT_EQ(Ask(VictoriaFunction::kIncrease, times, values, 30'000, 15'000), 50);
  // Without one, the first inside; alone it gives no rate.
  EXPECT_EQ(Ask(VictoriaFunction::kRate, times, values, 30'000, 60'000), 2);
  EXPECT_EQ(Ask(VictoriaFunction::kRate, {0}, {5}, 30'000, 60'000), std::nullopt);
  EXPECT_EQ(Ask(VictoriaFunction::kRate, {}, {}, 30'000, 60'000), std::nullopt);
}

TEST(VictoriaFunctionsTest, AFreshSeriesStartsAtZeroIfItsFirstValueIsSmall) {
  EXPECT_EQ(Ask(VictoriaFunction::kIncrease, {10'000, 20'000}, {5, 7}, 30'000, 60'000), 7);
  EXPECT_EQ(Ask(VictoriaFunction::kIncrease, {10'000, 20'000}, {500, 507}, 30'000, 60'000), 7);
  EXPECT_EQ(Ask(VictoriaFunction::kIncrease, {10'000}, {9}, 30'000, 60'000), 9);
  EXPECT_EQ(Ask(VictoriaFunction::kIncrease, {10'000}, {10}, 30'000, 60'000), 0);
}

TEST(VictoriaFunctionsTest, RemovesFullAndPartialResets) {
  std::vector<double> values = {100, 10, 20, 19, 25};
  RemoveCounterResets(values);
  EXPECT_EQ(values, (std::vector<double>{100, 110, 120, 120, 126}));
}

TEST(VictoriaFunctionsTest, TheGapGrowsWithTheScrapeInterval) {
  const auto times = [](TimeMs interval) {
    std::vector<TimeMs> all;
    for (int i = 0; i < 30; ++i) all.push_back(i * interval);
    return all;
  };
  EXPECT_EQ(MaxGapBefore(times(1'000), 9), 5'000);
  EXPECT_EQ(MaxGapBefore(times(4'000), 9), 12'000);
  EXPECT_EQ(MaxGapBefore(times(5'000), 9), 10'000);
  EXPECT_EQ(MaxGapBefore(times(15'000), 9), 22'500);
  EXPECT_EQ(MaxGapBefore(times(30'000), 9), 37'500);
  EXPECT_EQ(MaxGapBefore(times(60'000), 9), 67'500);
  EXPECT_EQ(MaxGapBefore({}, 300'000), 337'500);
}

TEST(VictoriaFunctionsTest, InARangeQueryALongGapCutsThePreviousSampleOff) {
  std::vector<TimeMs> times;
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) {
    times.push_back(i * 10'000);
    values.push_back(i);
  }
  times.push_back(190'000);
  values.push_back(100);
  times.push_back(200'000);
  values.push_back(110);
  // Window (170 s, 200 s]: the sample at 90 s is 80 s before it, over 15 s but under 5 minutes.
  EXPECT_EQ(Ask(VictoriaFunction::kRate, times, values, 200'000, 30'000, 30'000), 1);
  EXPECT_EQ(Ask(VictoriaFunction::kRate, times, values, 200'000, 30'000), 101 / 110.0);
}

TEST(VictoriaFunctionsTest, CountsResetsAndChanges) {
  const std::vector<TimeMs> times = {0, 10'000, 20'000, 30'000};
  const std::vector<double> values = {5, 5, 3, 4};
  EXPECT_EQ(Ask(VictoriaFunction::kResets, times, values, 30'000, 60'000), 1);
  // The first sample of a series is a change.
  EXPECT_EQ(Ask(VictoriaFunction::kChanges, times, values, 30'000, 60'000), 3);
  EXPECT_EQ(Ask(VictoriaFunction::kChanges, times, values, 30'000, 15'000), 2);
  EXPECT_EQ(Ask(VictoriaFunction::kIdelta, times, values, 30'000, 60'000), 1);
  EXPECT_EQ(Ask(VictoriaFunction::kIrate, times, values, 30'000, 60'000), 0.1);
}

}  // namespace
}  // namespace schedlens
