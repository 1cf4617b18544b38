#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "stats/cells.h"
#include "stats/proven_interval.h"
#include "stats/significance.h"
#include "stats/truth_model.h"

namespace schedlens {
namespace {

double SummedAtLeast(int n, double p, int k) {
  double total = 0;
  for (int i = k; i <= n; ++i) {
    total += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                      i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return total;
}

TEST(BinomialAtLeastTest, AgreesWithTheSum) {
  for (const int n : {1, 10, 100, 1000}) {
    for (const double p : {0.01, 0.5, 0.99, 0.999}) {
      for (int k = 0; k <= n; k += 1 + n / 7) {
        EXPECT_NEAR(BinomialAtLeast(n, p, k), SummedAtLeast(n, p, k), 1e-10)
            << n << " " << p << " " << k;
      }
    }
  }
}

TEST(BinomialAtLeastTest, KeepsItsEdges) {
  EXPECT_EQ(BinomialAtLeast(10, 0.5, 0), 1);
  EXPECT_EQ(BinomialAtLeast(10, 0.5, 11), 0);
  EXPECT_EQ(BinomialAtLeast(10, 0, 1), 0);
  EXPECT_EQ(BinomialAtLeast(10, 1, 10), 1);
}

TEST(BinomialAtLeastTest, ProvesNothingFromWhatIsNoCount) {
  for (const double n : {std::nan(""), HUGE_VAL, 9.1e15, 1e24, 1e308}) {
    EXPECT_EQ(BinomialAtLeast(n, 0.5, 3), 1) << n;
  }
  EXPECT_EQ(BinomialAtLeast(10, 0.5, std::nan("")), 1);
}

TEST(RanksOfProcessQuantileTest, OfVeryManyAreTheNormalLaws) {
  for (const double n : {1e8, 1e12, 9e15}) {
    const auto ranks = RanksOfProcessQuantile(n, 0.99, 0.95);
    const double deviation = std::sqrt(n * 0.99 * 0.01);
    EXPECT_NEAR((*ranks.low - 0.99 * n) / deviation, -1.959964, 2e-3) << n;
    EXPECT_NEAR((*ranks.high - 0.99 * n) / deviation, 1.959964, 2e-3) << n;
  }
}

TEST(RanksOfProcessQuantileTest, ExactOrderStatisticRanks) {
  const auto p99 = [](double n) { return RanksOfProcessQuantile(n, 0.99, 0.95); };
  EXPECT_EQ(p99(1000).low, 983);
  EXPECT_EQ(p99(1000).high, 997);
  EXPECT_EQ(p99(100).low, 97);
  EXPECT_FALSE(p99(100).high);
  EXPECT_FALSE(p99(367).high);
  EXPECT_EQ(p99(368).high, 368);
  EXPECT_FALSE(RanksOfProcessQuantile(3687, 0.999, 0.95).high);
  EXPECT_TRUE(RanksOfProcessQuantile(3688, 0.999, 0.95).high);
}

TEST(RanksOfProcessQuantileTest, SaysNothingOutsideItsDomain) {
  for (const double q : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    const auto ranks = RanksOfProcessQuantile(1000, q, 0.95);
    EXPECT_FALSE(ranks.low || ranks.high) << q;
  }
  EXPECT_FALSE(RanksOfProcessQuantile(0, 0.5, 0.95).low);
  EXPECT_FALSE(RanksOfProcessQuantile(10.5, 0.5, 0.95).low);
  EXPECT_FALSE(RanksOfProcessQuantile(1e308, 0.5, 0.95).low);
}

TEST(RanksOfProcessQuantileTest, CoversAtLeastNominallyForEverySize) {
  for (const double n : {50.0, 368.0, 1000.0, 12345.0}) {
    for (const double q : {0.5, 0.9, 0.99}) {
      const auto ranks = RanksOfProcessQuantile(n, q, 0.95);
      const double low_miss = ranks.low ? 1 - BinomialAtLeast(n, q, *ranks.low) : 0;
      const double high_miss = ranks.high ? BinomialAtLeast(n, q, *ranks.high) : 0;
      EXPECT_LE(low_miss + high_miss, 0.05 + 1e-9);
      // The next rank inwards would not do: the interval is as short as it can be.
      if (ranks.low) {
        EXPECT_GT(1 - BinomialAtLeast(n, q, *ranks.low + 1), 0.025 - 1e-9);
      }
      if (ranks.high) {
        EXPECT_GT(BinomialAtLeast(n, q, *ranks.high - 1), 0.025 - 1e-9);
      }
    }
  }
}

TEST(SamplingIntervalTest, TranslatesRanksIntoProvenBounds) {
  const std::vector<ScrapeIncreases> children = {
      testing_support::Cells({1, 2, 4, HUGE_VAL}, {{{500, 485, 15, 0}}})};
  EXPECT_EQ(SamplingInterval(children, 0.99), (Interval{1, 4}));
}

// Coverage over random windows of a known law: at least nominal, by the binomial's own error.
TEST(SamplingIntervalTest, CoversTheProcessAtLeastNominally) {
  std::mt19937_64 random(3);
  const int windows = 400;
  int covered = 0;
  for (int w = 0; w < windows; ++w) {
    HistogramSeries series;
    double bound = 0.001;
    for (int b = 0; b < 15; ++b, bound *= 2) series.bounds.push_back(bound);
    series.bounds.push_back(HUGE_VAL);
    std::vector<double> cumulative(series.bounds.size(), 0.0);
    std::lognormal_distribution<double> law(std::log(0.05), 0.8);
    double sum = 0;
    for (TimeMs t = 0; t <= 300000; t += 5000) {
      for (int i = 0; t > 0 && i < 10; ++i) {
        const double x = law(random);
        sum += x;
        for (std::size_t b = 0; b < cumulative.size(); ++b) cumulative[b] += x <= series.bounds[b];
      }
      series.times.push_back(t);
      series.cumulative.insert(series.cumulative.end(), cumulative.begin(), cumulative.end());
      series.sums.push_back(sum);
      series.counts.push_back(cumulative.back());
    }
    const std::vector<ScrapeIncreases> children = {
        IncreasesBetweenScrapes(series, series.times, {0, 300000})};
    const double truth = 0.05 * std::exp(0.8 * 2.3263478740408408);  // the lognormal's p99
    const Interval interval = SamplingInterval(children, 0.99);
    covered += interval.low.value_or(0) <= truth && truth <= interval.high.value_or(HUGE_VAL);
  }
  EXPECT_GE(covered, 0.95 * windows);
}

// The same for every family: the process's quantile is that of a large sample of it.
TEST(SamplingIntervalTest, CoversTheQuantileOfEveryFamily) {
  std::mt19937_64 random(11);
  for (const testing_support::Family family : testing_support::kFamilies) {
    int covered = 0, windows = 0;
    while (windows < 200) {
      const testing_support::LatencyModel model(family, random);
      std::vector<double> large(100000);
      for (double& x : large) x = model.Draw(random);
      const double q = windows % 2 == 0 ? 0.5 : 0.9;
      const auto at = large.begin() + std::llround(q * 1e5);
      std::nth_element(large.begin(), at, large.end());
      ScrapeIncreases cells;
      for (double bound = 0.0007; cells.bounds.size() < 15; bound *= 2) {
        cells.bounds.push_back(bound);
      }
      cells.bounds.push_back(HUGE_VAL);
      cells.buckets.assign(cells.bounds.size(), 0.0);
      double sum = 0;
      for (int i = 0; i < 300; ++i) {
        const double x = model.Draw(random);
        sum += x;
        cells.buckets[BucketOf(cells.bounds, x)] += 1;
      }
      cells.edges = {0, 5000};
      cells.sums = {sum};
      cells.reset = {false};
      const Interval interval = SamplingInterval(std::vector<ScrapeIncreases>{cells}, q);
      covered += interval.low.value_or(0) <= *at && *at <= interval.high.value_or(HUGE_VAL);
      ++windows;
    }
    std::printf("%-14s covered %d of %d\n", testing_support::Name(family), covered, windows);
    EXPECT_GE(covered, 0.95 * windows) << testing_support::Name(family);
  }
}

}  // namespace
}  // namespace schedlens
