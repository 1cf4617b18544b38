#include "stats/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/log_gamma.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// Continued fraction of the incomplete beta function; converges for x < (a + 1) / (a + b + 2) in
/// about the square root of max(a, b) steps.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 100000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

/// Regularised incomplete beta function I_x(a, b).
double IncompleteBeta(double a, double b, double x) {
  const double front =
      std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

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
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (!(p > 0)) return 0;
  if (p >= 1) return 1;
  return IncompleteBeta(k, n - k + 1, p);
}

SamplingRanks RanksOfProcessQuantile(double n, double q, double confidence) {
  SamplingRanks out;
  // Beyond 2^53 ranks are no longer one apart, and no search among them would end.
  constexpr double kMost = 9007199254740992.0;
  if (!(n >= 1) || n != std::floor(n) || n > kMost || !(q > 0 && q < 1)) return out;
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
