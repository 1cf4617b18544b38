#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "replay/fit.h"
#include "scheduler/base/random.h"

namespace schedlens {
namespace {

double Sum(const FineBuckets& fine) {
  double total = 0;
  for (const auto& [bound, n] : fine) total += n;
  return total;
}

double UpTo(const FineBuckets& fine, double x) {
  double total = 0;
  for (const auto& [bound, n] : fine) total += bound <= x * 1.0000001 ? n : 0;
  return total;
}

/// The histogram of a lognormal's quantiles, 0.0001 * 2^i.
LatencyShape LogNormal(double median, double sigma, int observations, int finite) {
  const sim::Distribution truth = sim::Distribution::LogNormal(median, sigma);
  sim::Random random(7);
  LatencyShape shape;
  for (int i = 0; i < finite; ++i) shape.buckets.emplace_back(0.0001 * std::pow(2, i), 0);
  for (int i = 0; i < observations; ++i) {
    const double value = truth.Sample(random);
    const auto at = std::find_if(shape.buckets.begin(), shape.buckets.end(),
                                 [&](const auto& bucket) { return value <= bucket.first; });
    at == shape.buckets.end() ? ++shape.open : ++at->second;
    ++shape.count;
    shape.seconds += value;
  }
  return shape;
}

TEST(RefinedTest, KeepsTheCountsAtTheMeasuredBounds) {
  const FineBuckets coarse = {{0.001, 5}, {0.002, 40}, {0.004, 0}, {0.008, 7}};
  const FineBuckets fine = Refined(coarse);
  EXPECT_GT(fine.size(), coarse.size());
  double below = 0;
  for (const auto& [bound, n] : coarse) EXPECT_NEAR(UpTo(fine, bound), below += n, 1e-9);
  for (const auto& [bound, n] : fine) EXPECT_GE(n, 0) << bound;
}

TEST(RefinedTest, ComesCloserToASmoothLatencyThanStraightLines) {
  const LatencyShape shape = LogNormal(0.018, 0.4, 200'000, 14);
  const double truth = std::erfc(-std::log(0.016 / 0.018) / 0.4 / std::sqrt(2)) / 2;
  // 0.016 lies in the bucket (0.0128, 0.0256].
  const double straight = (UpTo(shape.buckets, 0.0128) +
                           shape.buckets[8].second * std::log(0.016 / 0.0128) / std::log(2)) /
                          shape.count;
  const FineBuckets fine = SliceOf(Refined(shape.buckets), 0, 1);
  sim::Random random(1);
  const sim::Distribution drawn = DistributionOf(fine);
  int below = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) below += drawn.Sample(random) <= 0.016;
  EXPECT_LT(std::abs(1.0 * below / kDraws - truth), std::abs(straight - truth) / 2);
}

TEST(FineOfTest, HasTheMeanThatTheSumsProve) {
  const LatencyShape open = LogNormal(0.05, 1.2, 20'000, 11);  // 0.1024 is the top bound
  ASSERT_GT(open.open, 100);
  const FineBuckets fine = FineOf(open, LogNormal(0.05, 1.2, 20'000, 16));
  EXPECT_NEAR(DistributionOf(fine).Mean(), open.mean(), 0.01 * open.mean());
  EXPECT_NEAR(Sum(fine), open.count, 1e-6);
  // What lies above the top bound stays there.
  EXPECT_NEAR(UpTo(fine, 0.1024), open.count - open.open, 1e-6);
}

TEST(FineOfTest, NothingObservedIsNothing) {
  EXPECT_TRUE(FineOf({}, {}).empty());
  EXPECT_TRUE(DistributionOf(LatencyShape(), LatencyShape()).IsZero());
  EXPECT_TRUE(ScaledTo({}, 1).empty());
  EXPECT_TRUE(SliceOf({}, 0, 1).empty());
}

TEST(SliceTest, PartsAddUpAndDoNotOverlap) {
  const FineBuckets fine = {{0.001, 50}, {0.002, 30}, {0.004, 20}};
  const FineBuckets low = SliceOf(fine, 0, 0.6), high = SliceOf(fine, 0.6, 1);
  EXPECT_NEAR(Sum(low), 60, 1e-9);
  EXPECT_NEAR(Sum(high), 40, 1e-9);
  EXPECT_LE(low.back().first, high.front().first + 1e-12);
  EXPECT_EQ(high.front().second, 0) << "nothing is drawn below the slice";
}

TEST(WithoutTest, LeavesTheSlowOnesOfAMixture) {
  LatencyShape quick = LogNormal(0.009, 0.4, 9'500, 12), whole = LogNormal(0.009, 0.4, 9'500, 17);
  // 500 more of 0.9 to 1.6 s.
  whole.buckets[14].second += 500;
  whole.count += 500;
  whole.seconds += 600;
  const LatencyShape left = Without(whole, quick, 500, 600);
  EXPECT_NEAR(left.buckets[14].second, 500, 1e-9);
  EXPECT_NEAR(Sum(left.buckets) + left.open, 500, 1e-9);
}

TEST(MirroredTest, ReplacesTheSlowerHalf) {
  LatencyShape shape = LogNormal(0.01, 0.5, 20'000, 12);
  shape.open = 500;  // held back: seconds, not the latency's own tail
  shape.count += 500;
  shape.seconds += 2000;
  const sim::Distribution truth = sim::Distribution::LogNormal(0.01, 0.5);
  EXPECT_NEAR(DistributionOf(Mirrored(shape)).Mean(), truth.Mean(), 0.1 * truth.Mean());
  EXPECT_TRUE(Mirrored({}).empty());
}

/// From a second on: the share, and the mean.
std::pair<double, double> Waits(const sim::Distribution& distribution) {
  const std::vector<double> ranked = Ranked(distribution);
  const auto first = std::lower_bound(ranked.begin(), ranked.end(), 1);
  const auto n = static_cast<double>(ranked.end() - first);
  return {n / static_cast<double>(ranked.size()), std::accumulate(first, ranked.end(), 0.0) / n};
}

double UpTo(const sim::Distribution& distribution, double value) {
  const std::vector<double> ranked = Ranked(distribution);
  const auto below = std::upper_bound(ranked.begin(), ranked.end(), value) - ranked.begin();
  return static_cast<double>(below) / static_cast<double>(ranked.size());
}

TEST(WholeSecondsTest, KeepsTheMeanAndTheQuickOnes) {
  const FineBuckets fine = {{0.001, 80}, {0.2, 0}, {0.95, 0}, {1.25, 10}, {2.9, 0}, {3.3, 10}};
  const sim::Distribution whole = WholeSeconds(fine, 0.2, 0.01, 0).value();
  EXPECT_NEAR(whole.Mean(), DistributionOf(fine).Mean(), 0.02);
  EXPECT_NEAR(UpTo(whole, 0.2), 0.8, 0.02);
  EXPECT_NEAR(UpTo(whole, 0.999), 0.8, 0.02);
  EXPECT_NEAR(UpTo(whole, 1.5), 0.9, 0.02);
  EXPECT_NEAR(UpTo(whole, 2.99), 0.9, 0.02);
  EXPECT_FALSE(WholeSeconds({{0.001, 5}}, 0.2, 0.01, 0)) << "nobody waits";
}

// The form above the top bound is the attempts', slow binds among them: the mean tells better.
TEST(WholeSecondsTest, AreAsFewAsTheMeanLeavesBesideTheRequests) {
  const FineBuckets fine = {{0.2, 90}, {0.5, 3}, {1, 1}, {2, 4}, {3.6, 2}};
  const double mean =
      (DistributionOf(FineBuckets{{0.2, 0}, {0.5, 3}, {1, 1}, {2, 4}, {3.6, 2}})).Mean();
  ASSERT_GT(mean, 1.2);
  const sim::Distribution waits = WholeSeconds(fine, 0.2, 0.5, 0).value();
  EXPECT_NEAR(Waits(waits).second, mean, 0.03);
  EXPECT_GT(UpTo(waits, 1.999), 0.995) << "a second and what the requests take";
  // A write before each of them takes its time besides.
  EXPECT_NEAR(Waits(WholeSeconds(fine, 0.2, 0.5, 0.1).value()).second, mean + 0.1, 0.03);
  // Waits of less than a second on average are no such waits.
  EXPECT_FALSE(WholeSeconds({{0.2, 90}, {0.5, 10}}, 0.2, 0.5, 0));
}

TEST(TakeQuietAboveTest, KeepsTheShareAndTakesTheQuietTimes) {
  const auto waits = [](double share, double seconds) {
    return sim::Distribution::Mixture({{1 - share, sim::Distribution::Constant(0.001)},
                                       {share, sim::Distribution::Constant(seconds)}});
  };
  const auto after = [&](double most, const sim::Distribution& quiet) {
    sim::Distribution now = waits(0.3, 1.4);
    const double mean_before = Partway(now, now, 0).Mean();
    const double less = TakeQuietAbove(1, most, quiet, &now);
    EXPECT_NEAR(less, mean_before - now.Mean(), 1e-5);
    return Waits(now);
  };
  const auto [share, mean] = after(9, waits(0.1, 1.05));
  EXPECT_NEAR(share, 0.3, 0.02);
  EXPECT_NEAR(mean, 1.05, 1e-3);
  EXPECT_NEAR(after(0.1, waits(0.1, 1.05)).second, 1.3, 1e-3) << "by so much at most";
  EXPECT_NEAR(after(9, waits(0.1, 1.8)).second, 1.4, 1e-3) << "no slower than now";
  EXPECT_NEAR(after(9, waits(0, 1)).second, 1.4, 1e-3) << "nobody waited then";
}

}  // namespace
}  // namespace schedlens
