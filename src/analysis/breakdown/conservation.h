#ifndef SCHEDLENS_ANALYSIS_BREAKDOWN_CONSERVATION_H_
#define SCHEDLENS_ANALYSIS_BREAKDOWN_CONSERVATION_H_

#include <string>
#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "contract/message.h"

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

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_BREAKDOWN_CONSERVATION_H_
