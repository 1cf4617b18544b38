#include "stats/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "stats/cells.h"
#include "stats/proven_interval.h"
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
    const auto ranks = RanksOfProcessQuantile(n, 0.99);
    const double deviation = std::sqrt(n * 0.99 * 0.01);
    EXPECT_NEAR((*ranks.low - 0.99 * n) / deviation, -1.959964, 2e-3) << n;
    EXPECT_NEAR((*ranks.high - 0.99 * n) / deviation, 1.959964, 2e-3) << n;
  }
}

TEST(RanksOfProcessQuantileTest, ExactOrderStatisticRanks) {
  const auto p99 = [](double n) { return RanksOfProcessQuantile(n, 0.99); };
  EXPECT_EQ(p99(1000).low, 983);
  EXPECT_EQ(p99(1000).high, 997);
  EXPECT_EQ(p99(100).low, 97);
  EXPECT_FALSE(p99(100).high);
  EXPECT_FALSE(p99(367).high);
  EXPECT_EQ(p99(368).high, 368);
  EXPECT_FALSE(RanksOfProcessQuantile(3687, 0.999).high);
  EXPECT_TRUE(RanksOfProcessQuantile(3688, 0.999).high);
}

TEST(RanksOfProcessQuantileTest, SaysNothingOutsideItsDomain) {
  for (const double q : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    const auto ranks = RanksOfProcessQuantile(1000, q);
    EXPECT_FALSE(ranks.low || ranks.high) << q;
  }
  EXPECT_FALSE(RanksOfProcessQuantile(0, 0.5).low);
  EXPECT_FALSE(RanksOfProcessQuantile(10.5, 0.5).low);
  EXPECT_FALSE(RanksOfProcessQuantile(1e308, 0.5).low);
}

TEST(RanksOfProcessQuantileTest, CoversAtLeastNominallyForEverySize) {
  for (const double n : {50.0, 368.0, 1000.0, 12345.0}) {
    for (const double q : {0.5, 0.9, 0.99}) {
      const auto ranks = RanksOfProcessQuantile(n, q);
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

TEST(FisherAtLeastTest, GivesThePValuesOfExactArithmetic) {
  const struct {
    Fraction now, before;
    double p;
  } cases[] = {
      {{3, 4}, {1, 4}, 17.0 / 70},  // Fisher's own: the lady tasting tea
      {{4, 4}, {0, 4}, 1.0 / 70},
      {{1, 10}, {11, 14}, 0.9999663480953022},
      {{10, 20}, {1, 20}, 0.001671025864574252},
      {{7, 10}, {2, 10}, 0.03488925934746368},
      {{3, 1000}, {10, 1000}, 0.9889783200249419},
      {{12, 1200}, {9, 9000}, 7.082190229794924e-07},
      {{300, 30'000}, {200, 30'000}, 4.100827859066408e-06},
      {{1, 20}, {0, 1000}, 1.0 / 51},
      {{50, 3000}, {0, 1'000'000}, 4.104177360003717e-127},
      {{5, 5}, {5, 5}, 1},  // nothing but hits: no other way to deal them
  };
  for (const auto& c : cases) {
    EXPECT_NEAR(FisherAtLeast(c.now, c.before) / c.p, 1, 1e-7)
        << c.now.hits << "/" << c.now.trials << " " << c.before.hits << "/" << c.before.trials;
  }
}

/// Of all ways to choose which of the trials hit, the part that puts at least `hits` among the
/// first `n`.
double ByEnumeration(unsigned hits, unsigned n, unsigned hits_before, unsigned n_before) {
  double all = 0, at_least = 0;
  for (unsigned chosen = 0; chosen < 1u << (n + n_before); ++chosen) {
    if (std::popcount(chosen) != static_cast<int>(hits + hits_before)) continue;
    ++all;
    if (std::popcount(chosen & ((1u << n) - 1)) >= static_cast<int>(hits)) ++at_least;
  }
  return at_least / all;
}

TEST(FisherAtLeastTest, IsWhatCountingAllWaysGivesForEverySmallTable) {
  for (unsigned n = 1; n <= 5; ++n) {
    for (unsigned m = 1; m <= 5; ++m) {
      for (unsigned hits = 0; hits <= n; ++hits) {
        for (unsigned before = 0; before <= m; ++before) {
          const double p = FisherAtLeast({double(hits), double(n)}, {double(before), double(m)});
          EXPECT_NEAR(p, ByEnumeration(hits, n, before, m), 1e-12)
              << hits << "/" << n << " " << before << "/" << m;
        }
      }
    }
  }
}

TEST(FisherAtLeastTest, EqualFractionsAreNeverSignificant) {
  for (const double n : {10.0, 100.0, 10'000.0, 1e6}) {
    EXPECT_GT(FisherAtLeast({n / 10, n}, {n / 10, n}), 0.5) << n;
  }
}

TEST(FisherAtLeastTest, AreTheTwoSidesOfOneTable) {
  // At least 7 of the 9 hits here, or at most 6: all ways there are.
  EXPECT_NEAR(FisherAtLeast({7, 10}, {2, 10}) + FisherAtLeast({3, 10}, {6, 10}), 1, 1e-12);
}

TEST(FisherAtLeastTest, MoreHitsAreLessLikely) {
  double last = 1;
  for (double hits = 5; hits <= 500; hits += 5) {
    const double p = FisherAtLeast({hits, 1000}, {20, 1000});
    EXPECT_LE(p, last) << hits;
    last = p;
  }
  EXPECT_LT(last, 1e-100);
  EXPECT_GT(last, 0);
}

TEST(FisherAtLeastTest, LargeCountsStayProbabilities) {
  EXPECT_NEAR(FisherAtLeast({500'000, 1e6}, {500'000, 1e6}), 0.5, 0.01);
  EXPECT_LT(FisherAtLeast({20'000, 1e6}, {10'000, 1e6}), 1e-200);
  EXPECT_NEAR(FisherAtLeast({10'000, 1e6}, {20'000, 1e6}), 1, 1e-9);
}

TEST(FisherAtLeastTest, NothingSeenProvesNothing) {
  EXPECT_EQ(FisherAtLeast({0, 0}, {5, 10}), 1);
  EXPECT_EQ(FisherAtLeast({5, 10}, {0, 0}), 1);
  EXPECT_EQ(FisherAtLeast({0, 1000}, {5, 10}), 1);
}

// The normal approximation is as near as one part in the deviation.
TEST(FisherAtLeastTest, CountsUpTo2To53TakeNoTime) {
  for (const double n : {1e12, 1e14, 4e15}) {
    const double hits = n / 20, deviation = std::sqrt(n * 0.05 * 0.95 * 2);
    for (const double z : {-2.0, 0.0, 1.0, 3.0, 6.0}) {
      const double p = FisherAtLeast({std::round(hits + z * deviation), n}, {hits, n});
      EXPECT_NEAR(p / (0.5 * std::erfc(z / std::sqrt(2))), 1, 1e-3) << n << " " << z;
    }
  }
  EXPECT_NEAR(FisherAtLeast({10, 4e15}, {0, 4e15}) * 1024, 1, 1e-9) << "ten coins";
  EXPECT_EQ(FisherAtLeast({4e15, 4e15}, {1, 4e15}), 0) << "below all doubles";
}

TEST(FisherAtLeastTest, WhatIsNoCountProvesNothing) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  for (const double bad : {nan, inf, -inf, -5.0, 9.1e15, 1e17, 1e24, 1e308}) {
    EXPECT_EQ(FisherAtLeast({1, bad}, {1, 10}), 1) << bad;
    EXPECT_EQ(FisherAtLeast({1, 10}, {1, bad}), 1) << bad;
  }
  EXPECT_EQ(FisherAtLeast({nan, 10}, {1, 10}), 1);
  EXPECT_EQ(FisherAtLeast({9, 10}, {nan, 10}), 1);
}

TEST(FisherAtLeastTest, InterpolatedCountsAreRounded) {
  EXPECT_EQ(FisherAtLeast({9.9, 20.2}, {1.3, 19.8}), FisherAtLeast({10, 20}, {1, 20}));
  EXPECT_EQ(FisherAtLeast({10.4, 10}, {0, 10}), FisherAtLeast({10, 10}, {0, 10}))
      << "a rounding error never makes more hits than trials";
}

TEST(TrialsToSeeDoublingTest, AreEnoughAndNoneTooMany) {
  for (const Fraction& before : {Fraction{10, 1000}, Fraction{50, 1000}, Fraction{100, 20'000}}) {
    const auto p = [&](double n) {
      return BinomialAtLeast(n, before.hits / before.trials,
                             std::floor(2 * before.hits * n / before.trials));
    };
    const double needed = TrialsToSeeDoubling(before, 0.01);
    EXPECT_LE(p(needed), 0.01) << before.hits;
    EXPECT_GT(p(std::floor(0.8 * needed)), 0.01) << before.hits;
  }
}

TEST(TrialsToSeeDoublingTest, RarerHitsAndASurerAnswerNeedMore) {
  double last = 0;
  for (const double hits : {2000.0, 1000.0, 500.0, 200.0, 100.0}) {
    const double needed = TrialsToSeeDoubling({hits, 10'000}, 0.01);
    EXPECT_GT(needed, last) << hits;
    last = needed;
  }
  last = 0;
  for (const double level : {0.2, 0.05, 0.01, 0.001}) {
    const double needed = TrialsToSeeDoubling({100, 10'000}, level);
    EXPECT_GT(needed, last) << level;
    last = needed;
  }
}

TEST(TrialsToSeeDoublingTest, EndsWhereNoNumberIsEnough) {
  EXPECT_EQ(TrialsToSeeDoubling({1, 1e8}, 0.001), 1e6);
  EXPECT_EQ(TrialsToSeeDoubling({0, 0}, 0.01), 1e6);
  for (const double bad : {std::nan(""), HUGE_VAL, 1e17, 1e308}) {
    EXPECT_EQ(TrialsToSeeDoubling({bad / 2, bad}, 0.01), 1e6) << bad;
  }
}

TEST(TrialsToSeeDoublingTest, NoHitCountsAsHalfOfOne) {
  EXPECT_EQ(TrialsToSeeDoubling({0, 1000}, 0.2), TrialsToSeeDoubling({0.5, 1000}, 0.2));
}

TEST(BinomialDensityTest, IsTheOneOfTheTextbook) {
  EXPECT_NEAR(BinomialDensity(2, 3, 0.5), 10.0 / 32, 1e-15);
  EXPECT_NEAR(BinomialDensity(1, 3, 0.25), 4 * 0.25 * std::pow(0.75, 3), 1e-15);
  EXPECT_NEAR(BinomialDensity(0, 7, 0.25), std::pow(0.75, 7), 1e-15);
  EXPECT_NEAR(BinomialDensity(7, 0, 0.25), std::pow(0.25, 7), 1e-15);
  EXPECT_EQ(BinomialDensity(5, 0, 1), 1);
}

TEST(BinomialDensityTest, SumsToOne) {
  for (const double n : {1.0, 15.0, 16.0, 100.0, 10'000.0}) {
    double sum = 0;
    for (double k = 0; k <= n; ++k) sum += BinomialDensity(k, n - k, 0.3);
    EXPECT_NEAR(sum, 1, 1e-12) << n;
  }
}

TEST(BinomialDensityTest, IsPoissonsWhereHitsAreRareAmongVeryMany) {
  const double n = 4e15, mean = 3;
  for (const double k : {0.0, 1.0, 3.0, 10.0}) {
    const double poisson = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    EXPECT_NEAR(BinomialDensity(k, n - k, mean / n) / poisson, 1, 1e-12) << k;
  }
}

CountLaw Binomial(double n, double p) {
  return {[=](double k) { return BinomialDensity(k, n - k, p); },
          [=](double k) { return (n - k) / (k + 1) * p / (1 - p); }, std::sqrt(n * p * (1 - p))};
}

// The two ways of adding up, where both are possible: term by term until nothing is added any more.
TEST(TailSumTest, AFlatTailIsTheSumOfItsTerms) {
  for (const double n : {1e6, 1e7, 1e8}) {
    for (const double p : {0.5, 0.1, 0.01}) {
      const CountLaw law = Binomial(n, p);
      for (const double z : {0.0, 1.0, 3.0, 8.0, 20.0, 36.0}) {
        const double k = std::ceil(n * p + z * law.deviation);
        double sum = 0;
        for (double i = k, term = 1; term > sum * 1e-17; ++i) sum += term = law.density(i);
        EXPECT_NEAR(TailSum(law, k, n, 1) / sum, 1, 1e-5) << n << " " << p << " " << z;
      }
    }
  }
}

TEST(TailSumTest, EndsAtItsEnds) {
  const CountLaw law = Binomial(4, 0.5);
  EXPECT_NEAR(TailSum(law, 3, 4, 1), 5.0 / 16, 1e-15);
  EXPECT_NEAR(TailSum(law, 4, 4, 1), 1.0 / 16, 1e-15);
  EXPECT_EQ(TailSum(law, 5, 4, 1), 0);
  EXPECT_EQ(TailSum(law, -1, 0, -1), 0);
}

TEST(ChiSquareAtMostTest, GivesTheValuesOfPrintedTables) {
  const struct {
    double x, degrees, probability;
  } cases[] = {
      {3.841458820694124, 1, 0.95},   {0.0009820691171752555, 1, 0.025},
      {18.307038053275146, 10, 0.95}, {3.940299136119084, 10, 0.05},
      {124.3421134004, 100, 0.95},
  };
  for (const auto& c : cases) {
    EXPECT_NEAR(ChiSquareAtMost(c.x, c.degrees), c.probability, 1e-9) << c.degrees;
  }
}

TEST(ChiSquareAtMostTest, IsKnownInClosedFormForOneAndTwoDegrees) {
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 3.0, 10.0, 40.0}) {
    EXPECT_NEAR(ChiSquareAtMost(x, 1), std::erf(std::sqrt(x / 2)), 1e-13) << x;
    EXPECT_NEAR(ChiSquareAtMost(x, 2), -std::expm1(-x / 2), 1e-13) << x;
  }
}

TEST(ChiSquareAtMostTest, RisesFromNothingToAll) {
  double last = 0;
  for (double x = 1; x < 200; x *= 1.3) {
    const double p = ChiSquareAtMost(x, 20);
    EXPECT_GE(p, last - 1e-12) << x;
    EXPECT_LE(p, 1) << x;
    last = p;
  }
  EXPECT_NEAR(ChiSquareAtMost(1000, 20), 1, 1e-12);
  EXPECT_GT(ChiSquareAtMost(1e-3, 20), 0) << "small, and still a probability";
}

TEST(ChiSquareAtMostTest, TheEdges) {
  EXPECT_EQ(ChiSquareAtMost(0, 5), 0);
  EXPECT_EQ(ChiSquareAtMost(-1, 5), 0);
  EXPECT_EQ(ChiSquareAtMost(1, 0), 1);
  for (const double x : {1e7, 1e15, 1e300, HUGE_VAL}) {
    for (const double degrees : {1.0, 20.0, 1e4}) EXPECT_EQ(ChiSquareAtMost(x, degrees), 1) << x;
  }
  EXPECT_EQ(ChiSquareAtMost(std::nan(""), 5), 1) << "even enough for all that is known";
  EXPECT_EQ(ChiSquareAtMost(1e7, 20), 1) << "beyond what the series can add up";
}

TEST(RankCorrelationTest, IsOneForAnyRisingRelation) {
  const std::vector<double> x = {3, 1, 4, 1.5, 9, 2.6};
  std::vector<double> rising, falling;
  for (const double v : x) rising.push_back(std::exp(v));
  for (const double v : x) falling.push_back(-v * v * v);
  EXPECT_DOUBLE_EQ(RankCorrelation(x, rising, 2), 1);
  EXPECT_DOUBLE_EQ(RankCorrelation(x, falling, 2), -1);
}

TEST(RankCorrelationTest, IsSpearmansFormulaWithoutTies) {
  // 1 - 6 sum(d^2) / (n (n^2 - 1)), d^2 = 1 1 1 1 0.
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 3, 4, 5}, {20, 10, 40, 30, 50}, 2), 0.8);
  EXPECT_NEAR(RankCorrelation({1, 2, 3, 4}, {2, 4, 1, 3}, 2), 0, 1e-12);
}

TEST(RankCorrelationTest, EqualValuesShareTheirMeanRank) {
  // Ranks 0 1.5 1.5 3 against 0 1 2 3: 4.5 / sqrt(4.5 * 5).
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}, 2), std::sqrt(0.9));
  EXPECT_DOUBLE_EQ(RankCorrelation({1, 2, 2, 3}, {1, 5, 5, 8}, 2), 1);
}

TEST(RankCorrelationTest, OrderOfThePairsAndSidesDoesNotMatter) {
  const double r = RankCorrelation({1, 2, 3, 4, 5}, {2, 1, 4, 5, 3}, 2);
  EXPECT_DOUBLE_EQ(RankCorrelation({5, 3, 1, 4, 2}, {3, 4, 2, 5, 1}, 2), r);
  EXPECT_DOUBLE_EQ(RankCorrelation({2, 1, 4, 5, 3}, {1, 2, 3, 4, 5}, 2), r);
}

TEST(RankCorrelationTest, IsZeroWhereNothingCanBeSaid) {
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {1, 2, 3}, 4), 0) << "fewer pairs than asked for";
  EXPECT_EQ(RankCorrelation({1, 2, 3, 4}, {1, 2, 3, 4}, 4), 1);
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {7, 7, 7}, 2), 0) << "a side that never varies";
  EXPECT_EQ(RankCorrelation({}, {}, 0), 0);
  EXPECT_EQ(RankCorrelation({1}, {1}, 0), 0);
}

}  // namespace
}  // namespace schedlens
