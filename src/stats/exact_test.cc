#include "stats/exact_test.h"

#include <algorithm>
#include <cmath>

#include "stats/log_gamma.h"
#include "stats/sampling.h"

namespace schedlens {
namespace {

double LogChoose(double n, double k) {
  return LogGamma(n + 1) - LogGamma(k + 1) - LogGamma(n - k + 1);
}

/// The probabilities of `hits` and of all further from the mean, in the direction of `step`; each
/// follows from its neighbour.
double Tail(double hits, double n, double total, double all, double step) {
  const double least = std::max(0.0, total + n - all), most = std::min(n, total);
  double term =
      std::exp(LogChoose(total, hits) + LogChoose(all - total, n - hits) - LogChoose(all, n));
  double tail = 0;
  for (double k = hits; k >= least && k <= most; k += step) {
    tail += term;
    const double up = step > 0 ? k : k - 1;  // the smaller of the two neighbours
    const double ratio = (total - up) * (n - up) / ((up + 1) * (all - total - n + up + 1));
    const double next = step > 0 ? ratio : 1 / ratio;
    term *= next;
    if (next < 1 && term < tail * 1e-16) break;
  }
  return tail;
}

}  // namespace

double FisherAtLeast(const Fraction& now, const Fraction& before) {
  const double n = std::round(now.trials), all = n + std::round(before.trials);
  const double hits = std::clamp(std::round(now.hits), 0.0, n);
  const double total = hits + std::clamp(std::round(before.hits), 0.0, all - n);
  if (n < 1 || all - n < 1 || hits < 1) return 1;
  // From the mean on the sum converges; below it the other tail does.
  if (hits > total * n / all) return std::min(1.0, Tail(hits, n, total, all, 1));
  return std::max(0.0, 1 - Tail(hits - 1, n, total, all, -1));
}

double TrialsToSeeDoubling(const Fraction& before, double level) {
  constexpr double kMost = 1e6;
  if (before.trials < 1) return kMost;
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
