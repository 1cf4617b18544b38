#include <algorithm>
#include <cmath>
#include <optional>

#include "base/not_finite.h"
#include "stats/classic_quantile.h"
#include "stats/go_math.h"
#include "stats/native_value.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

constexpr int kClosedLeft = 1;  // the API's mark of negative buckets

/// The zero bucket of a histogram that shows only positive (negative) buckets starts (ends) at 0.
NativeBucket TrimZeroBucket(NativeBucket bucket, const NativeHistogram& histogram, bool custom) {
  if (custom || !(bucket.lower < 0 && bucket.upper > 0)) return bucket;
  bool positive = false, negative = false;
  for (const NativeBucket& other : histogram.buckets) {
    if (IsZeroBucket(other)) continue;
    (other.boundaries == kClosedLeft ? negative : positive) = true;
  }
  if (positive && !negative) bucket.lower = 0;
  if (negative && !positive) bucket.upper = 0;
  return bucket;
}

/// Where a walk over the buckets stopped.
struct Stop {
  NativeBucket bucket;
  double count = 0;  // accumulated, the last bucket included
};

Stop Walk(const NativeHistogram& histogram, double rank, bool upwards) {
  Stop stop;
  const std::size_t size = histogram.buckets.size();
  for (std::size_t i = 0; i < size; ++i) {
    const NativeBucket& bucket = histogram.buckets[upwards ? i : size - 1 - i];
    if (bucket.count == 0) continue;
    stop.bucket = bucket;
    stop.count += bucket.count;
    if (stop.count >= rank) break;
  }
  return stop;
}

bool IsLinear(const NativeBucket& bucket, bool custom, const Semantics& semantics) {
  return custom || (bucket.lower <= 0 && bucket.upper >= 0) || !semantics.AtLeast(3, 0);
}

double InBucket(const NativeBucket& bucket, double rank, bool custom, const Semantics& semantics) {
  const double fraction = rank / bucket.count;
  if (IsLinear(bucket, custom, semantics)) {
    return Interpolate(bucket.lower, bucket.upper - bucket.lower, fraction, semantics.fma);
  }
  const double low = go::Log2(std::fabs(bucket.lower));
  const double high = go::Log2(std::fabs(bucket.upper));
  if (bucket.lower > 0) {
    return go::Exp2(Interpolate(low, high - low, fraction, semantics.fma));
  }
  return -go::Exp2(Interpolate(high, low - high, 1 - fraction, semantics.fma));
}

/// Observations at or below v, interpolated; nothing where v lies above all buckets.
std::optional<double> RankAt(double v, const NativeHistogram& histogram, bool custom,
                             const Semantics& semantics) {
  double below = 0;
  for (const NativeBucket& each : histogram.buckets) {
    const NativeBucket bucket = TrimZeroBucket(each, histogram, custom);
    if (bucket.lower >= v) return below;
    if (bucket.upper > v) {
      if (IsLinear(bucket, custom, semantics)) {
        return below + bucket.count * (v - bucket.lower) / (bucket.upper - bucket.lower);
      }
      const double low = go::Log2(std::fabs(bucket.lower));
      const double high = go::Log2(std::fabs(bucket.upper));
      const double at = go::Log2(std::fabs(v));
      const double fraction = v > 0 ? (at - low) / (high - low) : 1 - ((at - high) / (low - high));
      return Interpolate(below, bucket.count, fraction, semantics.fma);
    }
    below += bucket.count;
  }
  return std::nullopt;
}

double Middle(const NativeBucket& bucket, bool custom, const Semantics& semantics) {
  if (custom && semantics.AtLeast(3, 4)) return (bucket.upper + bucket.lower) / 2.0;
  if (bucket.lower <= 0 && bucket.upper >= 0) return 0;
  const double middle = std::sqrt(bucket.upper * bucket.lower);
  // Up to 2.51 the sign of negative buckets was lost.
  return bucket.upper < 0 && semantics.AtLeast(2, 52) ? -middle : middle;
}

}  // namespace

NativeQuantile QuantileOfNative(double q, const NativeHistogram& histogram,
                                const Semantics& semantics) {
  NativeQuantile result;
  const auto decided = [&](double value) {
    result.shown = result.correct = value;
    return result;
  };
  if (q < 0) return decided(-kInfinity);
  if (q > 1) return decided(kInfinity);
  if (histogram.count == 0 || std::isnan(q) || histogram.buckets.empty()) return decided(kNaN);

  const bool custom = HasCustomBounds(histogram);
  const bool nan_sum = std::isnan(histogram.sum);
  const bool upwards = nan_sum || q < 0.5 || !semantics.AtLeast(2, 47);
  double rank = (upwards ? q : 1 - q) * histogram.count;
  Stop stop = Walk(histogram, rank, upwards);
  NativeBucket bucket = TrimZeroBucket(stop.bucket, histogram, custom);
  if (custom && bucket.lower == -kInfinity) {
    if (bucket.upper <= 0) return decided(bucket.upper);
    bucket.lower = 0;
  } else if (custom && bucket.upper == kInfinity) {
    return decided(bucket.lower);
  }
  // Rounding may accumulate more than the count, NaN observations less.
  const double count = std::min(stop.count, histogram.count);
  if (count < rank) {
    return decided(nan_sum && semantics.AtLeast(3, 5) ? kNaN : bucket.upper);
  }
  rank = upwards ? rank - (count - bucket.count) : count - rank;
  result.inside = true;
  result.lower = bucket.lower;
  result.upper = bucket.upper;
  result.shown = result.correct = InBucket(bucket, rank, custom, semantics);
  if (nan_sum && semantics.AtLeast(3, 5)) {
    // With a NaN sum the server walks on to the last bucket before it interpolates.
    const NativeBucket last = Walk(histogram, kNaN, upwards).bucket;
    // The same bucket keeps its trimmed edges; another one is taken as it is.
    const bool same = last.lower == stop.bucket.lower && last.upper == stop.bucket.upper;
    result.shown = InBucket(same ? bucket : last, rank, custom, semantics);
  }
  return result;
}

double FractionOfNative(double lower, double upper, const NativeHistogram& histogram,
                        const Semantics& semantics) {
  if (histogram.count == 0 || std::isnan(lower) || std::isnan(upper)) return kNaN;
  if (lower >= upper) return 0;
  const bool custom = HasCustomBounds(histogram);
  double count = histogram.count;
  // NaN observations are in no bucket: from 3.5 on they count in the denominator only.
  if (std::isnan(histogram.sum) && semantics.AtLeast(3, 5)) {
    count = 0;
    for (const NativeBucket& bucket : histogram.buckets) count += bucket.count;
  }
  const auto rank = [&](double v) {
    const auto at = RankAt(v, histogram, custom, semantics);
    return !at || *at > count ? count : *at;
  };
  return (rank(upper) - rank(lower)) / histogram.count;
}

double VarianceOfNative(const NativeHistogram& histogram, const Semantics& semantics) {
  const bool custom = HasCustomBounds(histogram);
  const double mean = histogram.sum / histogram.count;
  CompensatedSum variance;
  for (const NativeBucket& bucket : histogram.buckets) {
    if (bucket.count == 0) continue;
    const double delta = Middle(bucket, custom, semantics) - mean;
    variance.Add(bucket.count * delta * delta, semantics.AtLeast(2, 54));
  }
  return variance.Total() / histogram.count;
}

}  // namespace schedlens
