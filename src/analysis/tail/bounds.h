#ifndef SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_
#define SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_

// What the slowest attempts spent their time on, without joint data: for each stage an interval
// that holds whatever the pairing of observations was. A theorem, not an estimate.

#include <optional>
#include <span>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/breakdown/time_breakdown.h"
#include "analysis/tail/stage_tops.h"
#include "analysis/tail/worst_case.h"

namespace schedlens {

/// What attempts that cross the window's edges spent on its other side, in seconds by stage.
struct AcrossEdges {
  Tops after;   ///< of the window's sum at most so much belongs to attempts that ended after it
  Tops before;  ///< attempts that ended in the window had at most so much before it
};

struct TailShares {
  std::size_t attempts = 0;  ///< how many are the slowest
  double least_seconds = 0;  ///< proven lower bound of their total time
  /// Empty when nothing can be bounded.
  kube::PartialEnumMap<kube::Stage, TailShare> shares;
  /// Of every stage that is observed before its attempt ends; nothing when it cannot be bounded.
  std::optional<AcrossEdges> across;
};

/// Shares of the time of the slowest `fraction` of all attempts that ended in the window. An
/// attempt that was running at the window's start had its earlier stages observed before it: as
/// many of the older observations, back to the process's start, are allowed for.
///
/// Twice over, and the narrower end counts. Stage by stage: the slowest have no more of each stage
/// than its largest observations add up to, scrape interval by scrape interval; what is left of
/// their time is another stage's. And for the two largest stages, all intervals together, the worst
/// case of what all counts allow at once (worst_case.h).
TailShares BoundTail(const Histograms& histograms, std::span<const Target> targets,
                     const WindowIncreases& window, const TimeBreakdown& breakdown,
                     double fraction);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_
