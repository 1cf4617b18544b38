#ifndef SCHEDLENS_ANALYSIS_TAIL_WORST_CASE_H_
#define SCHEDLENS_ANALYSIS_TAIL_WORST_CASE_H_

// Two stages with slow attempts of their own: the least and the most that either can have of the
// slowest attempts' time, over every way in which the counts allow their observations to meet.
//
// What is known of a window's attempts, all cells together: how many lie in each bucket of e2e and
// of either stage, the three sums, and that e2e = first + second + rest with rest >= 0. An attempt
// is of a *kind*: its bucket of e2e, its bucket of either stage (or none: it did not pass the
// stage), and whether it is one of the slowest. Within a kind the two stages and the rest fill a
// polytope, and any point of that is a mean of its corners. So with a number of attempts for each
// corner of each kind, every possible window is a solution of linear rows: buckets and sums add up.
// What a stage has of the slowest attempts is linear too, so its extremes are those of a linear
// program, and a bound of the program is a bound of the truth. Nothing is assumed of the pairing.
//
// The slowest m: every attempt in a bucket over the one that holds the m-th, and as many of that
// bucket as are left. Attempts
// running at the window's edges were or will be in e2e's counts elsewhere: as many observations of
// a stage as there were such attempts may come in from before the window, or be taken out of it
// again.

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/tail/top_total.h"

namespace schedlens {

struct TailShare {
  double low = 0;
  double high = 1;
};

/// Observations of a window, all cells together. Every bound is one that holds for sure.
struct PooledWhole {
  std::vector<double> bounds, buckets;  ///< +Inf last; observations inside each bucket
  double seconds = 0;
  double largest = 0;                          ///< no observation is over it
  double least_of_slow = 0, most_of_slow = 0;  ///< total of the slowest
};
struct PooledStage {
  std::vector<double> bounds, buckets;
  double seconds = 0;
  double largest = 0;
  double most_of_slow = 0;
  std::vector<double> older;  ///< buckets of what was observed before the window; may be empty
  double running_at_start = 0, running_at_end = 0;
  /// Attempts that are not in the histogram may have passed the stage: failed ones, which the
  /// algorithm's leaves out.
  bool counts_some = false;
};

struct WorstCase {
  TailShare first, second, rest;
};

/// What attempts have outside of both stages, at most.
struct PooledRest {
  double seconds = 0;  ///< all attempts
  double most_of_slow = 0;
};

/// Shares of the slowest `m` attempts' time. Empty where the numbers contradict each other, and for
/// an unknown sum.
std::optional<WorstCase> FindWorstCase(const PooledWhole& whole, const PooledStage& first,
                                       const PooledStage& second, const PooledRest& rest,
                                       std::size_t m);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_WORST_CASE_H_
