#include "diagnose/tail/top_total.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace schedlens {
namespace {

const std::vector<double> kTopBounds = {1, 2, 4, INFINITY};

TEST(TopTotalTest, TopOfACellIsAtUpperEdgesAndUnderTheSum) {
  const std::vector<double> buckets = {3, 2, 1, 0};
  const CellView cell{kTopBounds, buckets, 6.0};
  TopTotal one(1), two(2);
  one.AddCell(cell);
  two.AddCell(cell);
  // Largest: at most 4, but the sum leaves it 6 - (two over 1 s) = 4.
  EXPECT_NEAR(one.Max(), 4, 1e-6);
  // Two largest: at most 4 + 2, and 6 - one of at least 1 s = 5.
  EXPECT_NEAR(two.Max(), 5, 1e-6);
}

TEST(TopTotalTest, OpenBucketIsBoundedByTheSumAlone) {
  const std::vector<double> buckets = {2, 0, 0, 1};
  TopTotal known(1), unknown(1);
  known.AddCell({kTopBounds, buckets, 10.0});
  unknown.AddCell({kTopBounds, buckets, NAN});
  EXPECT_NEAR(known.Max(), 10, 1e-6);
  EXPECT_TRUE(std::isinf(unknown.Max()));
}

TEST(TopTotalTest, CountsThatNobodyCanLookAtProveNothing) {
  for (const double n : {1e8, 1e15, 1e24, 1e300}) {
    const std::vector<double> buckets = {n, 0, 0, 0};
    const CellView cell{kTopBounds, buckets, n};
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    TopTotal all(kAll), part(kAll), one(1);
    all.AddCell(cell);
    part.AddPart(cell, 1);
    one.AddCell(cell);
    EXPECT_TRUE(std::isinf(all.Max()) && std::isinf(part.Max())) << n;
    EXPECT_EQ(one.Max(), 1) << "one of them can be looked at";
    EXPECT_EQ(LeastTopTotal({cell}, kAll), 0) << n;
  }
}

TEST(TopTotalTest, APartHasNoMoreThanItsSecondsOrItsWholes) {
  const std::vector<double> buckets = {0, 0, 3, 0};
  TopTotal small(2), large(2);
  small.AddPart({kTopBounds, buckets, 9}, 1.5);
  large.AddPart({kTopBounds, buckets, 9}, 100);
  EXPECT_NEAR(small.Max(), 1.5, 1e-6);
  EXPECT_NEAR(large.Max(), 8, 1e-6);
}

TEST(TopTotalTest, EmptyIsZero) {
  EXPECT_EQ(TopTotal(5).Max(), 0);
  EXPECT_EQ(LeastTopTotal({}, 5), 0);
}

/// Random cells of random values: the true top m lies between both bounds, always.
TEST(TopTotalTest, TruthLiesBetweenLeastAndMost) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> value(0, 1.5);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> all;
    std::vector<std::vector<double>> buckets(6, std::vector<double>(kTopBounds.size(), 0));
    std::vector<double> sums(buckets.size(), 0);
    for (std::size_t c = 0; c < buckets.size(); ++c) {
      for (int n = static_cast<int>(random() % 8); n > 0; --n) {
        const double x = value(random);
        all.push_back(x);
        sums[c] += x;
        const auto b =
            std::lower_bound(kTopBounds.begin(), kTopBounds.end(), x) - kTopBounds.begin();
        buckets[c][static_cast<std::size_t>(b)] += 1;
      }
    }
    std::sort(all.begin(), all.end(), std::greater<>());
    const std::size_t m = 1 + random() % 10;
    const double truth =
        std::accumulate(all.begin(), all.begin() + static_cast<long>(std::min(m, all.size())), 0.0);
    TopTotal most(m);
    std::vector<CellView> cells;
    for (std::size_t c = 0; c < buckets.size(); ++c) {
      cells.push_back({kTopBounds, buckets[c], sums[c]});
      most.AddCell(cells.back());
    }
    EXPECT_GE(most.Max(), truth - 1e-9);
    EXPECT_LE(LeastTopTotal(cells, m), truth + 1e-6);
  }
}

}  // namespace
}  // namespace schedlens
