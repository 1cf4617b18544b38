// histogram_quantile and histogram_fraction of classic and native histograms, step by step as the
// servers do it, and the names of their arithmetic: `2.42`, `3.0-arm64`, `victoriametrics`. The
// order of the floating point operations is the specification: do not simplify it.

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/not_finite.h"
#include "base/text.h"
#include "stats/go_math.h"
#include "stats/native_value.h"

namespace schedlens {
namespace {

// The server's own constant: differences below it are rounding of sums, not data.
constexpr double kSmallDelta = 1e-12;

void NoteForced(double bound, double drop, ClassicQuantile* result) {
  const bool first = !result->forced_monotonic;
  result->forced_monotonic = true;
  result->forced_low = first ? bound : std::min(result->forced_low, bound);
  result->forced_high = first ? bound : std::max(result->forced_high, bound);
  result->forced_drop = first ? drop : std::max(result->forced_drop, drop);
}

/// Whatever is below the running maximum is raised to it. From 2.49 on (`tolerant`) tiny
/// differences are flattened in either direction first.
void RepairCounts(std::span<const double> bounds, std::span<double> counts, bool tolerant,
                  ClassicQuantile* result) {
  double previous = counts[0];
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double current = counts[i];
    if (current == previous) continue;
    if (tolerant && AlmostEqual(previous, current, kSmallDelta)) {
      counts[i] = previous;
    } else if (current < previous) {
      NoteForced(bounds[i], previous - current, result);
      counts[i] = previous;
    } else if (tolerant || current > previous) {  // NaN is neither
      previous = current;
    }
  }
}

/// Ascending, the counts of equal bounds added in the order in which they came.
std::vector<Bucket> SortedBuckets(std::span<const Bucket> buckets) {
  std::vector<Bucket> sorted(buckets.begin(), buckets.end());
  std::ranges::stable_sort(
      sorted, [](const Bucket& a, const Bucket& b) { return BoundBefore(a.upper, b.upper); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].upper == sorted[last].upper) {
      sorted[last].count += sorted[i].count;
    } else {
      sorted[++last] = sorted[i];
    }
  }
  if (!sorted.empty()) sorted.resize(last + 1);
  return sorted;
}

/// Up to 1.101: from the top down to the running minimum. Missing counts at the top are the last
/// one known, others the count above.
void RepairDownwards(std::span<const double> bounds, std::span<double> counts,
                     ClassicQuantile* result) {
  if (counts.size() < 2) return;
  const auto known =
      std::find_if(counts.rbegin(), counts.rend(), [](double count) { return !std::isnan(count); });
  if (known == counts.rend()) return;
  double lowest = *known;
  for (std::size_t i = counts.size(); i-- > 0;) {
    if (std::isnan(counts[i])) {
      counts[i] = lowest;
    } else if (lowest < counts[i]) {
      NoteForced(bounds[i], counts[i] - lowest, result);
      counts[i] = lowest;
    } else {
      lowest = counts[i];
    }
  }
}

/// A missing first count is zero, any other missing one the count before it; then the running
/// maximum, without tolerance.
void RepairUpwards(std::span<const double> bounds, std::span<double> counts,
                   ClassicQuantile* result) {
  double highest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (std::isnan(counts[i])) {
      counts[i] = highest;
    } else if (counts[i] < highest) {
      NoteForced(bounds[i], highest - counts[i], result);
      counts[i] = highest;
    } else {
      highest = counts[i];
    }
  }
}

/// VictoriaMetrics' rules. A decrease raises what follows; up to 1.101 it lowered what came before.
ClassicQuantile VictoriaQuantile(double q, std::span<const double> bounds, std::span<double> counts,
                                 const Semantics& semantics) {
  constexpr int kRepairsUpwards = 102;  // 1.102
  ClassicQuantile result;
  if (std::isnan(q)) return result;
  if (semantics.minor < kRepairsUpwards) {
    RepairDownwards(bounds, counts, &result);
  } else {
    RepairUpwards(bounds, counts, &result);
  }
  result.total = counts.back();  // whether or not that bucket is +Inf
  if (result.total == 0) return result;
  if (q < 0 || q > 1) {
    result.value = q < 0 ? -kInfinity : kInfinity;
    return result;
  }
  result.rank = result.total * q;
  double count_before = 0, bound_before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= 0) {
      bound_before = bounds[i];  // empty leading buckets only move the lower edge
      continue;
    }
    if (counts[i] < result.rank) {
      count_before = counts[i];
      bound_before = bounds[i];
      continue;
    }
    if (std::isinf(bounds[i])) break;
    result.place = ClassicQuantile::Place::kInside;
    result.lower = bound_before;
    result.upper = bounds[i];
    result.count = counts[i] - count_before;
    result.value = counts[i] == count_before
                       ? bound_before
                       : bound_before + (bounds[i] - bound_before) * (result.rank - count_before) /
                                            (counts[i] - count_before);
    return result;
  }
  result.upper = kInfinity;
  // The highest finite bound, if there is one.
  const auto finite =
      std::find_if(bounds.rbegin(), bounds.rend(), [](double bound) { return !std::isinf(bound); });
  if (finite == bounds.rend()) return result;
  result.place = ClassicQuantile::Place::kTop;
  result.lower = *finite;
  result.count = result.total - count_before;
  result.value = *finite;
  return result;
}

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

constexpr int kOldestMajor = 2;
constexpr int kOldestMinor = 20;
constexpr int kOldestVictoriaMinor = 79;
constexpr int kNewestVictoriaMinor = 999;  // whatever is current

/// A release candidate or vendor suffix does not change the arithmetic; an architecture does: one
/// whose Go compiler fuses a multiply and an add.
std::optional<Semantics> ParseVersion(std::string_view text) {
  static const RE2 kVersion(
      "(?s)v?(\\d+)\\.(\\d+)(?:\\.\\d+)?"
      "(?:[-+](?:(?:.*-)?(?:(arm64|ppc64le|ppc64|s390x|riscv64)|amd64|386|arm)"
      "|(?:rc|beta)\\..*))?");
  Semantics semantics;
  std::string fusing;
  if (!RE2::FullMatch(text, kVersion, &semantics.major, &semantics.minor, &fusing)) {
    return std::nullopt;
  }
  semantics.fma = !fusing.empty();
  return semantics;
}

/// `victoriametrics` or `vm`, with or without `-1.79`.
std::optional<Semantics> ParseVictoria(std::string_view text) {
  static const RE2 kForm("(?s)(?:victoriametrics|vm)(?:-(.+))?");
  std::string number;
  if (!RE2::FullMatch(text, kForm, &number)) return std::nullopt;
  Semantics semantics;
  semantics.dialect = Semantics::Dialect::kVictoriaMetrics;
  semantics.major = 1;
  semantics.minor = kNewestVictoriaMinor;
  if (number.empty()) return semantics;
  const auto version = ParseVersion(number);
  if (!version || version->major != 1 || version->minor < kOldestVictoriaMinor) return std::nullopt;
  semantics.minor = std::min(version->minor, kNewestVictoriaMinor);
  return semantics;
}

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
  const double low = go::Log2(std::fabs(bucket.lower)), high = go::Log2(std::fabs(bucket.upper));
  if (bucket.lower > 0) return go::Exp2(Interpolate(low, high - low, fraction, semantics.fma));
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
      const double high = go::Log2(std::fabs(bucket.upper)), at = go::Log2(std::fabs(v));
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

bool BoundBefore(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

bool AlmostEqual(double a, double b, double tolerance) {
  if ((std::isnan(a) && std::isnan(b)) || a == b) return true;
  const double smallest = std::numeric_limits<double>::min();
  const double sum = std::fabs(a) + std::fabs(b), difference = std::fabs(a - b);
  if (a == 0 || b == 0 || sum < smallest) return difference < tolerance * smallest;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < tolerance;
}

std::size_t FirstAtLeast(std::span<const double> counts, std::size_t n, double rank) {
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (counts[middle] >= rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

double Interpolate(double lower, double width, double fraction, bool fused) {
  return fused ? std::fma(width, fraction, lower) : lower + width * fraction;
}

ClassicQuantile QuantileOfSorted(double q, std::span<const double> bounds, std::span<double> counts,
                                 const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) return VictoriaQuantile(q, bounds, counts, semantics);
  ClassicQuantile result;
  if (std::isnan(q) && semantics.AtLeast(2, 35)) return result;
  if (q < 0 || q > 1) {
    result.value = q < 0 ? -kInfinity : kInfinity;
    return result;
  }
  if (bounds.back() != kInfinity) return result;
  const std::size_t size = counts.size();
  RepairCounts(bounds, counts, semantics.AtLeast(2, 49), &result);
  if (size > 1) result.total = counts[size - 1];
  if (result.total == 0) {
    result.forced_monotonic = false;
    return result;
  }
  double rank = q * result.total;
  result.rank = rank;
  const std::size_t at = FirstAtLeast(counts, size - 1, rank);
  if (at == size - 1) {
    result.place = ClassicQuantile::Place::kTop;
    result.lower = bounds[size - 2];
    result.upper = bounds[size - 1];
    result.count = counts[size - 1] - counts[size - 2];
    result.value = bounds[size - 2];
    return result;
  }
  result.upper = bounds[at];
  result.count = counts[at];
  if (at == 0 && bounds[0] <= 0) {
    result.place = ClassicQuantile::Place::kFirstAsIs;
    result.lower = -kInfinity;
    result.value = bounds[0];
    return result;
  }
  result.place = ClassicQuantile::Place::kInside;
  if (at > 0) {
    result.lower = bounds[at - 1];
    result.count -= counts[at - 1];
    rank -= counts[at - 1];
  }
  result.value =
      Interpolate(result.lower, result.upper - result.lower, rank / result.count, semantics.fma);
  return result;
}

ClassicQuantile QuantileOfBuckets(double q, std::span<const Bucket> buckets,
                                  const Semantics& semantics) {
  if (buckets.empty()) return {};
  std::vector<double> bounds, counts;
  for (const Bucket& bucket : SortedBuckets(buckets)) {
    bounds.push_back(bucket.upper);
    counts.push_back(bucket.count);
  }
  return QuantileOfSorted(q, bounds, counts, semantics);
}

double FractionOfBuckets(double lower, double upper, std::span<const Bucket> buckets,
                         const Semantics& semantics) {
  const std::vector<Bucket> sorted = SortedBuckets(buckets);
  if (sorted.empty() || sorted.back().upper != kInfinity) return kNaN;
  const double total = sorted.back().count;
  if (total == 0 || std::isnan(lower) || std::isnan(upper)) return kNaN;
  if (lower >= upper) return 0;
  const double low = std::min(RankBelow(lower, sorted, semantics), total);
  const double high = std::min(RankBelow(upper, sorted, semantics), total);
  return (high - low) / total;
}

Semantics ParseSemantics(std::string_view text) {
  Semantics semantics;
  if (const auto victoria = ParseVictoria(text)) return *victoria;
  if (text == "main") return semantics;
  const Semantics newest;
  const auto parsed = ParseVersion(text);
  if (parsed && parsed->AtLeast(kOldestMajor, kOldestMinor)) {
    semantics = *parsed;
    if (semantics.AtLeast(newest.major, newest.minor)) {
      semantics.major = newest.major;
      semantics.minor = newest.minor;
    }
    return semantics;
  }
  Raise(ErrorKind::kUsage,
        "--semantics \"{}\": expected a Prometheus version from {}.{} to {}.{}, "
        "main, with -arm64 for a server on ARM, or \"victoriametrics\" "
        "(\"victoriametrics-1.79\" and newer)",
        text, kOldestMajor, kOldestMinor, newest.major, newest.minor);
}

std::string ToString(const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) {
    if (semantics.minor == kNewestVictoriaMinor) return "victoriametrics";
    return fmt::format("victoriametrics-1.{}", semantics.minor);
  }
  return fmt::format("{}.{}{}", semantics.major, semantics.minor, semantics.fma ? "-arm64" : "");
}

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

  const bool custom = HasCustomBounds(histogram), nan_sum = std::isnan(histogram.sum);
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
  if (count < rank) return decided(nan_sum && semantics.AtLeast(3, 5) ? kNaN : bucket.upper);
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
