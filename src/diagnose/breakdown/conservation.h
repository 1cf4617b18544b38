#pragma once

#include <string>
#include <vector>

#include "base/message.h"
#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// Counts of a window that ought to agree, since every attempt is counted by all of them: PostBind,
/// e2e{scheduled} and pod_scheduling; the algorithm and Reserve; what
/// passed the algorithm and what ended, but for the change of running binding cycles where the
/// goroutine gauge tells it. One sentence with the number missing for each that does not, beyond
/// the one attempt a target that may straddle either edge. Histograms that are absent are not
/// compared.
std::vector<Message> CheckCounts(const Facts& facts, const WindowIncreases& cells,
                                 const TimeBreakdown& breakdown);

/// Of those pairs the ones that differ by more than `hair` of either, so that neither a straddling
/// attempt nor a page that is written while attempts end explains it. The running binding cycles
/// are left out: their gauge is read at another moment. A count of none is missing, not wrong.
std::vector<Message> ContradictingCounts(const Facts& facts, const WindowIncreases& cells,
                                         const TimeBreakdown& breakdown, double hair);

// Attempts where their own histogram is missing: what the other histograms measured of them.

/// The scheduled attempts as counts and seconds without buckets: the algorithm, Reserve, Permit and
/// its wait, PreBind, and the bind, target by target, added at the scrapes that have them all. An
/// attempt is counted when it has been bound. What no other metric measures is not in it, nor are
/// failed attempts up to 1.29. Empty, without family, when the algorithm or the points are missing
/// too.
HistogramFacts ComposeAttempts(const Histograms& histograms);

}  // namespace schedlens
