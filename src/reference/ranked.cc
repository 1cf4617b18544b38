#include "reference/ranked.h"

#include <algorithm>
#include <utility>

#include "sim/base/random.h"

namespace schedlens {
namespace {

using sim::Distribution;

/// Drawn of each distribution.
constexpr std::size_t kRankDraws = 4000;

Distribution OfRanks(const std::vector<double>& ascending) {
  std::vector<std::pair<double, double>> buckets;
  for (const double drawn : ascending) {
    const double value = std::max(1e-9, drawn);
    const double last = buckets.empty() ? 0 : buckets.back().first;
    // A draw is itself: nothing lies between it and the one before.
    if (const double just_below = value * (1 - 1e-6); just_below > last) {
      buckets.emplace_back(just_below, 0);
      buckets.emplace_back(value, 1);
    } else {
      buckets.back().second += 1;
    }
  }
  return Distribution::Empirical(buckets);
}

}  // namespace

std::vector<double> Ranked(const Distribution& distribution) {
  sim::Random random(1);
  std::vector<double> draws(kRankDraws);
  for (double& draw : draws) draw = distribution.Sample(random);
  std::sort(draws.begin(), draws.end());
  return draws;
}

Distribution Partway(const Distribution& from, const Distribution& to, double part) {
  std::vector<double> values = Ranked(from);
  const std::vector<double> end = Ranked(to);
  for (std::size_t i = 0; i < kRankDraws; ++i) values[i] += part * (end[i] - values[i]);
  return OfRanks(values);
}

Distribution Slower(const Distribution& a, const Distribution& b) {
  std::vector<double> values = Ranked(a);
  const std::vector<double> other = Ranked(b);
  for (std::size_t i = 0; i < kRankDraws; ++i) values[i] = std::max(values[i], other[i]);
  return OfRanks(values);
}

bool GrewEvenly(const Distribution& now, const Distribution& quiet) {
  const double middle = Ranked(now)[kRankDraws / 2] - Ranked(quiet)[kRankDraws / 2];
  return middle > 0.5 * (now.Mean() - quiet.Mean());
}

}  // namespace schedlens
