#ifndef SCHEDLENS_ANALYSIS_TAIL_RUNNING_H_
#define SCHEDLENS_ANALYSIS_TAIL_RUNNING_H_

// What attempts that cross a window's end have paid for in it, and so how much no histogram
// measures at most.

#include <span>
#include <vector>

#include "analysis/tail/in_flight.h"
#include "analysis/tail/stage_tops.h"

namespace schedlens {

/// Attempts that had passed a stage at a time but had not ended, by stage: of every stage that is
/// observed at all but PostFilter. What a search without a node costs belongs to attempts that have
/// ended.
Tops RunningAt(const Histograms& histograms, std::span<const Target> targets,
               const TimeBreakdown& breakdown, TimeMs t);

/// The same of attempts that had passed a stage in the window and did not end in it: those running
/// at its end, and those that a restart took.
Tops RunningAtEnd(const Histograms& histograms, std::span<const Target> targets,
                  const WindowIncreases& window, const TimeBreakdown& breakdown);

/// EarlyTops of as many attempts as `running` says for each stage, at most `most`.
Tops TopsOfRunning(const TailPopulations& p, const TimeBreakdown& breakdown, const Tops& running,
                   double most);

/// The window, and what attempts that were running at its end had in each early stage by then.
struct Ending {
  TimeBreakdown breakdown;
  Tops tops;
};

/// The window's own, and that of the window made longer, to the scrape with the fewest running
/// attempts. What no histogram measures only grows with time: a bound for the longer window is one
/// for the window.
std::vector<Ending> EndingsOf(const Histograms& histograms, std::span<const Target> targets,
                              const WindowIncreases& window, const TailPopulations& p,
                              const TimeBreakdown& breakdown);

/// The seconds that a remainder has at most: attempts still running at the end have paid their
/// early stages in the window but are not in e2e yet, so the subtraction may take too much off.
double RemainderMost(const std::vector<Ending>& endings, kube::Stage remainder);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_RUNNING_H_
