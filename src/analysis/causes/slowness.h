#ifndef SCHEDLENS_ANALYSIS_CAUSES_SLOWNESS_H_
#define SCHEDLENS_ANALYSIS_CAUSES_SLOWNESS_H_

// Are attempts slower than in the baseline? By exact tests of the fractions over each bucket bound,
// not by the bucket that a quantile happens to fall into.

#include <optional>

#include "analysis/causes/measurement.h"

namespace schedlens {

/// A p-value at most this is significant, corrected for the bounds tried.
inline constexpr double kSignificant = 0.01;
/// An incident makes the 99th percentile at least this many times the baseline's.
inline constexpr double kLeastGrowth = 1.5;

/// One result's attempts now against the same in the baseline.
struct TailTest {
  /// Smallest p-value of Fisher's one-sided test over the bounds from 0.1 s on that both have,
  /// times the number of different tests among them; at most 1.
  double p_value = 1;
  double growth = 0;  ///< of the interpolated 99th percentile, as a ratio (or of the mean where it
                      ///< is in the open bucket and that is larger); 0 where unknown
};
TailTest TestTail(const ResultTail& now, const ResultTail& before);

/// The same of any two populations, over the bounds from `least` seconds on.
double SmallestPValue(const PooledBuckets& now, const PooledBuckets& before, double least);

/// Whether the stage alone makes significantly more attempts slow than in the baseline: by its own
/// histogram, over the bounds from the baseline's 99th percentile of attempts on. False for stages
/// without one, and without a baseline.
bool IsStageSlower(const Measurement& now, const std::optional<Measurement>& baseline,
                   kube::Stage stage);

struct Speed {
  bool slow = false;  ///< some result is significantly and clearly slower, or plainly slow
  double growth = 0;  ///< the largest TailTest::growth of a slow result; 0 without a baseline
  /// Attempts that the window would need for a doubling of the slow fraction to be significant,
  /// where it has fewer.
  std::optional<double> attempts_needed;
};

/// Without a baseline only what is plainly slow counts: a 99th percentile proven to be 0.5 s or
/// more. `threshold` is the alert's, in seconds: proven above it is slow too.
Speed CompareSpeed(const Measurement& now, const std::optional<Measurement>& baseline,
                   std::optional<double> threshold);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_SLOWNESS_H_
