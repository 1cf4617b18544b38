#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "stats/significance.h"

namespace schedlens {
namespace {

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

}  // namespace
}  // namespace schedlens
