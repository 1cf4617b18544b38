// VictoriaMetrics' histogram_quantile over classic buckets.

#include <algorithm>
#include <cmath>

#include "stats/classic_quantile.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

void NoteRepair(double bound, double drop, ClassicQuantile* result) {
  if (!result->forced_monotonic) {
    result->forced_low = bound;
    result->forced_high = bound;
  }
  result->forced_monotonic = true;
  result->forced_low = std::min(result->forced_low, bound);
  result->forced_high = std::max(result->forced_high, bound);
  result->forced_drop = std::fmax(result->forced_drop, drop);
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
      NoteRepair(bounds[i], counts[i] - lowest, result);
      counts[i] = lowest;
    } else {
      lowest = counts[i];
    }
  }
}

/// A missing first count is zero, any other missing one the count before it; then the running
/// maximum, without tolerance.
void Repair(std::span<const double> bounds, std::span<double> counts, ClassicQuantile* result) {
  double highest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (std::isnan(counts[i])) {
      counts[i] = highest;
    } else if (counts[i] < highest) {
      NoteRepair(bounds[i], highest - counts[i], result);
      counts[i] = highest;
    } else {
      highest = counts[i];
    }
  }
}

}  // namespace

ClassicQuantile VictoriaQuantileOfSorted(double q, std::span<const double> bounds,
                                         std::span<double> counts, const Semantics& semantics) {
  constexpr int kRepairsUpwards = 102;  // 1.102
  ClassicQuantile result;
  if (std::isnan(q)) return result;
  if (semantics.minor < kRepairsUpwards) {
    RepairDownwards(bounds, counts, &result);
  } else {
    Repair(bounds, counts, &result);
  }
  result.total = counts.back();  // whether or not that bucket is +Inf
  if (result.total == 0) return result;
  if (q < 0 || q > 1) {
    result.value = q < 0 ? -kInfinity : kInfinity;
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
  if (finite == bounds.rend()) {
    result.upper = kInfinity;
    return result;
  }
  result.place = ClassicQuantile::Place::kTop;
  result.lower = *finite;
  result.upper = kInfinity;
  result.count = result.total - count_before;
  result.value = *finite;
  return result;
}

}  // namespace schedlens
