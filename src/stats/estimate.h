#pragma once

// The best single number for a quantile, always inside what is proven.
//
// Two candidates, each good where the other is not:
//   curve   in (log x, probit F) a straight line between the bucket's edges: exact for a lognormal,
//           close for any smooth law; a linear one in the first bucket, whose edge is 0; a Pareto
//           tail through the last two finite bounds in the open bucket
//   middle  2LU/(L+U) of the proven interval: the point whose worst relative error is smallest,
//           whatever lies inside
// The curve's weight falls with the share of the bucket that the proof left over (where sums or
// links have narrowed it, they know more than a curve does), and is at most half in the tail, where
// few observations shape the bucket. Weights apply to logarithms.

#include <span>

#include "schedlens/estimate.h"
#include "stats/proven_interval.h"

namespace schedlens {

/// From this q on a quantile belongs to the tail.
inline constexpr double kTailStartsAt = 0.95;

/// Never outside the proven interval. Without an upper bound (open bucket, no sums) there is no
/// value, only the low end: an extrapolated number without a bound would be made up.
Measured EstimateQuantile(std::span<const ScrapeIncreases> children, const ProvenQuantile& proven,
                          double q);

/// The standard normal distribution's inverse, for p in (0, 1).
double Probit(double p);

}  // namespace schedlens
