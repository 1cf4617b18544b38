#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {
namespace {

void AddByTarget(const Selected& children, std::vector<Selected>* of_target) {
  for (const ScrapeIncreases* child : children) {
    if (of_target->size() <= child->target) of_target->resize(child->target + 1);
    (*of_target)[child->target].push_back(child);
  }
}

/// Edges inside a cell of a child cannot be told apart for that child: the grid does without them.
void RemoveCrossedEdges(const ScrapeIncreases& child, ScrapeGrid* grid) {
  if (child.cells() == 0) return;
  std::erase_if(grid->edges, [&edges = child.edges](TimeMs t) {
    return t > edges.front() && t < edges.back() && !std::ranges::binary_search(edges, t);
  });
}

std::vector<double> CommonBounds(const Selected& children) {
  if (children.empty()) return {};
  std::vector<double> common = children.front()->bounds;
  for (const ScrapeIncreases* child : children) {
    std::vector<double> both;
    std::ranges::set_intersection(common, child->bounds, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

void AddCell(const ScrapeIncreases& child, std::size_t i, std::size_t cell, GridCells* out) {
  const auto row = child.Buckets(i);
  for (std::size_t b = 0; b < row.size(); ++b) {
    const auto it = std::ranges::lower_bound(out->bounds, child.bounds[b]);
    if (it == out->bounds.end()) continue;
    out->buckets[cell * out->bounds.size() + static_cast<std::size_t>(it - out->bounds.begin())] +=
        row[b];
    out->counts[cell] += row[b];
  }
  out->sums[cell] += child.sums[i];
}

GridCells OnGrid(const ScrapeGrid& grid, const Selected& own) {
  GridCells out;
  out.bounds = CommonBounds(own);
  out.buckets.assign(grid.cells() * out.bounds.size(), 0.0);
  out.sums.assign(grid.cells(), 0.0);
  out.counts.assign(grid.cells(), 0.0);
  for (const ScrapeIncreases* child : own) {
    for (std::size_t i = 0; i < child->cells(); ++i) {
      const auto edge = std::ranges::lower_bound(grid.edges, child->edges[i + 1]);
      if (edge == grid.edges.end()) continue;
      const auto cell = std::max<std::ptrdiff_t>(edge - grid.edges.begin() - 1, 0);
      AddCell(*child, i, static_cast<std::size_t>(cell), &out);
    }
  }
  return out;
}

}  // namespace

std::vector<ScrapeGrid> MakeGrids(std::span<const Target> targets, const WindowIncreases& cells) {
  std::vector<Selected> counted(targets.size()), all(targets.size());
  for (const auto* children : {&cells.attempt, &cells.algorithm}) {
    AddByTarget(Select(*children, "", ""), &counted);
  }
  for (const auto* children : {&cells.attempt, &cells.algorithm, &cells.binding,
                               &cells.extension_point, &cells.permit_wait, &cells.pod_scheduling}) {
    AddByTarget(Select(*children, "", ""), &all);
  }
  std::vector<ScrapeGrid> grids;
  for (std::size_t target = 0; target < targets.size(); ++target) {
    ScrapeGrid grid{target, {}};
    TimeMs first = cells.window.end, last = cells.window.start;
    for (const ScrapeIncreases* child : counted[target]) {
      first = std::min(first, child->edges.front());
      last = std::max(last, child->edges.back());
    }
    for (const TimeMs t : targets[target].scrapes) {
      if (t >= first && t <= last) grid.edges.push_back(t);
    }
    for (const ScrapeIncreases* child : all[target]) RemoveCrossedEdges(*child, &grid);
    if (grid.cells() > 0) grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<GridCells> OnGrids(const std::vector<ScrapeGrid>& grids, const Selected& children) {
  std::vector<Selected> of_target;
  AddByTarget(children, &of_target);
  std::vector<GridCells> out;
  for (const ScrapeGrid& grid : grids) {
    out.push_back(
        OnGrid(grid, grid.target < of_target.size() ? of_target[grid.target] : Selected()));
  }
  return out;
}

}  // namespace schedlens
