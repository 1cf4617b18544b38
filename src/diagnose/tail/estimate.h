#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/tail/top_total.h"
#include "diagnose/tail/worst_case.h"

namespace schedlens {

using StageShares = kube::PartialEnumMap<kube::Stage, double>;

/// Shares of the time of the `attempts` slowest attempts by stage: an estimate, next to the
/// bounds of BoundTail. Several times over, each scrape interval's observations are drawn inside
/// their buckets and pieced together again: the largest parts first, each into the attempt of its
/// interval that it fills best; parts observed before their attempt ended wait for a later
/// interval. What an attempt has left is the remainder. Empty without e2e or algorithm buckets,
/// and where too many attempts are about as slow as the slowest to be told apart.
StageShares EstimateTail(const TailPopulations& populations, const TimeBreakdown& breakdown,
                         std::size_t attempts);

/// Observations of one cell, in seconds: the large ones one by one, the small ones added up.
struct DrawnCell {
  std::vector<double> large;
  double small_count = 0, small_seconds = 0;
};

/// Whether a cell has no buckets but the open one, so that its observations are all taken to be as
/// long as their mean, and that is at most `least`.
bool IsSmallByMean(const CellView& cell, double least);

/// Observations that fit a cell: as many in each bucket as it counts (fractions rounded),
/// log-uniform inside (uniform in the first), then all bent toward the lower or the upper edges
/// until they add up to the cell's sum, as far as the edges allow. What an open bucket holds comes
/// from the sum. Without a sum nothing is bent. Buckets that end at or below `least` are small and
/// enter with the middle of their edges; so is all of a cell that IsSmallByMean. An empty cell
/// gives none.
DrawnCell DrawObservations(const CellView& cell, double least, std::mt19937_64* random);

}  // namespace schedlens
