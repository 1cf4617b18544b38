#pragma once

// What chance alone would do: the window's observations as a sample of the process, and tests of
// counts as they are, without a normal approximation: the fractions of slow attempts that alerts
// are about are small.

#include <functional>

#include "schedlens/estimate.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// ln |gamma(x)|, from any thread; +Inf for 0 and negative integers, NaN of NaN.
double LogGamma(double x);

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

/// P(Binomial(n, p) >= k) of whole numbers, to 1e-5 of the value (see TailSum). k <= 0 gives 1,
/// k > n gives 0; p outside [0, 1] is taken as the nearer end. 1 where n is no number or more than
/// 2^53: such proves nothing.
double BinomialAtLeast(double n, double p, double k);

/// Ranks a <= b of the sample between which the process's quantile lies at 95 %, at most 2.5 % on
/// each side. A side is absent when n is too small to have one: the upper one of p99 needs n >=
/// 368.
Interval RanksOfProcessQuantile(double n, double q);

/// The ranks in seconds: the proven low end of the lower one, the proven high end of the upper one.
/// Absent sides are absent; nothing at all when there is no observation, q is not inside (0, 1), or
/// counts are not whole numbers.
Interval SamplingInterval(std::span<const ScrapeIncreases> children, double q);

/// Hits out of trials.
struct Fraction {
  double hits = 0, trials = 0;
  bool operator==(const Fraction&) const = default;
};

/// One-sided p-value of Fisher's exact test: the probability that, of all hits of both samples
/// together, chance would put at least `now.hits` among `now.trials`. Counts are rounded to whole
/// numbers. 1 when either sample is empty or no hit is in `now`, and where counts are no numbers or
/// add up to more than 2^53: such proves nothing. To 1e-5 of the value (see TailSum).
double FisherAtLeast(const Fraction& now, const Fraction& before);

/// How many trials would make a doubling of `before`'s fraction significant at `level` by the
/// binomial test, the fraction taken as known; at most a million, which is also the answer where
/// `before` tells nothing. Zero hits count as half a hit.
double TrialsToSeeDoubling(const Fraction& before, double level);

/// P(chi-square with `degrees` of freedom <= x), by the series of the lower incomplete gamma
/// function. 0 for x <= 0; 1 for no degrees of freedom and for NaN.
double ChiSquareAtMost(double x, double degrees);

/// Spearman's rank correlation of paired values, equal ones by their mean rank; 0 with fewer than
/// `least` pairs and where either side never varies. Both sides must have the same size.
double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b,
                       std::size_t least);

}  // namespace schedlens
