#include "scheduler/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace schedlens::sim {
namespace {

TEST(Random, BitsDependOnSeedAndStreamAlone) {
  Random a(7, 3);
  EXPECT_EQ(a.Next(), Random(7, 3).Next());
  EXPECT_NE(Random(7, 3).Next(), Random(7, 4).Next());
  EXPECT_NE(Random(7, 3).Next(), Random(8, 3).Next());
  // The generator's bits are a promise: same seed, same scenario, for ever.
  Random one(1);
  EXPECT_EQ(one.Next(), 14971601782005023387u);
  EXPECT_EQ(one.Next(), 13781649495232077965u);
}

TEST(Random, UniformStaysInRangeAndHasTheRightMean) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Random, BelowReachesEveryValue) {
  Random random(2);
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) ++seen[random.Below(7)];
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.Below(0), 0u);
}

TEST(Random, NormalAndExponentialHaveTheirMoments) {
  Random random(3);
  double sum = 0, squares = 0, waits = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.Normal();
    sum += x;
    squares += x * x;
    waits += random.Exponential();
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(waits / kDraws, 1, 0.01);
}

TEST(Random, ChanceOfZeroDrawsNothing) {
  Random random(4), same(4);
  EXPECT_FALSE(random.Chance(0));
  EXPECT_EQ(random.Next(), same.Next());
}

}  // namespace
}  // namespace schedlens::sim
