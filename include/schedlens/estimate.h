#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedlens/histogram.h"

namespace schedlens {

/// The rule that gave a number or its bounds.
enum class BasisKind {
  kNone,                  ///< nothing is known
  kExact,                 ///< counted or added up
  kBuckets,               ///< the bucket that the rank is in
  kSum,                   ///< a histogram's buckets and its sum
  kScrapeSums,            ///< the same, scrape interval by scrape interval
  kSums,                  ///< a quotient of sums
  kEdges,                 ///< the same, with what attempts at the window's edges make of it
  kSumDifference,         ///< a difference of sums
  kExtensionPoints,       ///< a stage by the extension points it consists of
  kRateLimiter,           ///< the client's rate limiter
  kCountsOverThreshold,   ///< counts over the alert's threshold
  kBaseline,              ///< against the baseline
  kMoreObservations,      ///< against the baseline: the part of a change of mix
  kCostlierObservations,  ///< against the baseline: the part of a change of cost
  kAnyPairing,            ///< proven for every pairing of the stages' observations
  kReconstruction,        ///< the same, with a value by reconstructed attempts
  kSampledCycles,         ///< the tenth of the cycles that plugins are measured in
  kLossySample,           ///< a share of such cycles
  kLoopStages,            ///< the stages of the scheduling loop, seconds a second
  kPodAttempts,           ///< the histogram of a pod's attempts
  kPodLessAttempt,        ///< a pod's duration less its last attempt's
  kMeanOfScrapes,         ///< the mean of a gauge's samples
  kGrowth,                ///< a share of what grew against the baseline
  kControlPlane,          ///< sums of the control plane, between its own scrapes
  kReplays,               ///< replays in the reference scheduler
  kOther,                 ///< read from a report: in words that this version does not write
};

struct Basis {
  // Implicit: most numbers rest on a rule alone.
  Basis(BasisKind by = BasisKind::kNone) : kind(by) {}  // NOLINT(google-explicit-constructor)

  BasisKind kind;
  /// Histograms of the same observations that narrowed the bounds; of kOther the words.
  std::vector<std::string> names;

  bool empty() const { return kind == BasisKind::kNone; }
  bool operator==(const Basis&) const = default;
};

/// "buckets", "per-scrape sums and binding_duration", ...; empty where nothing is known.
std::string ToString(const Basis& basis);
/// Reads what ToString wrote; any other words are kOther.
Basis ParseBasis(std::string_view words);

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
