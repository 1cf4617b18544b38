#pragma once

// Several histograms of one target on the same scrape intervals, so that what was observed in one
// interval can be compared across them.

#include <string>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// One population added up, cell by cell, over the edges of a grid.
struct GridCells {
  std::vector<double> bounds;   ///< bounds common to all children; empty when there is no child
  std::vector<double> buckets;  ///< cells x bounds, observations inside each bucket
  std::vector<double> sums;     ///< seconds; NaN where unknown
  std::vector<double> counts;

  std::span<const double> Buckets(std::size_t cell) const {
    return {buckets.data() + cell * bounds.size(), bounds.size()};
  }
};

/// The scrape intervals of one target in a window. An edge that some child skipped (a missed or
/// torn scrape) is left out, so that no child's cell crosses an edge.
struct ScrapeGrid {
  std::size_t target = 0;  ///< its number
  std::vector<TimeMs> edges;
  std::size_t cells() const { return edges.empty() ? 0 : edges.size() - 1; }
};

/// One grid a target that has any e2e or algorithm observation in the window.
std::vector<ScrapeGrid> MakeGrids(std::span<const Target> targets, const WindowIncreases& cells);

/// For each grid the children of its target added up; cells before a child's birth count as zero.
std::vector<GridCells> OnGrids(const std::vector<ScrapeGrid>& grids,
                               const std::vector<const ScrapeIncreases*>& children);

}  // namespace schedlens
