#include "stats/count_tail.h"

#include <cmath>
#include <numbers>

#include "model/work_budget.h"
#include "stats/log_gamma.h"

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

}  // namespace

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

}  // namespace schedlens
