#ifndef SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_
#define SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_

// What the slowest attempts spent their time on, without joint data: for each stage an interval
// that holds whatever the pairing of observations was. A theorem, not an estimate.

#include <optional>
#include <vector>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/breakdown/time_breakdown.h"
#include "analysis/tail/top_total.h"

namespace schedlens {

struct TailShare {
  double low = 0;
  double high = 1;
};

struct TailShares {
  std::size_t attempts = 0;  ///< how many are the slowest
  double least_seconds = 0;  ///< proven lower bound of their total time
  /// Empty when nothing can be bounded.
  kube::PartialEnumMap<kube::Stage, TailShare> shares;
};

/// Attempts of one target (its number) that had passed a stage at a time but had not ended: in the
/// stage's count but not yet in e2e's, since the process started. Without `point` the stage is the
/// algorithm, and its gap is the number of running attempts. Zero where the counts are not there.
double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<kube::ExtensionPoint> point = {});

/// Shares of the time of the slowest `fraction` of all attempts that ended in the window. An
/// attempt that was running at the window's start had its earlier stages observed before it: as
/// many of the older observations, back to the process's start, are allowed for.
TailShares BoundTail(const Histograms& histograms, std::span<const Target> targets,
                     const WindowIncreases& window, const TimeBreakdown& breakdown,
                     double fraction);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_BOUNDS_H_
