#include "stats/exact_test.h"

#include <algorithm>
#include <cmath>

#include "stats/count_tail.h"
#include "stats/sampling.h"

namespace schedlens {

double FisherAtLeast(const Fraction& now, const Fraction& before) {
  const double n = std::round(now.trials), all = n + std::round(before.trials);
  if (!(all <= kMostCount) || n < 1 || all - n < 1) return 1;
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
  if (!(before.trials >= 1 && before.trials <= kMostCount)) return kMost;
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
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (seen(middle) ? high : low) = middle;
  }
  return std::min(high, kMost);
}

}  // namespace schedlens
