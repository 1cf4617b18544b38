#include "stats/sampling.h"

#include <algorithm>
#include <cmath>

#include "stats/count_tail.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// The smallest whole k in 1..n for which `holds`, which is false and then true; n + 1 if none.
template <typename Condition>
double SmallestRank(double n, Condition holds) {
  double below = 0;
  double above = n + 1;
  while (above - below > 1) {
    const double middle = std::floor((below + above) / 2);
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace

double BinomialAtLeast(double n, double p, double k) {
  if (!(n <= kMostCount && k > 0)) return 1;
  if (k > n) return 0;
  if (!(p > 0)) return 0;
  if (p >= 1) return 1;
  const double odds = p / (1 - p);
  CountLaw law;
  law.density = [&](double i) { return BinomialDensity(i, n - i, p); };
  law.ratio = [&](double i) { return (n - i) / (i + 1) * odds; };
  law.deviation = std::sqrt(n * p * (1 - p));
  // From the mean on the sum converges; below it the other tail does.
  if (k > n * p) return std::min(1.0, TailSum(law, k, n, 1));
  law.ratio = [&](double i) { return i / ((n - i + 1) * odds); };
  return std::max(0.0, 1 - TailSum(law, k - 1, 0, -1));
}

SamplingRanks RanksOfProcessQuantile(double n, double q, double confidence) {
  SamplingRanks out;
  if (!(n >= 1) || n != std::floor(n) || n > kMostCount || !(q > 0 && q < 1)) return out;
  const double side = (1 - confidence) / 2;
  // The a-th smallest is above the quantile when fewer than a observations are at or below it.
  const double first_bad =
      SmallestRank(n, [&](double a) { return 1 - BinomialAtLeast(n, q, a) > side; });
  if (first_bad > 1) out.low = first_bad - 1;
  const double high = SmallestRank(n, [&](double b) { return BinomialAtLeast(n, q, b) <= side; });
  if (high <= n) out.high = high;
  return out;
}

Interval SamplingInterval(std::span<const ScrapeIncreases> children, double q, double confidence) {
  double n = 0;
  for (const ScrapeIncreases& child : children) n += TotalCount(child);
  const SamplingRanks ranks = RanksOfProcessQuantile(n, q, confidence);
  Interval out;
  if (ranks.low) out.low = ProveRank(children, *ranks.low).interval.low;
  if (ranks.high) out.high = ProveRank(children, *ranks.high).interval.high;
  return out;
}

}  // namespace schedlens
