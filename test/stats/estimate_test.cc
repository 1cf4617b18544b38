#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "base/not_finite.h"
#include "stats/cells.h"
#include "stats/proven_interval.h"
#include "stats/truth_model.h"

namespace schedlens {
namespace {

using testing_support::CellRow;
using testing_support::Cells;
using testing_support::Family;

Measured Estimate(const std::vector<ScrapeIncreases>& children, double q) {
  return EstimateQuantile(children, ProveQuantile(children, q));
}

TEST(ProbitTest, InvertsTheNormalDistribution) {
  const struct {
    double p, z;
  } cases[] = {{0.5, 0},
               {0.99, 2.3263478740408408},
               {0.025, -1.9599639845400545},
               {1e-10, -6.361340902404056},
               {0.9999, 3.719016485455709}};
  for (const auto& c : cases) EXPECT_NEAR(Probit(c.p), c.z, 1e-9) << c.p;
}

TEST(EstimateQuantileTest, IsTheMiddleOfWhatSumsLeave) {
  const auto m = Estimate({Cells({1, 2, 4, kInfinity}, {{{0, 0, 1, 0}, 3.1}})}, 0.99);
  EXPECT_NEAR(*m.value, 3.1, 1e-6);
}

TEST(EstimateQuantileTest, AnOpenBucketWithoutABoundHasNoValue) {
  const auto m = Estimate({Cells({1, 2, kInfinity}, {{{1, 1, 9}}})}, 0.99);
  EXPECT_FALSE(m.value);
  EXPECT_EQ(m.low, 2);
}

TEST(EstimateQuantileTest, TheOpenBucketIsTheHarmonicMiddleOfItsBounds) {
  const auto m = Estimate({Cells({1, 2, kInfinity}, {{{900, 60, 40}, 1000}})}, 0.99);
  ASSERT_TRUE(m.value && m.high);
  EXPECT_EQ(m.low, 2);
  EXPECT_NEAR(*m.value, 2 * 2 * *m.high / (2 + *m.high), 1e-12);
}

TEST(EstimateQuantileTest, IsAStraightLineInAFirstBucketAlone) {
  const auto m = Estimate({Cells({1, 2, kInfinity}, {{{100, 0, 0}}})}, 0.5);
  EXPECT_NEAR(*m.value, 0.495, 1e-9);  // the 50th of 100 even steps is that far
}

// A bound that is not positive has no logarithm either.
TEST(EstimateQuantileTest, IsAStraightLineBelowZero) {
  const auto m = Estimate({Cells({-2, -1, 1, kInfinity}, {{{0, 10, 30, 0}}})}, 0.125);
  EXPECT_NEAR(*m.value, -1.55, 1e-9);
}

// By the formulas of SciPy's PchipInterpolator, calculated apart from this program.
TEST(EstimateQuantileTest, FollowsTheRunOfBucketsAroundTheRank) {
  const std::vector<double> whole = {100, 300, 400, 150, 50, 0}, gap = {0, 30, 0, 50, 20, 0};
  const struct {
    std::vector<double> buckets;
    double q, value;
  } cases[] = {{whole, 0.5, 2.3423043648459836},
               {whole, 0.99, 11.132167859137704},
               {whole, 0.2, 1.3504582921149784},
               {whole, 0.05, 0.6348412574600069},  // the first bucket: half line, half curve
               {gap, 0.1, 1.6104648842883453},     // a bucket alone
               {gap, 0.5, 5.333766962626324},      // the first of its run
               {gap, 0.9, 9.378647692543684},      // the last
               {{0, 0, 1, 0, 0, 0}, 0.5, std::sqrt(8)},
               {{700, 200, 0, 0, 100, 0}, 0.5, 0.6657576249727819},
               {{700, 0, 300, 0, 0, 0}, 0.5, 499.5 / 700}};
  for (const auto& c : cases) {
    const auto m = Estimate({Cells({1, 2, 4, 8, 16, kInfinity}, {{c.buckets}})}, c.q);
    EXPECT_NEAR(*m.value, c.value, 1e-9 * c.value) << testing::PrintToString(c.buckets) << c.q;
  }
}

// Which buckets the whole's observations are in is known at the bounds that all children have.
TEST(EstimateQuantileTest, OfChildrenOfDifferentBoundsIsByThoseTheyShare) {
  const auto fine = Cells({1, 2, 3, 4, 8, kInfinity}, {{{5, 10, 20, 15, 5, 0}}});
  const auto coarse = Cells({1, 2, 4, 8, kInfinity}, {{{10, 20, 30, 10, 0}}});
  const auto merged = Cells({1, 2, 4, 8, kInfinity}, {{{15, 30, 65, 15, 0}}});
  EXPECT_NEAR(*Estimate({fine, coarse}, 0.7).value, *Estimate({merged}, 0.7).value, 1e-12);
  EXPECT_EQ(Estimate({fine, Cells({7, kInfinity}, {})}, 0.7).value, Estimate({fine}, 0.7).value);
  // Nothing shared but +Inf: the middle of what is proven.
  const auto m = Estimate({fine, Cells({5, kInfinity}, {{{20, 0}}})}, 0.7);
  EXPECT_NEAR(*m.value, (*m.low + *m.high) / 2, 1e-12);
}

double Normal(double z) { return 0.5 * std::erfc(-z / std::sqrt(2)); }

TEST(EstimateQuantileTest, IsExactForALognormal) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr double kMany = 1e12;
  std::vector<double> bounds;
  for (double bound = 0.001; bound < 2000; bound *= 2) bounds.push_back(bound);
  bounds.push_back(kInfinity);
  for (int i = 0; i < 40; ++i) {
    const double mu = std::log(0.1 + 4 * unit(random)), sigma = 0.4 + 0.5 * unit(random);
    std::vector<double> buckets;
    double below = 0;
    for (const double bound : bounds) {
      const double upto = std::round(kMany * Normal((std::log(bound) - mu) / sigma));
      buckets.push_back(upto - below);
      below = upto;
    }
    const std::vector<ScrapeIncreases> children = {Cells(bounds, {{buckets}})};
    for (const double q : {0.01, 0.3, 0.5, 0.9, 0.99}) {
      const double truth = mu + sigma * Probit(q);
      EXPECT_NEAR(std::log(*Estimate(children, q).value), truth, 1e-4) << mu << " " << sigma << q;
    }
  }
}

// Nobody knows how many observations a rate is of; it is taken for one of a thousand.
TEST(EstimateQuantileTest, OfRatesDoesNotDependOnTheirScale) {
  const std::vector<double> bounds = {1, 2, 4, 8, kInfinity}, whole = {100, 300, 500, 100, 0};
  for (const double q : {0.05, 0.3, 0.6, 0.95}) {
    const double counted = *Estimate({Cells(bounds, {{whole}})}, q).value;
    for (const double scale : {1.7e-7, 3.3e-3, 1.37e-2}) {
      std::vector<double> rates;
      for (const double count : whole) rates.push_back(count * scale);
      const double value = *Estimate({Cells(bounds, {{rates}})}, q).value;
      EXPECT_NEAR(value, counted, 1e-9 * counted) << q << " " << scale;
    }
  }
}

/// Up to 400 observations in a layout of its own, runs and gaps, with or without their sum.
ScrapeIncreases DrawCells(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> bounds;
  double bound = random() % 5 == 0 ? -1 : 0.01;
  for (std::size_t b = 2 + random() % 6; b > 0; --b) {
    bounds.push_back(bound);
    bound = bound < 0 ? 0 : std::max(0.01, bound) * (1.1 + 3 * unit(random));
  }
  std::vector<CellRow> rows(1 + random() % 3);
  for (CellRow& row : rows) {
    double sum = 0;
    for (std::size_t b = 0; b <= bounds.size(); ++b) {
      const auto count = static_cast<double>(random() % 3 == 0 ? 0 : random() % 20);
      const double lower = b == 0 ? 0 : bounds[b - 1];
      const double width = b == bounds.size() ? 10 : bounds[b] - lower;
      row.buckets.push_back(count);
      sum += count * (lower + width * unit(random));
    }
    if (random() % 2 == 0) row.sum = sum;
  }
  bounds.push_back(kInfinity);
  return Cells(std::move(bounds), rows);
}

TEST(EstimateQuantileTest, NeverFallsWithTheQuantileAndStaysInside) {
  std::mt19937_64 random(5);
  int values = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<ScrapeIncreases> children = {DrawCells(random)};
    if (i % 2 == 0) children.push_back(DrawCells(random));  // mostly of another layout
    double before = -kInfinity;
    for (double q = 0; q <= 1; q += 1.0 / 64) {
      const auto m = Estimate(children, q);
      EXPECT_EQ(m.value.has_value(), m.low && m.high);
      if (!m.value) continue;
      ++values;
      EXPECT_GE(*m.value, *m.low);
      EXPECT_LE(*m.value, *m.high);
      // What is proven is bisected to 1e-12.
      EXPECT_GE(*m.value, before - 1e-9 * std::abs(before)) << i << " at " << q;
      before = *m.value;
      EXPECT_EQ(m, Estimate(children, q));
    }
  }
  EXPECT_GT(values, 10000);
}

TEST(EstimateQuantileTest, NothingIsKnownWithoutData) {
  EXPECT_FALSE(Estimate({}, 0.5).value);
  EXPECT_FALSE(Estimate({Cells({1, kInfinity}, {{{0, 0}}})}, 0.5).value);
}

TEST(WorthOfQuantileTest, ExplainsOneHistogram) {
  const std::vector<Bucket> buckets = {{1, 90}, {2, 98}, {4, 100}, {kInfinity, 100}};
  const QuantileWorth worth = WorthOfQuantile(buckets, 95, 0.99);
  EXPECT_EQ(worth.rank, 99);
  EXPECT_EQ(worth.bucket, (Interval{2, 4}));
  EXPECT_EQ(worth.in_bucket, 2);
  EXPECT_GE(*worth.estimate.value, *worth.interval.low);
  EXPECT_LE(*worth.estimate.value, *worth.interval.high);
  EXPECT_THAT(worth.reasons, testing::IsEmpty());
}

TEST(WorthOfQuantileTest, RepairsAndSaysSoOrSaysNothing) {
  const std::vector<Bucket> falling = {{1, 90}, {2, 80}, {kInfinity, 100}};
  EXPECT_THAT(WorthOfQuantile(falling, 95, 0.99).reasons,
              testing::Contains(testing::HasSubstr("fall")));
  const std::vector<std::vector<Bucket>> useless = {{},
                                                    {{1, 1}},
                                                    {{1, std::nan("")}, {kInfinity, 4}},
                                                    {{1, 4}, {kInfinity, kInfinity}},
                                                    {{1, 0}, {kInfinity, 0}}};
  for (const auto& buckets : useless) {
    const QuantileWorth worth = WorthOfQuantile(buckets, {}, 0.9);
    EXPECT_TRUE(worth.basis.empty());
    EXPECT_FALSE(worth.estimate.value);
    EXPECT_FALSE(worth.reasons.empty());
  }
}

constexpr double kTailStartsAt = 0.95;

double Linear(const ProvenQuantile& proven, double q) {
  const ProvenRank& p = proven.proof;
  const double low = *p.bucket.low;
  if (!p.bucket.high) return low;
  return low + (*p.bucket.high - low) * (q * proven.observations - p.below) / p.in_bucket;
}

/// The rule that was asked for first: the harmonic middle of what is proven in the tail and where
/// the sums narrowed the bucket, a straight line in log x in the body.
double HarmonicAndLogLinear(const ProvenQuantile& proven, double q) {
  const Interval& interval = proven.proof.interval;
  const Interval& bucket = proven.proof.bucket;
  const double low = *interval.low, high = *interval.high;
  const double middle = low > 0 ? 2 * low * high / (low + high) : (low + high) / 2;
  if (q >= kTailStartsAt || !bucket.high || high - low < 0.5 * (*bucket.high - *bucket.low)) {
    return middle;
  }
  const double share = (q * proven.observations - proven.proof.below) / proven.proof.in_bucket;
  const double line = *bucket.low > 0 ? *bucket.low * std::pow(*bucket.high / *bucket.low, share)
                                      : *bucket.low + (*bucket.high - *bucket.low) * share;
  return std::clamp(line, low, high);
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// At most two fifths of linear interpolation's error on smooth laws, at most 5 % worse on any, at
// every quantile, over layouts of factor 2 and rates of 0.2 to 100 a second.
// Prints the table of docs/measured.md: median |log error| of linear, of the simpler rule, of ours.
TEST(EstimateQuantileTest, BeatsLinearInterpolationOnEveryFamily) {
  std::mt19937_64 random(7);
  std::map<std::pair<Family, double>, std::pair<std::vector<double>, std::vector<double>>> errors;
  std::map<std::pair<Family, double>, std::vector<double>> simpler;
  for (int w = 0; w < 1500; ++w) {
    auto options = testing_support::DrawOptions(random);
    std::uniform_real_distribution<double> unit(0, 1);
    options.resets = false;
    options.bounds = 20;
    options.factor = 2;
    options.first_bound = 0.0003 * std::pow(2, unit(random));
    options.per_second = 0.2 * std::pow(500, unit(random));
    const auto window = testing_support::DrawWindow(options, random);
    if (window.values.size() < 30) continue;
    for (const double q : {0.5, 0.9, 0.99, 0.999}) {
      const auto proven = ProveQuantile(window.children, q);
      const auto m = EstimateQuantile(window.children, proven);
      ASSERT_TRUE(m.value);
      EXPECT_GE(*m.value, *m.low);
      EXPECT_LE(*m.value, *m.high);
      const double truth = window.values[static_cast<std::size_t>(proven.rank) - 1];
      auto& [ours, linear] = errors[{options.family, q}];
      ours.push_back(std::abs(std::log(*m.value / truth)));
      linear.push_back(std::abs(std::log(Linear(proven, q) / truth)));
      simpler[{options.family, q}].push_back(
          std::abs(std::log(HarmonicAndLogLinear(proven, q) / truth)));
    }
  }
  std::map<double, std::pair<std::vector<double>, std::vector<double>>> smooth;
  std::map<double, std::vector<double>> simpler_smooth;
  std::printf("%-14s %6s %8s %8s %8s\n", "family", "q", "linear", "simpler", "ours");
  for (const auto& [key, pair] : errors) {
    const double ratio = MedianOf(pair.first) / MedianOf(pair.second);
    const auto& other = simpler[key];
    std::printf("%-14s %6g %8.4f %8.4f %8.4f\n", testing_support::Name(key.first), key.second,
                MedianOf(pair.second), MedianOf(other), MedianOf(pair.first));
    if (testing_support::Smooth(key.first)) {
      auto& all = simpler_smooth[key.second];
      all.insert(all.end(), other.begin(), other.end());
    }
    EXPECT_LE(ratio, 1.05) << testing_support::Name(key.first) << " q " << key.second;
    if (!testing_support::Smooth(key.first)) continue;
    auto& [ours, linear] = smooth[key.second];
    ours.insert(ours.end(), pair.first.begin(), pair.first.end());
    linear.insert(linear.end(), pair.second.begin(), pair.second.end());
  }
  for (const auto& [q, pair] : smooth) {
    std::printf("%-14s %6g %8.4f %8.4f %8.4f\n", "all smooth", q, MedianOf(pair.second),
                MedianOf(simpler_smooth[q]), MedianOf(pair.first));
    EXPECT_LE(MedianOf(pair.first), 0.4 * MedianOf(pair.second)) << "q " << q;
  }
}

}  // namespace
}  // namespace schedlens
