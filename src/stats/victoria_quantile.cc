// VictoriaMetrics' histogram_quantile over classic buckets.

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/classic_quantile.h"

namespace schedlens {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A missing first count is zero, any other missing one the count before it; then the running
/// maximum, without tolerance.
void Repair(std::span<const double> bounds, std::span<double> counts, ClassicQuantile* result) {
  double highest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (std::isnan(counts[i])) {
      counts[i] = highest;
    } else if (counts[i] < highest) {
      if (!result->forced_monotonic) result->forced_low = bounds[i];
      result->forced_monotonic = true;
      result->forced_high = bounds[i];
      result->forced_drop = std::fmax(result->forced_drop, highest - counts[i]);
      counts[i] = highest;
    } else {
      highest = counts[i];
    }
  }
}

}  // namespace

ClassicQuantile VictoriaQuantileOfSorted(double q, std::span<const double> bounds,
                                         std::span<double> counts) {
  ClassicQuantile result;
  if (std::isnan(q)) return result;
  Repair(bounds, counts, &result);
  result.total = counts.back();  // whether or not that bucket is +Inf
  if (result.total == 0) return result;
  if (q < 0 || q > 1) {
    result.value = q < 0 ? -kInf : kInf;
    return result;
  }
  result.rank = result.total * q;
  double count_before = 0;
  double bound_before = 0;
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
  // The highest finite bound, if there is one.
  const auto finite =
      std::find_if(bounds.rbegin(), bounds.rend(), [](double bound) { return !std::isinf(bound); });
  if (finite == bounds.rend()) return result;
  result.place = ClassicQuantile::Place::kTop;
  result.lower = *finite;
  result.upper = kInf;
  result.count = result.total - count_before;
  result.value = *finite;
  return result;
}

}  // namespace schedlens
