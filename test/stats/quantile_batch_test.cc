#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "schedlens/error.h"
#include "schedlens/histogram.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// Counts as rate() leaves them, some of them broken.
std::vector<double> Counts(std::size_t bounds, std::size_t histograms, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> counts(bounds * histograms);
  for (std::size_t i = 0; i < histograms; ++i) {
    double count = uniform(*random) < 0.1 ? 0 : std::floor(50 * uniform(*random)) / 300;
    for (std::size_t b = 0; b < bounds; ++b) {
      if (uniform(*random) < 0.7) count += std::floor(30 * uniform(*random)) / 300;
      double shown = count;
      const double dice = uniform(*random);
      if (dice < 0.002) shown = kNaN;
      if (dice > 0.998) shown = 1e308;
      if (dice > 0.5 && dice < 0.505) shown -= 0.05;
      if (dice > 0.6 && dice < 0.605) shown *= 1 + 1e-13;
      counts[b * histograms + i] = shown;
    }
  }
  return counts;
}

TEST(QuantileBatchTest, HasTheBitsOfThePlainKernel) {
  std::vector<double> bounds;
  for (double bound = 0.001; bounds.size() < 14; bound *= 2) bounds.push_back(bound);
  bounds.push_back(kInfinity);
  std::mt19937 random(3);
  const std::size_t histograms = 3001;  // no multiple of the block
  const std::vector<double> counts = Counts(bounds.size(), histograms, &random);
  std::vector<double> values(histograms);
  for (const char* version : {"2.20", "2.42", "2.49", "3.13", "3.13-arm64", "victoriametrics"}) {
    const Semantics semantics = ParseSemantics(version);
    for (const double q : {-1.0, 0.0, 0.5, 0.99, 1.0, 2.0, kNaN}) {
      QuantilesOfHistograms(q, bounds, counts, semantics, values);
      for (std::size_t i = 0; i < histograms; ++i) {
        std::vector<Bucket> one;
        for (std::size_t b = 0; b < bounds.size(); ++b) {
          one.push_back({bounds[b], counts[b * histograms + i]});
        }
        const double plain = QuantileOfBuckets(q, one, semantics).value;
        if (std::isnan(plain)) {
          EXPECT_TRUE(std::isnan(values[i])) << version << " " << q << " " << i;
        } else {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(plain))
              << version << " " << q << " " << i;
        }
      }
    }
  }
}

TEST(QuantileBatchTest, RefusesWhatDoesNotFit) {
  const std::vector<double> bounds = {1, kInfinity};
  const std::vector<double> counts = {1, 2, 3};
  std::vector<double> values(2);
  EXPECT_THROW(QuantilesOfHistograms(0.5, bounds, counts, Semantics{}, values), Error);
  const std::vector<double> falling = {2, 1};
  const std::vector<double> four = {1, 2, 3, 4};
  EXPECT_THROW(QuantilesOfHistograms(0.5, falling, four, Semantics{}, values), Error);
  std::vector<double> none;
  EXPECT_NO_THROW(QuantilesOfHistograms(0.5, bounds, none, Semantics{}, none));
}

TEST(QuantileBatchTest, GivesNaNWithoutAnInfiniteBound) {
  const std::vector<double> bounds = {1, 2};
  const std::vector<double> counts = {1, 2};
  std::vector<double> values(1);
  QuantilesOfHistograms(0.5, bounds, counts, Semantics{}, values);
  EXPECT_TRUE(std::isnan(values[0]));
}

}  // namespace
}  // namespace schedlens
