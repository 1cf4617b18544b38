#include "stats/significance.h"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "base/not_finite.h"
#include "base/work_budget.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// What Stirling's formula lacks of ln x!.
double StirlingRest(double x) {
  const double squared = x * x;
  if (x > 15) {
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / squared) / squared) / squared) / x;
  }
  return LogGamma(x + 1) - (x + 0.5) * std::log(x) + x - 0.5 * std::log(2 * std::numbers::pi);
}

/// x ln(x / mean) + mean - x.
double DevianceOf(double x, double mean) {
  const double off = (x - mean) / mean;
  return mean * ((1 + off) * std::log1p(off) - off);
}

/// The sum as an integral from half a step before k, by Simpson's rule.
double FlatTail(const CountLaw& law, double k, double step, double fall) {
  constexpr int kPieces = 256;
  constexpr double kAll = 38;  // e^-38 of the first term is nothing
  // The logarithm falls at least as a normal law's: by `fall` at first, then ever faster.
  const double z = fall * law.deviation;
  // A law this wide has its ends far beyond that.
  const double width = law.deviation * (std::sqrt(z * z + 2 * kAll) - z) / kPieces;
  double sum = 0;
  for (int i = 0; i <= kPieces; ++i) {
    const double weight = i == 0 || i == kPieces ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * law.density(k + step * (i * width - 0.5));
  }
  return sum * width / 3;
}

std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = static_cast<double>(i + j - 1) / 2;
    i = j;
  }
  return ranks;
}

/// The smallest whole number in (below, above) for which `holds`, which is false and then true;
/// `above` if none.
template <typename Condition>
double SmallestBetween(double below, double above, Condition holds) {
  while (above - below > 1) {
    const double middle = std::floor((below + above) / 2);
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace

double LogGamma(double x) {
  int sign = 0;  // std::lgamma writes it into a variable of the whole process
  return lgamma_r(x, &sign);
}

double BinomialDensity(double hits, double misses, double p) {
  if (hits == 0) return std::exp(misses * std::log1p(-p));
  if (misses == 0) return std::exp(hits * std::log(p));
  const double n = hits + misses;
  const double exponent = StirlingRest(n) - StirlingRest(hits) - StirlingRest(misses) -
                          DevianceOf(hits, n * p) - DevianceOf(misses, n * (1 - p));
  return std::exp(exponent) * std::sqrt(n / (2 * std::numbers::pi * hits) / misses);
}

double TailSum(const CountLaw& law, double k, double last, double step) {
  CheckBudget();
  // Steeper or narrower, and the terms are gone after a few thousand.
  constexpr double kFlat = 0.01, kWide = 400;
  if ((last - k) * step < 0) return 0;
  const double fall = 1 - law.ratio(k);
  if (fall < kFlat && law.deviation > kWide) return FlatTail(law, k, step, fall);
  double sum = 0;
  for (double term = law.density(k); term > sum * 1e-16; term *= law.ratio(k), k += step) {
    sum += term;
    if (k == last) break;
  }
  return sum;
}

double ChiSquareAtMost(double x, double degrees) {
  if (!(degrees > 0) || std::isnan(x)) return 1;
  if (x <= 0) return 0;
  // P(a, y) = y^a e^-y / Gamma(a + 1) * (1 + y / (a + 1) + y^2 / ((a + 1) (a + 2)) + ...)
  const double a = degrees / 2, y = x / 2;
  // Nothing is left there, and the series would take as many terms as y is large.
  if (y > a + 40 * std::sqrt(a) + 800) return 1;
  double term = 1, sum = 1;
  for (double n = 1; term > sum * std::numeric_limits<double>::epsilon(); ++n) {
    term *= y / (a + n);
    sum += term;
  }
  return std::min(1.0, sum * std::exp(a * std::log(y) - y - LogGamma(a + 1)));
}

double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b,
                       std::size_t least) {
  if (a.size() < std::max<std::size_t>(2, least)) return 0;
  const std::vector<double> x = Ranks(a), y = Ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double BinomialAtLeast(double n, double p, double k) {
  if (!(n <= kMostCounted && k > 0)) return 1;
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

Interval RanksOfProcessQuantile(double n, double q) {
  Interval out;
  if (!(n >= 1) || n != std::floor(n) || n > kMostCounted || !(q > 0 && q < 1)) return out;
  constexpr double kSide = (1 - 0.95) / 2;
  // The a-th smallest is above the quantile when fewer than a observations are at or below it.
  const double first_bad =
      SmallestBetween(0, n + 1, [&](double a) { return 1 - BinomialAtLeast(n, q, a) > kSide; });
  if (first_bad > 1) out.low = first_bad - 1;
  const double high =
      SmallestBetween(0, n + 1, [&](double b) { return BinomialAtLeast(n, q, b) <= kSide; });
  if (high <= n) out.high = high;
  return out;
}

Interval SamplingInterval(std::span<const ScrapeIncreases> children, double q) {
  const Interval ranks = RanksOfProcessQuantile(TotalCount(children), q);
  Interval out;
  if (ranks.low) out.low = ProveRank(children, *ranks.low).interval.low;
  if (ranks.high) out.high = ProveRank(children, *ranks.high).interval.high;
  return out;
}

double FisherAtLeast(const Fraction& now, const Fraction& before) {
  const double n = std::round(now.trials), all = n + std::round(before.trials);
  if (!(all <= kMostCounted) || n < 1 || all - n < 1) return 1;
  const double hits = std::clamp(std::round(now.hits), 0.0, n);
  const double total = hits + std::clamp(std::round(before.hits), 0.0, all - n);
  if (!(hits >= 1 && total >= hits)) return 1;
  const double misses = all - total, part = total / all, mean = n * part;
  const double whole = BinomialDensity(total, misses, part);
  CountLaw law;
  law.density = [&](double k) {
    return BinomialDensity(k, n - k, part) * BinomialDensity(total - k, misses - n + k, part) /
           whole;
  };
  const auto up = [&](double k) {
    return (total - k) * (n - k) / ((k + 1) * (misses - n + k + 1));
  };
  law.ratio = up;
  law.deviation = std::sqrt(mean * (1 - part) * (1 - n / all));
  // From the mean on the sum converges; below it the other tail does.
  if (hits > mean) return std::min(1.0, TailSum(law, hits, std::min(n, total), 1));
  law.ratio = [&](double k) { return 1 / up(k - 1); };
  return std::max(0.0, 1 - TailSum(law, hits - 1, std::max(0.0, n - misses), -1));
}

double TrialsToSeeDoubling(const Fraction& before, double level) {
  constexpr double kMost = 1e6;
  if (!(before.trials >= 1 && before.trials <= kMostCounted)) return kMost;
  const double hits = std::max(0.5, before.hits);
  const auto seen = [&](double n) {
    const double doubled = std::floor(2 * hits * n / before.trials);
    return BinomialAtLeast(n, hits / before.trials, doubled) <= level;
  };
  double low = 1, high = 2;
  while (high < kMost && !seen(high)) {
    low = high;
    high *= 2;
  }
  return std::min(SmallestBetween(low, high, seen), kMost);
}

}  // namespace schedlens
