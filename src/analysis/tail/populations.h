#ifndef SCHEDLENS_ANALYSIS_TAIL_POPULATIONS_H_
#define SCHEDLENS_ANALYSIS_TAIL_POPULATIONS_H_

// The populations that an attempt's time is pieced together from, cell by cell on common grids:
// what the tail's bounds and its estimate both start from.

#include <vector>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/breakdown/time_breakdown.h"
#include "analysis/tail/top_total.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_POPULATIONS_H_
