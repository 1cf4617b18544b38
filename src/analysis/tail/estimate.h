#ifndef SCHEDLENS_ANALYSIS_TAIL_ESTIMATE_H_
#define SCHEDLENS_ANALYSIS_TAIL_ESTIMATE_H_

#include <cstddef>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/tail/populations.h"

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

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_ESTIMATE_H_
