#ifndef SCHEDLENS_STATS_EXACT_TEST_H_
#define SCHEDLENS_STATS_EXACT_TEST_H_

// Is a fraction larger than it was? Counts as they are, no normal approximation: the fractions of
// slow attempts that alerts are about are small.

namespace schedlens {

/// Hits out of trials.
struct Fraction {
  double hits = 0;
  double trials = 0;
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

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_EXACT_TEST_H_
