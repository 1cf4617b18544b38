// histogram_quantile over classic buckets, step by step as the servers do it. The order of the
// floating point operations is the specification: do not simplify it.

#include "stats/classic_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/not_finite.h"

namespace schedlens {
namespace {

// The server's own constant: differences below it are rounding of sums, not data.
constexpr double kSmallDelta = 1e-12;

void NoteForced(double bound, double drop, ClassicQuantile* result) {
  if (!result->forced_monotonic) {
    result->forced_low = bound;
    result->forced_high = bound;
    result->forced_drop = drop;
  }
  result->forced_monotonic = true;
  result->forced_low = std::min(result->forced_low, bound);
  result->forced_high = std::max(result->forced_high, bound);
  result->forced_drop = std::max(result->forced_drop, drop);
}

/// Up to 2.48: whatever is below the running maximum is raised to it.
void RepairByMaximum(std::span<const double> bounds, std::span<double> counts,
                     ClassicQuantile* result) {
  double highest = counts[0];
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > highest) {
      highest = counts[i];
    } else if (counts[i] < highest) {
      NoteForced(bounds[i], highest - counts[i], result);
      counts[i] = highest;
    }
  }
}

/// From 2.49 on: tiny differences are flattened in either direction first.
void RepairWithTolerance(std::span<const double> bounds, std::span<double> counts,
                         ClassicQuantile* result) {
  double previous = counts[0];
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double current = counts[i];
    if (current == previous) continue;
    if (AlmostEqual(previous, current, kSmallDelta)) {
      counts[i] = previous;
      result->flattened = true;
    } else if (current < previous) {
      NoteForced(bounds[i], previous - current, result);
      counts[i] = previous;
    } else {
      previous = current;
    }
  }
}

}  // namespace

bool QuantileDecidedByQ(double q, const Semantics& semantics, double* value) {
  if (std::isnan(q) && semantics.AtLeast(2, 35)) {
    *value = kNaN;
    return true;
  }
  if (q < 0 || q > 1) {
    *value = q < 0 ? -kInfinity : kInfinity;
    return true;
  }
  return false;
}

bool BoundBefore(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

void MergeEqualBounds(std::vector<Bucket>* buckets) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < buckets->size(); ++i) {
    if ((*buckets)[i].upper == (*buckets)[last].upper) {
      (*buckets)[last].count += (*buckets)[i].count;
    } else {
      (*buckets)[++last] = (*buckets)[i];
    }
  }
  if (!buckets->empty()) buckets->resize(last + 1);
}

bool AlmostEqual(double a, double b, double tolerance) {
  if ((std::isnan(a) && std::isnan(b)) || a == b) return true;
  const double smallest = std::numeric_limits<double>::min();
  const double sum = std::fabs(a) + std::fabs(b);
  const double difference = std::fabs(a - b);
  if (a == 0 || b == 0 || sum < smallest) return difference < tolerance * smallest;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < tolerance;
}

std::size_t FirstAtLeast(std::span<const double> counts, std::size_t n, double rank) {
  std::size_t low = 0;
  std::size_t high = n;
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
  ClassicQuantile result;
  const std::size_t size = counts.size();
  if (semantics.AtLeast(2, 49)) {
    RepairWithTolerance(bounds, counts, &result);
  } else {
    RepairByMaximum(bounds, counts, &result);
  }
  if (size < 2) {
    result.forced_monotonic = false;
    return result;
  }
  result.total = counts[size - 1];
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
  ClassicQuantile result;
  if (buckets.empty()) return result;
  const bool victoria = semantics.IsVictoriaMetrics();
  if (!victoria && QuantileDecidedByQ(q, semantics, &result.value)) return result;
  std::vector<Bucket> sorted(buckets.begin(), buckets.end());
  // Stable, so that equal bounds are added in the order in which they came.
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Bucket& a, const Bucket& b) { return BoundBefore(a.upper, b.upper); });
  if (!victoria && sorted.back().upper != kInfinity) return result;
  MergeEqualBounds(&sorted);
  std::vector<double> bounds(sorted.size());
  std::vector<double> counts(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    bounds[i] = sorted[i].upper;
    counts[i] = sorted[i].count;
  }
  return victoria ? VictoriaQuantileOfSorted(q, bounds, counts, semantics)
                  : QuantileOfSorted(q, bounds, counts, semantics);
}

}  // namespace schedlens
