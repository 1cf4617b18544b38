// histogram_fraction over classic buckets (3.4 and newer).

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedlens/histogram.h"
#include "stats/classic_quantile.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// The number of observations below `v`, interpolated inside its bucket. Buckets are sorted,
/// merged and end in +Inf; the first bucket starts at zero when its bound is positive.
double RankBelow(double v, std::span<const Bucket> buckets, const Semantics& semantics) {
  double rank = 0;
  double bucket_lower = buckets[0].upper > 0 ? 0.0 : -kInfinity;
  for (const Bucket& bucket : buckets) {
    if (bucket_lower >= v) return rank;
    if (bucket.upper > v) {
      // Observations in a bucket without lower end are taken to lie there (3.8 and newer; before,
      // infinity was divided by infinity). In the open top bucket the quotient below is zero.
      if (bucket_lower == -kInfinity && semantics.AtLeast(3, 8)) return bucket.count;
      return rank + (bucket.count - rank) * (v - bucket_lower) / (bucket.upper - bucket_lower);
    }
    rank = bucket.count;
    bucket_lower = bucket.upper;
  }
  return rank;
}

}  // namespace

double FractionOfBuckets(double lower, double upper, std::span<const Bucket> buckets,
                         const Semantics& semantics) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (buckets.empty()) return nan;
  std::vector<Bucket> sorted(buckets.begin(), buckets.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Bucket& a, const Bucket& b) { return BoundBefore(a.upper, b.upper); });
  if (sorted.back().upper != kInfinity) return nan;
  MergeEqualBounds(&sorted);
  const double total = sorted.back().count;
  if (total == 0 || std::isnan(lower) || std::isnan(upper)) return nan;
  if (lower >= upper) return 0;
  const double low = std::min(RankBelow(lower, sorted, semantics), total);
  const double high = std::min(RankBelow(upper, sorted, semantics), total);
  return (high - low) / total;
}

}  // namespace schedlens
