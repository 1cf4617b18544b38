#ifndef SCHEDLENS_STATS_COUNT_TAIL_H_
#define SCHEDLENS_STATS_COUNT_TAIL_H_

// Tails of laws of counts, in a time that does not grow with the counts.

#include <functional>

namespace schedlens {

/// Beyond 2^53 whole numbers are no longer one apart in a double, and no count is exact.
inline constexpr double kMostCount = 9007199254740992.0;

/// P(Binomial(hits + misses, p) = hits), continued to real counts by the gamma function; counts are
/// not negative, p is inside (0, 1), or at an end that the counts allow. Loader's form: what
/// cancels is taken out before the logarithms, so that large counts cost no digits.
double BinomialDensity(double hits, double misses, double p);

/// A law over whole numbers whose density rises to one top and falls off on both sides at ever
/// steeper ratios.
struct CountLaw {
  std::function<double(double)> density;
  std::function<double(double)> ratio;  ///< density(k + step) / density(k) away from the top
  double deviation = 0;
};

/// density(k) + density(k + step) + ... + density(last) from k on away from the law's top, `step`
/// being 1 or -1. Term by term, some thousands at most; a tail that is longer than that is flat
/// from one number to the next, and its integral differs from the sum by less than 1e-5 of it.
/// 0 when `last` lies before k.
double TailSum(const CountLaw& law, double k, double last, double step);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_COUNT_TAIL_H_
