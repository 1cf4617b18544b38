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

TEST(TopTotalTest, CountsOfNoSchedulerProveNothing) {
  for (const double n : {1e13, 1e15, 1e24, 1e300}) {
    const std::vector<double> buckets = {n, 0, 0, 0};
    const CellView cell{kTopBounds, buckets, n};
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    TopTotal all(kAll), part(kAll), one(1);
    all.AddCell(cell);
    part.AddPart(cell, 1);
    one.AddCell(cell);
    EXPECT_TRUE(std::isinf(all.Max()) && std::isinf(part.Max())) << n;
    EXPECT_EQ(one.Max(), 1) << "one of them counts";
    EXPECT_EQ(LeastTopTotal({cell}, kAll), 0) << n;
  }
}

/// The observations of a cell, largest first, each at an edge of its bucket.
std::vector<double> OneByOne(const CellView& cell, bool upper) {
  std::vector<double> all;
  for (std::size_t b = cell.bounds.size(); b-- > 0;) {
    const double edge = upper ? cell.bounds[b] : b == 0 ? 0 : cell.bounds[b - 1];
    all.insert(all.end(), static_cast<std::size_t>(std::ceil(cell.buckets[b])), edge);
  }
  return all;
}

/// The bound as its formula has it, observation by observation.
double MaxOneByOne(const std::vector<CellView>& cells, const std::vector<CellView>& wholes,
                   std::size_t m) {
  std::vector<double> worth;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::vector<double> upper = OneByOne(cells[c], true), lower = OneByOne(cells[c], false);
    const std::vector<double> whole = OneByOne(wholes[c], true);
    double free = cells[c].sum + RoundingSlack(cells[c].sum);
    for (std::size_t b = 1; b < cells[c].bounds.size(); ++b) {
      free -= cells[c].buckets[b] * cells[c].bounds[b - 1];
    }
    double top = 0, low = std::max(0.0, free), cap = 0, before = 0;
    for (std::size_t j = 0; j < std::min(upper.size(), m); ++j) {
      top += upper[j];
      low += lower[j];
      cap += whole.size() < std::min(upper.size(), m) ? INFINITY : whole[j];
      const double total = std::min({top, low, cap});
      worth.push_back(total - before);
      before = total;
    }
  }
  std::sort(worth.begin(), worth.end(), std::greater<>());
  worth.resize(std::min(worth.size(), m));
  return std::accumulate(worth.begin(), worth.end(), 0.0);
}

TEST(TopTotalTest, RunsAreWorthWhatTheirObservationsAre) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> part(0, 1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<double>> buckets, whole_buckets;
    for (int c = 0; c < 4; ++c) {
      std::vector<double>&cell = buckets.emplace_back(), &whole = whole_buckets.emplace_back();
      for (std::size_t b = 0; b < kTopBounds.size(); ++b) {
        cell.push_back(part(random) * static_cast<double>(random() % 40));
        whole.push_back(static_cast<double>(random() % 60));
      }
    }
    const std::size_t m = 1 + random() % 200;
    TopTotal most(m);
    std::vector<CellView> cells, wholes;
    for (std::size_t c = 0; c < buckets.size(); ++c) {
      const double n = std::accumulate(buckets[c].begin(), buckets[c].end(), 0.0);
      cells.push_back({kTopBounds, buckets[c], n * 4 * part(random)});
      wholes.push_back({kTopBounds, whole_buckets[c], NAN});
      most.AddCell(cells[c], &wholes[c]);
    }
    const double expected = MaxOneByOne(cells, wholes, m);
    EXPECT_NEAR(most.Max(), expected, 1e-9 * expected) << round;
    const double seconds = 200 * part(random);
    TopTotal some(m);
    some.AddPart(wholes[0], seconds);
    const std::vector<double> top = OneByOne(wholes[0], true);
    const double tops =
        std::accumulate(top.begin(), top.begin() + static_cast<long>(std::min(m, top.size())), 0.0);
    EXPECT_NEAR(some.Max(), std::min(tops, seconds + RoundingSlack(seconds)), 1e-6) << round;
  }
}

TEST(TopTotalTest, APartOfAnObservationMayBeAWholeOne) {
  const std::vector<double> two = {1, INFINITY}, three = {1, 10, INFINITY};
  const std::vector<double> open = {1, 0.5}, closed = {1, 0.5, 0};
  EXPECT_LE(LeastTopTotal({{two, open, 3.0}}, 1), 2) << "2 and 1 are 3, too";
  EXPECT_LE(LeastTopTotal({{three, closed, 7.0}}, 1), 6) << "6 and 1 are 7, too";
}

TEST(TopTotalTest, AMillionPodsASecondCostNoMore) {
  const std::vector<double> buckets = {2e11, 1e11, 1e11, 1e10};
  TopTotal most(4'000'000'000);
  most.AddCell({kTopBounds, buckets, 1e12});
  EXPECT_NEAR(most.Max(), 6.76e11, 1e6);
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
