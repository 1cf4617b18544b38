#pragma once

// Quantiles and fractions of classic histograms, to the bit as a given server computes them.

#include <limits>
#include <span>

#include "schedlens/semantics.h"

namespace schedlens {

/// One classic bucket: the number of observations (or their rate) at or below `upper`.
struct Bucket {
  double upper = 0;
  double count = 0;  ///< cumulative
  bool operator==(const Bucket&) const = default;
};

/// What a server's histogram_quantile gives, and how it came about.
struct ClassicQuantile {
  /// Where the rank fell.
  enum class Place {
    kNowhere,    ///< no interpolation: NaN (no data, no +Inf bucket) or an infinity (q outside)
    kInside,     ///< interpolated between `lower` and `upper`
    kFirstAsIs,  ///< first bucket with a bound <= 0: the bound itself
    kTop,        ///< beyond the highest finite bound, which is the value
  };
  double value = std::numeric_limits<double>::quiet_NaN();
  Place place = Place::kNowhere;
  double lower = 0, upper = 0;  ///< bucket of the rank: (lower, upper]; upper is +Inf at kTop
  double count = 0;             ///< in that bucket, after repairs
  double rank = 0;              ///< q times the total, from the bottom
  double total = 0;             ///< observations (or rate) in the whole histogram, after repairs

  /// Cumulative counts decreased and were raised (an annotation of the server, 2.48 and newer).
  bool forced_monotonic = false;
  double forced_low = 0, forced_high = 0;  ///< lowest and highest bound so repaired
  double forced_drop = 0;                  ///< largest decrease
};

/// Any order of buckets; equal bounds are added. Prometheus: NaN when q is NaN (2.35 and newer;
/// older let it run through the search), -Inf for q < 0, +Inf for q > 1 before any look at the
/// data; NaN without a +Inf bucket, with fewer than two bounds, or with a total of zero.
/// VictoriaMetrics: see histogram-specific rules in the source. An empty span gives NaN.
ClassicQuantile QuantileOfBuckets(double q, std::span<const Bucket> buckets,
                                  const Semantics& semantics);

/// The server's histogram_fraction over a classic histogram (3.4 and newer): which part lies in
/// (lower, upper]. No monotone repair; NaN without a +Inf bucket, for an empty histogram or NaN
/// edges; 0 when lower >= upper.
double FractionOfBuckets(double lower, double upper, std::span<const Bucket> buckets,
                         const Semantics& semantics);

}  // namespace schedlens
