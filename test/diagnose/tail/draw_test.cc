#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "diagnose/tail/estimate.h"

namespace schedlens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kDrawBounds = {0.001, 0.002, 0.004, kInfinity};

TEST(DrawObservationsTest, FillsTheBucketsAndAddsUpToTheSum) {
  std::mt19937_64 random(1);
  const std::vector<double> buckets = {2, 0, 3, 0};
  for (const double sum : {0.0075, 0.009, 0.0125}) {
    const DrawnCell drawn = DrawObservations({kDrawBounds, buckets, sum}, 0, &random);
    ASSERT_EQ(drawn.large.size(), 5u);
    EXPECT_EQ(
        std::count_if(drawn.large.begin(), drawn.large.end(), [](double s) { return s <= 0.001; }),
        2);
    EXPECT_EQ(std::count_if(drawn.large.begin(), drawn.large.end(),
                            [](double s) { return s > 0.002 && s <= 0.004; }),
              3);
    EXPECT_NEAR(std::accumulate(drawn.large.begin(), drawn.large.end(), 0.0), sum, 1e-12);
  }
}

TEST(DrawObservationsTest, TheOpenBucketTakesWhatTheSumLeaves) {
  std::mt19937_64 random(1);
  const std::vector<double> buckets = {10, 0, 0, 2};
  const DrawnCell drawn = DrawObservations({kDrawBounds, buckets, 30}, 0.001, &random);
  ASSERT_EQ(drawn.large.size(), 2u);
  EXPECT_NEAR(drawn.large[0] + drawn.large[1], 30, 0.01);
  EXPECT_EQ(drawn.small_count, 10);
  EXPECT_LE(drawn.small_seconds, 0.01);
}

TEST(DrawObservationsTest, ASumOutOfReachBendsToTheEdgesOnly) {
  std::mt19937_64 random(1);
  const std::vector<double> buckets = {0, 4, 0, 0};
  const DrawnCell drawn = DrawObservations({kDrawBounds, buckets, 1e9}, 0, &random);
  for (const double s : drawn.large) EXPECT_DOUBLE_EQ(s, 0.002);
}

TEST(DrawObservationsTest, WithoutASumNothingIsBent) {
  std::mt19937_64 random(1);
  const std::vector<double> buckets = {0, 4, 0, 0};
  const DrawnCell drawn = DrawObservations({kDrawBounds, buckets, std::nan("")}, 0, &random);
  ASSERT_EQ(drawn.large.size(), 4u);
  for (const double s : drawn.large) EXPECT_TRUE(s > 0.001 && s < 0.002) << s;
}

TEST(DrawObservationsTest, AnEmptyCellGivesNone) {
  std::mt19937_64 random(1);
  EXPECT_TRUE(DrawObservations({{}, {}, 1}, 0, &random).large.empty());
}

TEST(DrawObservationsTest, WithoutBucketsAllAreAsLongAsTheirMean) {
  std::mt19937_64 random(1);
  const std::vector<double> open = {kInfinity}, buckets = {4};
  EXPECT_TRUE(IsSmallByMean({open, buckets, 2}, 0.5));
  EXPECT_FALSE(IsSmallByMean({open, buckets, 2}, 0.4));
  EXPECT_FALSE(IsSmallByMean({open, buckets, std::nan("")}, 0.5));
  const DrawnCell small = DrawObservations({open, buckets, 2}, 0.5, &random);
  EXPECT_TRUE(small.large.empty());
  EXPECT_EQ(small.small_count, 4);
  EXPECT_EQ(small.small_seconds, 2);
  EXPECT_EQ(DrawObservations({open, buckets, 2}, 0.4, &random).large,
            (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
}

}  // namespace
}  // namespace schedlens
