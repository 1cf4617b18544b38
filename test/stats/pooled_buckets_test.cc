#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stats/scrape_increases.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;

/// One cell with so many observations inside each bucket.
ScrapeIncreases PooledCells(const std::vector<double>& bounds, const std::vector<double>& inside) {
  ScrapeIncreases cells;
  cells.bounds = bounds;
  cells.buckets = inside;
  cells.edges = {0, 5000};
  cells.sums = {0};
  cells.reset = {false};
  return cells;
}

TEST(PoolBucketsTest, EqualLayoutsAreAddedBoundByBound) {
  const std::vector<ScrapeIncreases> children = {PooledCells({1, 2, INFINITY}, {80, 10, 0}),
                                                 PooledCells({1, 2, INFINITY}, {5, 4, 1})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(1, 2, INFINITY));
  EXPECT_THAT(pooled.cumulative, ElementsAre(85, 99, 100));
  EXPECT_EQ(pooled.BucketOf(0.99), 1u);
  EXPECT_EQ(pooled.BucketOf(0.999), 2u);
  EXPECT_DOUBLE_EQ(pooled.Interpolate(0.92), 1.5);
  EXPECT_DOUBLE_EQ(pooled.Interpolate(0.999), 2) << "the open bucket's lower edge";
}

TEST(PoolBucketsTest, DifferentLayoutsProveNothingBetweenCommonBounds) {
  // If the forty took 1.5 s each, the 70th is 1.5 s: adding bound by bound would place it in (2,
  // 8].
  const std::vector<ScrapeIncreases> children = {PooledCells({1, 2, INFINITY}, {0, 60, 0}),
                                                 PooledCells({1, 8, INFINITY}, {0, 40, 0})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(1, INFINITY));
  EXPECT_THAT(pooled.cumulative, ElementsAre(0, 100));
  EXPECT_EQ(pooled.LowerEdge(pooled.BucketOf(0.7)), 1);
}

TEST(PoolBucketsTest, WithoutBucketsOnlyTheCountIsKnown) {
  const std::vector<ScrapeIncreases> children = {PooledCells({INFINITY}, {3}),
                                                 PooledCells({1, INFINITY}, {2, 2})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(INFINITY));
  EXPECT_EQ(pooled.count(), 7);
}

TEST(PoolBucketsTest, NothingHasNoQuantile) {
  EXPECT_TRUE(PoolBuckets(std::vector<ScrapeIncreases>()).bounds.empty());
  const std::vector<ScrapeIncreases> children = {PooledCells({1, INFINITY}, {0, 0})};
  EXPECT_TRUE(std::isnan(PoolBuckets(children).Interpolate(0.5)));
}

}  // namespace
}  // namespace schedlens
