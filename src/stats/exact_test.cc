#include "stats/exact_test.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

double LogChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

double FisherAtLeast(const Fraction& now, const Fraction& before) {
  const double n = std::round(now.trials), all = n + std::round(before.trials);
  const double hits = std::clamp(std::round(now.hits), 0.0, n);
  const double total = hits + std::clamp(std::round(before.hits), 0.0, all - n);
  if (n < 1 || all - n < 1 || hits < 1) return 1;
  const double most = std::min(n, total);
  // P(k) of the hypergeometric distribution at k = hits, then by the ratio of neighbours.
  double term =
      std::exp(LogChoose(total, hits) + LogChoose(all - total, n - hits) - LogChoose(all, n));
  double tail = 0;
  for (double k = hits; k <= most; ++k) {
    tail += term;
    const double next = (total - k) * (n - k) / ((k + 1) * (all - total - n + k + 1));
    term *= next;
    if (next < 1 && term < tail * 1e-16) break;
  }
  return std::min(1.0, tail);
}

double TrialsToSeeDoubling(const Fraction& before, double level, double most) {
  if (before.trials < 1) return most;
  const double fraction = std::max(0.5, before.hits) / before.trials;
  const auto seen = [&](double n) {
    return FisherAtLeast({std::ceil(2 * fraction * n), n}, {fraction * before.trials,
                                                           before.trials}) <= level;
  };
  double low = 1, high = 2;
  while (high < most && !seen(high)) {
    low = high;
    high *= 2;
  }
  if (high >= most) return most;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (seen(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace schedlens
