#ifndef SCHEDLENS_STATS_SAMPLING_H_
#define SCHEDLENS_STATS_SAMPLING_H_

// The other kind of uncertainty: the window's observations are a sample of what the process would
// do. Order statistics, no assumption about the distribution, but independence is assumed
// (attempts come in bursts, so the true interval is wider, never narrower). Never mixed with the
// proven interval, which is about the window itself.

#include <optional>
#include <span>

#include "schedlens/estimate.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// P(Binomial(n, p) >= k) of whole numbers, to 1e-5 of the value (see TailSum). k <= 0 gives 1,
/// k > n gives 0; p outside [0, 1] is taken as the nearer end. 1 where n is no number or more than
/// 2^53: such proves nothing.
double BinomialAtLeast(double n, double p, double k);

/// Ranks a <= b of the sample between which the process's quantile lies with the given confidence,
/// at most (1 - confidence) / 2 on each side. A side is absent when n is too small to have one:
/// the upper one of p99 at 95 % needs n >= 368.
struct SamplingRanks {
  std::optional<double> low;
  std::optional<double> high;
};
SamplingRanks RanksOfProcessQuantile(double n, double q, double confidence);

/// The ranks in seconds: the proven low end of the lower one, the proven high end of the upper one.
/// Absent sides are absent; nothing at all when there is no observation, q is not inside (0, 1), or
/// counts are not whole numbers.
Interval SamplingInterval(std::span<const ScrapeIncreases> children, double q,
                          double confidence = 0.95);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_SAMPLING_H_
