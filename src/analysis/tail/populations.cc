#include "analysis/tail/populations.h"

#include <algorithm>
#include <set>

namespace schedlens {
namespace {

OnGridCells OnGrids(const std::vector<ScrapeGrid>& grids,
                    const std::vector<const ScrapeIncreases*>& children) {
  OnGridCells out;
  for (const ScrapeGrid& grid : grids) out.push_back(OnGrid(grid, children));
  return out;
}

std::vector<const ScrapeIncreases*> Failed(const std::vector<ScrapeIncreases>& attempt) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : attempt) {
    if (c.labels.Has("result") && c.labels.Get("result") != "scheduled") out.push_back(&c);
  }
  return out;
}

}  // namespace

CellView View(const GridCells& cells, std::size_t cell) {
  return {cells.bounds, cells.Buckets(cell), cells.sums[cell]};
}

TailPopulations TailPopulationsOf(std::span<const Target> targets, const WindowIncreases& cells) {
  TailPopulations p;
  p.grids = MakeGrids(targets, cells);
  p.e2e = OnGrids(p.grids, Select(cells.attempt, "", ""));
  p.failed = OnGrids(p.grids, Failed(cells.attempt));
  std::set<std::string> results;
  for (const ScrapeIncreases& c : cells.attempt) results.emplace(c.labels.Get("result"));
  for (const std::string& result : results) {
    p.results[result] =
        OnGrids(p.grids, Select(cells.attempt, result.empty() ? "" : "result", result));
  }
  p.algorithm = OnGrids(p.grids, Select(cells.algorithm, "", ""));
  p.binding = OnGrids(p.grids, Select(cells.binding, "", ""));
  p.permit_wait = OnGrids(p.grids, Select(cells.permit_wait, "", ""));
  for (const char* point : {"PreFilter", "Filter", "PreScore", "Score", "PostFilter", "Reserve",
                            "Permit", "PreBind", "Bind", "Unreserve"}) {
    p.points[point] = OnGrids(p.grids, Select(cells.extension_point, "extension_point", point));
  }
  auto bind_failed = Select(cells.extension_point, "extension_point", "Bind");
  std::erase_if(bind_failed, [](const auto* c) { return c->labels.Get("status") == "Success"; });
  p.bind_failed = OnGrids(p.grids, bind_failed);
  return p;
}

}  // namespace schedlens
