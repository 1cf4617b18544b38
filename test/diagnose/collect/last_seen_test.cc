#include <gtest/gtest.h>

#include "base/exposition.h"
#include "diagnose/collect/missing.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60'000, kDay = 24 * 60 * kMinute;

/// Scraped at the tenth and the twentieth minute.
testing_support::StoreSource Stored() {
  return testing_support::StoreSource(
      ParseExposition("x{a=\"b\"} 1 600\nx{a=\"b\"} 2 1200\n# EOF\n", "f.om", std::nullopt).series);
}

TEST(FindNearestScrape, IsTheLastOneBeforeTheRange) {
  auto source = Stored();
  const auto found = FindNearestScrape(source, "x", {kDay - kMinute, kDay});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->before);
  EXPECT_EQ(found->at, 20 * kMinute);
  EXPECT_EQ(found->promql, "max(max_over_time(timestamp(x)[1d:5m]))");
  const auto late = FindNearestScrape(source, "x", {9 * kDay, 10 * kDay});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->at, 20 * kMinute);
}

// A search by steps of five minutes alone would stop at the one of minute 10.
TEST(FindNearestScrape, IsFoundBetweenTheStepsOfTheSearch) {
  testing_support::StoreSource source(
      ParseExposition("x 1 600\nx 2 670\nx 3 730\nx 4 780\n# EOF\n", "f.om", std::nullopt).series);
  const auto found = FindNearestScrape(source, "x", {14 * kMinute - 1000, 14 * kMinute});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, 13 * kMinute);
}

TEST(FindNearestScrape, OrTheFirstOneAfterIt) {
  auto source = Stored();
  const auto found = FindNearestScrape(source, "x", {0, kMinute});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->before);
  EXPECT_EQ(found->at, 10 * kMinute);
}

TEST(FindNearestScrape, IsNothingInsideTooFarAwayAndWithoutSamples) {
  auto source = Stored();
  EXPECT_FALSE(FindNearestScrape(source, "x", {5 * kMinute, 20 * kMinute}));
  EXPECT_FALSE(FindNearestScrape(source, "x", {20 * kDay, 21 * kDay}));
  EXPECT_FALSE(FindNearestScrape(source, "y", {0, kDay}));
}

}  // namespace
}  // namespace schedlens
