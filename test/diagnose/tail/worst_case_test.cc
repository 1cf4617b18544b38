#include "diagnose/tail/worst_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "diagnose/tail/top_total.h"

namespace schedlens {
namespace {

const std::vector<double> kBounds = {0.25, 0.5, 1, 2, 4, 8, INFINITY};
const std::vector<double> kShort = {0.1, 0.2, INFINITY};  // saturated, as extension points are

std::vector<double> BucketsOf(const std::vector<double>& values,
                              const std::vector<double>& bounds) {
  std::vector<double> buckets(bounds.size(), 0);
  for (const double v : values) {
    buckets[static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), v) -
                                     bounds.begin())] += 1;
  }
  return buckets;
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A window of attempts, and what is to be known of it.
struct Window {
  std::vector<double> first, second, rest;

  std::vector<double> e2e() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < first.size(); ++i) all.push_back(first[i] + second[i] + rest[i]);
    return all;
  }
  /// The slowest m attempts by number.
  std::vector<std::size_t> Slowest(std::size_t m) const {
    const std::vector<double> all = e2e();
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto x, auto y) { return all[x] > all[y]; });
    order.resize(m);
    return order;
  }
};

PooledStage StageOf(const std::vector<double>& values, const std::vector<double>& bounds,
                    double most_of_slow) {
  PooledStage stage;
  stage.bounds = bounds;
  stage.buckets = BucketsOf(values, bounds);
  stage.seconds = Sum(values);
  stage.largest = *std::max_element(values.begin(), values.end());
  stage.most_of_slow = most_of_slow;
  return stage;
}

PooledWhole WholeOf(const Window& window, std::size_t m) {
  PooledWhole whole;
  const std::vector<double> e2e = window.e2e();
  whole.bounds = kBounds;
  whole.buckets = BucketsOf(e2e, kBounds);
  whole.seconds = Sum(e2e);
  whole.largest = *std::max_element(e2e.begin(), e2e.end());
  double slow = 0;
  for (const std::size_t i : window.Slowest(m)) slow += e2e[i];
  whole.least_of_slow = 0.9 * slow;
  whole.most_of_slow = 1.1 * slow;
  return whole;
}

TEST(WorstCaseTest, WhereOneStageFillsTheTailTheOtherHasNone) {
  // 10 attempts slow in the second stage (5 s), 10 in the first (1.5 s), 980 quick; the tail is 10.
  Window w;
  for (std::size_t i = 0; i < 1000; ++i) {
    w.first.push_back(i >= 10 && i < 20 ? 1.5 : 0.01);
    w.second.push_back(i < 10 ? 5 : 0.01);
    w.rest.push_back(0);
  }
  const double all = 1e9;  // no caps of their own
  const auto worst = FindWorstCase(WholeOf(w, 10), StageOf(w.first, kBounds, all),
                                   StageOf(w.second, kBounds, all), {1e-6, 1e-6}, 10);
  ASSERT_TRUE(worst);
  EXPECT_GT(worst->second.low, 0.9);
  EXPECT_LT(worst->first.high, 0.1);
  EXPECT_LT(worst->rest.high, 0.001);
}

TEST(WorstCaseTest, WhatCannotBeToldApartIsNotToldApart) {
  // Two stages alike, of which each attempt has one: either may have been all of the tail.
  Window w;
  for (std::size_t i = 0; i < 1000; ++i) {
    w.first.push_back(i % 2 == 0 ? 1.5 : 0.01);
    w.second.push_back(i % 2 == 0 ? 0.01 : 1.5);
    w.rest.push_back(0);
  }
  const auto worst = FindWorstCase(WholeOf(w, 10), StageOf(w.first, kBounds, 1e9),
                                   StageOf(w.second, kBounds, 1e9), {1e-6, 1e-6}, 10);
  ASSERT_TRUE(worst);
  EXPECT_LT(worst->first.low, 0.05);
  EXPECT_GT(worst->first.high, 0.95);
}

TEST(WorstCaseTest, NumbersThatContradictEachOtherProveNothing) {
  Window w;
  for (std::size_t i = 0; i < 100; ++i) {
    w.first.push_back(1.5);
    w.second.push_back(0.01);
    w.rest.push_back(0);
  }
  PooledStage first = StageOf(w.first, kBounds, 1e9);
  first.buckets[5] += 1000;  // more than there are attempts
  EXPECT_FALSE(
      FindWorstCase(WholeOf(w, 10), first, StageOf(w.second, kBounds, 1e9), {1e9, 1e9}, 10));
}

TEST(WorstCaseTest, HoldsTheTruth) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 120; ++round) {
    const double p[] = {0.3 * static_cast<double>(random() % 100) / 100, 0.1};
    std::lognormal_distribution<double> quick(-4, 1),
        slow(-0.5 + static_cast<double>(round % 3), 0.8);
    const auto chance = [&](double q) { return static_cast<double>(random() % 1000) < 1000 * q; };
    Window w;
    std::vector<double> older, passed;  // observed before the window; in it but not passed on
    std::vector<double> observed;
    const std::size_t edge = random() % 4;
    for (std::size_t i = 0; i < 300; ++i) {
      w.first.push_back(chance(p[0]) ? slow(random) : quick(random));
      w.second.push_back(chance(p[1]) ? slow(random) : quick(random));
      w.rest.push_back(0.05 * quick(random));
      (i < edge ? older : observed).push_back(w.first.back());
    }
    for (std::size_t i = 0; i < edge; ++i) observed.push_back(slow(random));  // still running
    const std::size_t m = 1 + random() % 8;
    double truth[3] = {0, 0, 0}, all = 0;
    for (const std::size_t i : w.Slowest(m)) {
      truth[0] += w.first[i];
      truth[1] += w.second[i];
      truth[2] += w.rest[i];
      all += w.first[i] + w.second[i] + w.rest[i];
    }
    PooledStage first = StageOf(observed, kBounds, 2 * truth[0] + 1);
    first.older = BucketsOf(older, kBounds);
    for (const double v : older) first.largest = std::max(first.largest, v);
    first.running_at_start = first.running_at_end = static_cast<double>(edge);
    const auto& bounds = round % 2 == 0 ? kBounds : kShort;
    const auto worst =
        FindWorstCase(WholeOf(w, m), first, StageOf(w.second, bounds, 2 * truth[1] + 1),
                      {1.5 * Sum(w.rest), 2 * truth[2] + 0.1}, m);
    ASSERT_TRUE(worst) << "round " << round;
    const TailShare shares[] = {worst->first, worst->second, worst->rest};
    for (int s = 0; s < 3; ++s) {
      EXPECT_LE(shares[s].low, truth[s] / all + 1e-9) << "part " << s << " round " << round;
      EXPECT_GE(shares[s].high, truth[s] / all - 1e-9) << "part " << s << " round " << round;
    }
  }
}

}  // namespace
}  // namespace schedlens
