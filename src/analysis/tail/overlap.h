#ifndef SCHEDLENS_ANALYSIS_TAIL_OVERLAP_H_
#define SCHEDLENS_ANALYSIS_TAIL_OVERLAP_H_

// Two stages with slow attempts of their own: how few attempts can be slow in both, and so how many
// of the slowest attempts the one stage leaves to the other. Inclusion and exclusion on counts.

#include <cstddef>
#include <vector>

namespace schedlens {

/// ReconstructedAttempt-window counts at common bounds, +Inf last: observations inside each bucket.
struct OverlapCounts {
  std::vector<double> bounds;
  std::vector<double> e2e, stage, other;
  double rest_seconds = 0;  ///< total of all other stages
  double running = 0;       ///< attempts in flight at either edge of the window
};

/// How many of the slowest `m` attempts can have the stage over `bound`, where `bound` is one of
/// the bounds: at most m, less the attempts among them that are over it in the other stage, plus
/// those that can be over it in both. Uses e >= stage, e >= other, and that an attempt over T with
/// neither stage over T has one of them over T/4 or its rest over T/2.
double MostSlowInTail(const OverlapCounts& counts, std::size_t bound, double m);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_OVERLAP_H_
