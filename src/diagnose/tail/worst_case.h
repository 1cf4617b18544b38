#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/text.h"
#include "diagnose/breakdown/scrape_grid.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/tail/top_total.h"

namespace schedlens {

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

// The populations that an attempt's time is pieced together from, cell by cell on common grids:
// what the tail's bounds and its estimate both start from.

/// Cells of one population on every target's grid.
using OnGridCells = std::vector<GridCells>;

/// The populations of one window; a population that the release lacks has empty bounds.
struct TailPopulations {
  std::vector<ScrapeGrid> grids;
  OnGridCells e2e, failed, algorithm, binding, permit_wait, bind_failed;
  /// All statuses; of the points that are stages, and Unreserve.
  kube::EnumMap<kube::ExtensionPoint, OnGridCells> points;
  kube::PartialEnumMap<kube::AttemptResult, OnGridCells> results;  ///< e2e by result
};
TailPopulations TailPopulationsOf(std::span<const Target> targets, const WindowIncreases& cells);

/// One cell of a population; valid as long as the population.
CellView View(const GridCells& cells, std::size_t cell);

/// Calls visit(grid, cell) for every cell of every grid, in order of time within a grid.
template <typename Visit>
void ForEachCell(const std::vector<ScrapeGrid>& grids, Visit visit) {
  for (std::size_t g = 0; g < grids.size(); ++g) {
    for (std::size_t i = 0; i < grids[g].cells(); ++i) visit(g, i);
  }
}

// The most seconds that any m attempts of a window can have in a stage.

/// Seconds by stage.
using Tops = kube::PartialEnumMap<kube::Stage, double>;

/// A count as a number of attempts, rounded up where a scrape interval was cut; a trillion at most.
inline std::size_t RoundUp(double count) {
  return CutTo<std::size_t>(std::ceil(std::min(1e12, count)));
}

/// Runs of the algorithm, failed attempts' included.
double AlgorithmTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m);

/// `ends_with_e2e`: each observation is part of one of e2e in the same cell.
double PointTop(const TailPopulations& p, const OnGridCells& point, std::size_t m,
                bool ends_with_e2e);

double BindTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m);

/// Binding without its plugins: an extender's bind and what follows. Needs `has_binding`.
double BindUnmeasuredTop(const TailPopulations& p, std::size_t m);

/// A stage that is observed before the attempt ends: all but bind and the remainders.
bool IsEarly(const kube::StageRow& row);

/// What the top attempts can have of every early stage; `most(row)` says how many attempts.
template <typename Most>
Tops EarlyTops(const TailPopulations& p, const TimeBreakdown& breakdown, Most most) {
  Tops tops;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!IsEarly(row)) continue;
    const std::size_t m = most(row);
    double& top = tops[row.stage];
    if (m == 0) continue;
    if (row.stage == kube::Stage::kAlgorithm) {
      top = AlgorithmTop(p, breakdown, m);
    } else if (row.stage == kube::Stage::kPermitWait) {
      top = PointTop(p, p.permit_wait, m, false);
    } else {
      top = PointTop(p, p.points[*row.point], m, false);
    }
  }
  return tops;
}

}  // namespace schedlens
