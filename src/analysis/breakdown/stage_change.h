#ifndef SCHEDLENS_ANALYSIS_BREAKDOWN_STAGE_CHANGE_H_
#define SCHEDLENS_ANALYSIS_BREAKDOWN_STAGE_CHANGE_H_

// Incident against baseline: how much more time each stage took than the baseline's cost for as
// many scheduled attempts would have been.

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

struct StageChange {
  double excess = 0;  ///< seconds - baseline seconds x (scheduled attempts now / in the baseline)
  double mix = 0;     ///< the part that is more (or fewer) observations per scheduled attempt
  double cost = 0;    ///< the part that is costlier observations; mix + cost = excess
};

/// Runs of a stage; for one that counts none of its own, attempts.
double RunsOf(const TimeBreakdown& breakdown, kube::Stage stage);

using StageChanges = kube::PartialEnumMap<kube::Stage, StageChange>;

/// For every stage of `now`. The split into mix and cost is Shapley's for two factors:
/// exact and free of order. Empty when the baseline scheduled nothing.
StageChanges CompareBreakdowns(const TimeBreakdown& now, const TimeBreakdown& baseline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_BREAKDOWN_STAGE_CHANGE_H_
