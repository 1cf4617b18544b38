#ifndef SCHEDLENS_ANALYSIS_TAIL_TWO_STAGES_H_
#define SCHEDLENS_ANALYSIS_TAIL_TWO_STAGES_H_

#include "analysis/tail/bounds.h"
#include "analysis/tail/stage_tops.h"

namespace schedlens {

/// What the worst case of two stages starts from, besides the counts.
struct TailOfWindow {
  const TailPopulations* now = nullptr;
  const TailPopulations* before = nullptr;  ///< until the window's start; null where not needed
  const TimeBreakdown* breakdown = nullptr;
  Tops tops;
  /// All seconds that the attempts of the window can have in a stage; of top-level stages.
  Tops totals;
  /// Attempts that had passed a stage at the window's start, or end, but had not ended.
  Tops running_at_start, running_at_end;
};

/// Narrows the shares of all stages by the worst case of the two with the largest tops among those
/// that have a histogram of their own.
void NarrowByTwoStages(const TailOfWindow& tail, TailShares* shares);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_TWO_STAGES_H_
