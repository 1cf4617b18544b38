#pragma once

// Bounds on what the slowest attempts spent in a stage.

#include "diagnose/tail/worst_case.h"

namespace schedlens {

// What the slowest attempts spent their time on, without joint data: for each stage an interval
// that holds whatever the pairing of observations was. A theorem, not an estimate.

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

// Attempts that have passed a stage but have not ended: what a window's edge cuts apart.

/// Attempts of one target (its number) that had passed a stage at a time but had not ended: in the
/// stage's count but not yet in e2e's, since the process started. Without `point` the stage is the
/// algorithm, and its gap is the number of running attempts. Zero where the counts are not there.
double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<kube::ExtensionPoint> point = {});

/// The running attempts of all targets together.
double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t);

/// Attempts that had passed a stage in the window and did not end in it, those running at its end
/// and those that a restart took: of every stage that is observed at all but PostFilter. What a
/// search without a node costs belongs to attempts that have ended.
Tops RunningAtEnd(const Histograms& histograms, std::span<const Target> targets,
                  const WindowIncreases& window, const TimeBreakdown& breakdown);

/// EarlyTops of as many attempts as `running` says for each stage, at most `most`.
Tops TopsOfRunning(const TailPopulations& p, const TimeBreakdown& breakdown, const Tops& running,
                   double most);

}  // namespace schedlens
