// histogram_stdvar of a native histogram: every observation taken to lie in its bucket's middle.

#include <cmath>

#include "stats/native_quantile.h"
#include "stats/summation.h"

namespace schedlens {
namespace {

double Middle(const NativeBucket& bucket, bool custom, const Semantics& semantics) {
  if (custom && semantics.AtLeast(3, 4)) return (bucket.upper + bucket.lower) / 2.0;
  if (bucket.lower <= 0 && bucket.upper >= 0) return 0;
  const double middle = std::sqrt(bucket.upper * bucket.lower);
  // Up to 2.51 the sign of negative buckets was lost.
  return bucket.upper < 0 && semantics.AtLeast(2, 52) ? -middle : middle;
}

}  // namespace

double VarianceOfNative(const NativeHistogram& histogram, const Semantics& semantics) {
  const bool custom = HasCustomBounds(histogram);
  const double mean = histogram.sum / histogram.count;
  CompensatedSum variance;
  for (const NativeBucket& bucket : histogram.buckets) {
    if (bucket.count == 0) continue;
    const double delta = Middle(bucket, custom, semantics) - mean;
    variance.Add(bucket.count * delta * delta, semantics.AtLeast(2, 54));
  }
  return (variance.value + variance.compensation) / histogram.count;
}

}  // namespace schedlens
