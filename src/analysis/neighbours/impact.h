#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_IMPACT_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_IMPACT_H_

#include <optional>

#include "analysis/causes/window_evidence.h"
#include "analysis/neighbours/neighbour_facts.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// What the schedulers' own histograms prove of all pods that they scheduled in a window: of the
/// pods' whole wait where that was recorded, else of the attempts that scheduled them.
struct WaitTotals {
  double pods = 0;
  std::optional<double> seconds;
  double over_low = 0, over_high = 0;  ///< pods that waited more than the threshold
};
WaitTotals MeasureWaits(const Measurement& measured, double threshold);

/// Attempts of all results that took longer than the threshold, by their own histogram.
Measured MeasureAttemptsOver(const Measurement& measured, double threshold);

/// Who waited. Everything is of pods that were scheduled in `window`; a wait of d whole seconds is
/// more than d - 1 and less than d + 1. Without kube-state-metrics there are the totals alone.
Impact MeasureImpact(const NeighbourFacts& facts, const TimeRange& window, double threshold,
                     const WaitTotals& now, const std::optional<WaitTotals>& before);

/// Of the evidence's window against its baseline, over the alert's threshold or one second.
Impact MeasureImpact(const NeighbourFacts& facts, const WindowEvidence& evidence);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_IMPACT_H_
