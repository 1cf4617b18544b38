#ifndef SCHEDLENS_ESTIMATE_H_
#define SCHEDLENS_ESTIMATE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedlens/basis.h"
#include "schedlens/histogram.h"

namespace schedlens {

/// Proven bounds. An absent end means nothing is proven on that side.
struct Interval {
  std::optional<double> low;
  std::optional<double> high;
  bool operator==(const Interval&) const = default;
};

/// A measured number is never a bare double: the best estimate, the bounds that are proven, and
/// what they rest on. `value` is never outside [low, high]; absent when nothing can be said.
struct Measured {
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
  std::string unit;  ///< "s", "1" (a ratio), "count"
  Basis basis;
  bool operator==(const Measured&) const = default;
};

/// A number that is known exactly: low = value = high.
Measured Exact(double value, std::string unit);
/// An estimate with no proven bounds.
Measured Estimated(double value, std::string unit, Basis basis);
/// Bounds and a best point, which is clamped into them.
Measured Bounded(double low, double value, double high, std::string unit, Basis basis);

/// What one histogram's quantile is worth: where the truth must be, and the best guess inside.
struct QuantileWorth {
  double observations = 0;
  double rank = 0;  ///< the truth is the rank-th smallest observation
  Interval bucket;  ///< the bucket of the rank; an absent end is infinite
  double in_bucket = 0;
  Interval interval;  ///< proven: buckets and sum; within `bucket`
  Basis basis;        ///< kBuckets or kSum; empty when nothing is known
  Measured estimate;  ///< inside `interval`; no value where nothing bounds it from above
  Interval sampling;  ///< 95 %, for the process the observations are a sample of
  std::vector<std::string> reasons;  ///< repairs and limits, in words
};

/// `buckets` are cumulative counts (any order, equal bounds are added) of observations that are not
/// negative; `sum` is their total where known. Counts that fall are raised to the running maximum,
/// and a reason says so: nothing is proven about what was torn. Without a +Inf bucket, with no
/// observation, counts that are not finite, or q outside [0, 1] the answer is empty but for a
/// reason.
QuantileWorth WorthOfQuantile(std::span<const Bucket> buckets, std::optional<double> sum, double q);

}  // namespace schedlens

#endif  // SCHEDLENS_ESTIMATE_H_
