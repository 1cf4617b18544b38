#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "diagnose/pods/holders.h"

namespace schedlens {
namespace {

using enum Holder;

constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-2;  // more than the program moves right sides by
const std::vector<Holder> kAllHolders = {kGate,   kUnschedulable, kBackoff,
                                         kNobody, kQueue,         kAttempt};

using Point = std::array<double, kHolders>;

void ExpectBounds(const HeldTime& held, Holder holder, double low, double high) {
  EXPECT_NEAR(held[holder].low, low, kSlack) << kHolderIds[static_cast<std::size_t>(holder)];
  if (std::isinf(high)) {
    EXPECT_EQ(held[holder].high, high) << kHolderIds[static_cast<std::size_t>(holder)];
  } else {
    EXPECT_NEAR(held[holder].high, high, kSlack) << kHolderIds[static_cast<std::size_t>(holder)];
  }
  EXPECT_LE(held[holder].low, held[holder].value);
  EXPECT_LE(held[holder].value, held[holder].high);
}

TEST(SolveHoldersTest, WhatIsMeasuredAloneHasItsOwnBounds) {
  const auto held = SolveHolders({{{kQueue}, {10, 20, 30}}, {{kAttempt}, {0, 5, 40}}});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->relaxation, 1);
  ExpectBounds(*held, kQueue, 10, 30);
  ExpectBounds(*held, kAttempt, 0, 40);
  EXPECT_NEAR((*held)[kQueue].value, 20, 0.1);
  EXPECT_NEAR((*held)[kAttempt].value, 5, 0.1);
}

TEST(SolveHoldersTest, WhatIsNotMeasuredIsOpen) {
  const auto held = SolveHolders({{{kQueue}, {10, 20, kOpen}}});
  ASSERT_TRUE(held);
  ExpectBounds(*held, kQueue, 10, kOpen);
  for (const Holder other : {kGate, kUnschedulable, kBackoff, kNobody, kAttempt}) {
    ExpectBounds(*held, other, 0, kOpen);
  }
  const auto nothing = SolveHolders({});
  ASSERT_TRUE(nothing);
  ExpectBounds(*nothing, kGate, 0, kOpen);
}

// The whole is 100 to 110, the rest of it 20 to 40: the queue has 60 to 90.
TEST(SolveHoldersTest, AWholeLessItsPartsBoundsTheRest) {
  const auto held = SolveHolders({{kAllHolders, {100, 105, 110}},
                                  {{kGate}, {0, 0, 0}},
                                  {{kUnschedulable}, {0, 0, 0}},
                                  {{kBackoff}, {0, 0, 0}},
                                  {{kNobody}, {0, 0, 0}},
                                  {{kAttempt}, {20, 30, 40}}});
  ASSERT_TRUE(held);
  ExpectBounds(*held, kQueue, 60, 90);
  ExpectBounds(*held, kAttempt, 20, 40);
  ExpectBounds(*held, kGate, 0, 0);
  EXPECT_NEAR((*held)[kQueue].value, 75, 0.5);
}

TEST(SolveHoldersTest, SumsCutEachOther) {
  // Queue and attempt have 49 to 51 together, queue and back-off 29 to 31.
  const auto held = SolveHolders({{{kQueue, kAttempt}, {49, 50, 51}},
                                  {{kQueue, kBackoff}, {29, 30, 31}},
                                  {{kAttempt}, {0, 20, 45}}});
  ASSERT_TRUE(held);
  ExpectBounds(*held, kQueue, 4, 31);
  ExpectBounds(*held, kAttempt, 18, 45);
  ExpectBounds(*held, kBackoff, 0, 27);
}

TEST(SolveHoldersTest, AnOpenSumBoundsFromBelowAndAWholeFromAbove) {
  const auto held = SolveHolders({{{kQueue, kAttempt}, {80, 90, kOpen}},
                                  {{kAttempt}, {10, 15, 20}},
                                  {kAllHolders, {90, 95, 100}}});
  ASSERT_TRUE(held);
  ExpectBounds(*held, kQueue, 60, 90);
  ExpectBounds(*held, kGate, 0, 20);
}

TEST(SolveHoldersTest, ValuesAreWeighedByTheSumsWidths) {
  // 100 together; 30 +- 1 in the queue, 50 +- 40 in attempts. The narrow one is believed.
  const auto held = SolveHolders(
      {{{kQueue, kAttempt}, {99, 100, 101}}, {{kQueue}, {29, 30, 31}}, {{kAttempt}, {10, 50, 90}}});
  ASSERT_TRUE(held);
  EXPECT_NEAR((*held)[kQueue].value, 30, 0.5);
  EXPECT_NEAR((*held)[kAttempt].value, 70, 0.5);
}

// 20 - 10 x to 20 + 10 x against 50 - 10 x to 50 + 10 x: they meet from 1.5 on.
TEST(SolveHoldersTest, SumsThatContradictAreWidenedTogetherAndThatIsSaid) {
  const struct {
    double other;  ///< its middle; the first has 20, both ten to either side
    double least;  ///< times at which they meet
  } cases[] = {{40, 1}, {41, 1.05}, {50, 1.5}, {90, 3.5}, {400, 19}};
  for (const auto& c : cases) {
    const auto held =
        SolveHolders({{{kQueue}, {10, 20, 30}}, {{kQueue}, {c.other - 10, c.other, c.other + 10}}});
    ASSERT_TRUE(held) << c.other;
    const double times = held->relaxation;
    EXPECT_GE(times, c.least) << c.other;
    EXPECT_LE(times, 2 * c.least) << c.other << ": no more than it takes";
    EXPECT_EQ(times == 1, c.least <= 1) << c.other;
    ExpectBounds(*held, kQueue, std::max(0.0, c.other - 10 * times), 20 + 10 * times);
  }
}

TEST(SolveHoldersTest, NoSumIsWidenedBelowZero) {
  const auto held = SolveHolders({{{kQueue}, {0, 1, 2}}, {{kQueue}, {4, 5, 6}}});
  ASSERT_TRUE(held);
  EXPECT_GT(held->relaxation, 1);
  EXPECT_GE((*held)[kQueue].low, 0);
}

TEST(SolveHoldersTest, NothingWhereNoWideningHelps) {
  EXPECT_FALSE(SolveHolders({{{kQueue}, {5, 5, 5}}, {{kQueue}, {6, 6, 6}}}));
  // 4995 apart and 0.1 wide: it would take fifty thousand times.
  EXPECT_FALSE(SolveHolders({{{kQueue}, {4.9, 5, 5.1}}, {{kQueue}, {5e3, 5e3, 5e3}}}));
  EXPECT_TRUE(SolveHolders({{{kQueue}, {4, 5, 6}}, {{kQueue}, {4e3, 5e3, 6e3}}}));
}

bool Has(const HeldSum& sum, std::size_t holder) {
  return std::ranges::find(sum.holders, static_cast<Holder>(holder)) != sum.holders.end();
}

/// Sums that some truth keeps, over random holders; every fourth is open.
std::vector<HeldSum> DrawSums(const Point& truth, std::mt19937* random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<HeldSum> sums;
  for (int n = 0; n < 7; ++n) {
    HeldSum sum;
    double total = 0;
    for (std::size_t i = 0; i < kHolders; ++i) {
      if (unit(*random) > 0.4) continue;
      sum.holders.push_back(static_cast<Holder>(i));
      total += truth[i];
    }
    if (sum.holders.empty()) continue;
    const double low = std::max(0.0, total - 50 * unit(*random));
    const double high = n % 4 == 3 ? kOpen : total + 50 * unit(*random);
    sum.seconds = {low, total, high};
    sums.push_back(sum);
  }
  return sums;
}

/// Moves a point that keeps all sums to another, in a random direction: to the end of the way.
void Walk(const std::vector<HeldSum>& sums, std::mt19937* random, Point* x) {
  constexpr double kFarthest = 1e4;
  std::normal_distribution<double> normal;
  Point way;
  for (double& one : way) one = (*random)() % 3 == 0 ? 0 : normal(*random);
  double from = -kFarthest, to = kFarthest;
  const auto keep = [&](double at, double speed, double low, double high) {
    if (std::abs(speed) < 1e-9) return;
    const double a = (low - at) / speed, b = (high - at) / speed;
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  };
  for (std::size_t i = 0; i < kHolders; ++i) keep((*x)[i], way[i], 0, kOpen);
  for (const HeldSum& sum : sums) {
    double at = 0, speed = 0;
    for (std::size_t i = 0; i < kHolders; ++i) {
      if (Has(sum, i)) at += (*x)[i], speed += way[i];
    }
    keep(at, speed, sum.seconds.low, sum.seconds.high);
  }
  if (!(from <= to)) return;
  const double part = std::array{0.0, 0.5, 1.0}[(*random)() % 3];
  for (std::size_t i = 0; i < kHolders; ++i) {
    (*x)[i] = std::max(0.0, (*x)[i] + way[i] * (from + part * (to - from)));
  }
}

/// Bounds from one sum after the other until none changes: never narrower than the truth's.
std::array<BoundedValue, kHolders> Propagate(const std::vector<HeldSum>& sums) {
  std::array<BoundedValue, kHolders> x;
  x.fill({0, 0, kOpen});
  for (int pass = 0; pass < 50; ++pass) {
    for (const HeldSum& sum : sums) {
      for (std::size_t i = 0; i < kHolders; ++i) {
        if (!Has(sum, i)) continue;
        double low = sum.seconds.low, high = sum.seconds.high;
        for (std::size_t j = 0; j < kHolders; ++j) {
          if (j != i && Has(sum, j)) low -= x[j].high, high -= x[j].low;
        }
        x[i].low = std::max(x[i].low, low);
        x[i].high = std::min(x[i].high, high);
      }
    }
  }
  return x;
}

TEST(SolveHoldersTest, EveryPointThatKeepsTheSumsLiesInTheBounds) {
  std::mt19937 random(20);
  for (int draw = 0; draw < 60; ++draw) {
    Point x;
    for (double& one : x) one = random() % 4 == 0 ? 0 : static_cast<double>(random() % 200);
    const std::vector<HeldSum> sums = DrawSums(x, &random);
    const auto held = SolveHolders(sums);
    ASSERT_TRUE(held) << draw;
    EXPECT_EQ(held->relaxation, 1) << draw;
    const auto outer = Propagate(sums);
    for (std::size_t i = 0; i < kHolders; ++i) {
      EXPECT_GE(held->seconds[i].low, outer[i].low - kSlack) << draw << " " << kHolderIds[i];
      EXPECT_LE(held->seconds[i].high, outer[i].high + kSlack) << draw << " " << kHolderIds[i];
    }
    for (int step = 0; step < 300; ++step) {
      for (std::size_t i = 0; i < kHolders; ++i) {
        ASSERT_GE(x[i], held->seconds[i].low - kSlack) << draw << " " << kHolderIds[i];
        ASSERT_LE(x[i], held->seconds[i].high + kSlack) << draw << " " << kHolderIds[i];
      }
      Walk(sums, &random, &x);
    }
  }
}

}  // namespace
}  // namespace schedlens
