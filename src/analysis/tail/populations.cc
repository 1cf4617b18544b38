#include "analysis/tail/populations.h"

#include <algorithm>

#include "kube/words.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

std::vector<const ScrapeIncreases*> Failed(const std::vector<ScrapeIncreases>& attempt) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : attempt) {
    if (!kube::IsScheduled(c.labels)) out.push_back(&c);
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
  kube::PartialEnumMap<AttemptResult, std::vector<const ScrapeIncreases*>> results;
  for (const ScrapeIncreases& c : cells.attempt) results[kube::ResultOf(c.labels)].push_back(&c);
  for (const auto& [result, children] : results) p.results[result] = OnGrids(p.grids, children);
  p.algorithm = OnGrids(p.grids, Select(cells.algorithm, "", ""));
  p.binding = OnGrids(p.grids, Select(cells.binding, "", ""));
  p.permit_wait = OnGrids(p.grids, Select(cells.permit_wait, "", ""));
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    if (!kube::StageOf(point) && point != ExtensionPoint::kUnreserve) continue;
    p.points[point] = OnGrids(p.grids, SelectPoint(cells.extension_point, point));
  }
  auto bind_failed = SelectPoint(cells.extension_point, ExtensionPoint::kBind);
  std::erase_if(bind_failed, [](const auto* c) { return kube::IsSuccess(c->labels); });
  p.bind_failed = OnGrids(p.grids, bind_failed);
  return p;
}

}  // namespace schedlens
