#pragma once

// Who waited, and which processes beside the schedulers were seen.

#include <optional>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/neighbour_facts.h"

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

/// Which neighbours were scraped in the window of the breakdown, how many there must be at least,
/// and what is missing of each. They are told apart by what they expose, never by the name of a
/// job. `path` and `impact` where there are any: what they cover of the scheduler's own counts.
NeighboursSeen LookAround(const NeighbourFacts& facts, const TimeBreakdown& breakdown,
                          const std::optional<BindingPath>& path,
                          const std::optional<Impact>& impact);

/// What the counts of bindings say besides: that an extender binds, or another client.
std::vector<Message> WhoElseBinds(const BindingPath& path, const TimeBreakdown& breakdown);

}  // namespace schedlens
