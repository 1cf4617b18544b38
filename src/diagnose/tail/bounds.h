#pragma once

// Bounds on what the slowest attempts spent in a stage.

#include <optional>
#include <span>

#include "diagnose/breakdown/scrape_grid.h"
#include "diagnose/breakdown/time_breakdown.h"
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
