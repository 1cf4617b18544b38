#include "analysis/tail/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace schedlens {
namespace {

const std::vector<double> kBounds = {0.25, 0.5, 1, 2, 4, 8, INFINITY};

std::vector<double> BucketsOf(const std::vector<double>& values) {
  std::vector<double> buckets(kBounds.size(), 0);
  for (const double v : values) {
    buckets[static_cast<std::size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), v) -
                                     kBounds.begin())] += 1;
  }
  return buckets;
}

TEST(OverlapTest, WhereTheOtherStageFillsTheTailNothingIsLeft) {
  // 10 attempts slow in bind (5 s), 10 in the algorithm (1.5 s), 980 quick; the tail is 10.
  OverlapCounts counts;
  counts.bounds = kBounds;
  std::vector<double> a(1000, 0.01), b(1000, 0.01), e;
  for (int i = 0; i < 10; ++i) b[static_cast<std::size_t>(i)] = 5;
  for (int i = 10; i < 20; ++i) a[static_cast<std::size_t>(i)] = 1.5;
  for (std::size_t i = 0; i < a.size(); ++i) e.push_back(a[i] + b[i]);
  counts.stage = BucketsOf(a);
  counts.other = BucketsOf(b);
  counts.e2e = BucketsOf(e);
  EXPECT_EQ(MostSlowInTail(counts, 2, 10), 10);  // at 1 s both are slow: nothing is known
  EXPECT_EQ(MostSlowInTail(counts, 3, 10), 0);   // at 2 s the tail is bind's alone
}

TEST(OverlapTest, NeverUnderTheTruth) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> cost(-1.5, 1.3);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> a, b, e;
    double rest = 0;
    for (int i = 0; i < 200; ++i) {
      a.push_back(cost(random));
      b.push_back(cost(random));
      const double r = 0.01 * cost(random);
      rest += r;
      e.push_back(a.back() + b.back() + r);
    }
    std::vector<std::size_t> order(e.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto x, auto y) { return e[x] > e[y]; });
    OverlapCounts counts{kBounds, BucketsOf(e), BucketsOf(a), BucketsOf(b), rest, 0};
    for (std::size_t bound = 0; bound + 1 < kBounds.size(); ++bound) {
      double truth = 0;
      for (std::size_t i = 0; i < 10; ++i) truth += a[order[i]] > kBounds[bound] ? 1 : 0;
      EXPECT_GE(MostSlowInTail(counts, bound, 10), truth);
    }
  }
}

}  // namespace
}  // namespace schedlens
