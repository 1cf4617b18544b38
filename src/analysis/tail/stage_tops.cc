#include "analysis/tail/stage_tops.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

}  // namespace

double AlgorithmTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const double postfilter = p.points[ExtensionPoint::kPostFilter][g].sums[i];
    if (breakdown.algorithm_has_failures && postfilter > 0) {
      top.AddPart(View(p.algorithm[g], i), p.algorithm[g].sums[i] - postfilter);
      return;
    }
    top.AddCell(View(p.algorithm[g], i));
    if (breakdown.algorithm_has_failures) return;
    const double late = p.points[ExtensionPoint::kUnreserve][g].counts[i];
    const std::size_t early = RoundUp(p.failed[g].counts[i] - late);
    if (postfilter > 0) {
      top.AddPart(View(p.failed[g], i), p.failed[g].sums[i] - postfilter, early);
    } else {
      top.AddCell(View(p.failed[g], i), nullptr, early);
    }
  });
  return top.Max();
}

double PointTop(const TailPopulations& p, const OnGridCells& point, std::size_t m,
                bool ends_with_e2e) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const CellView whole = View(p.e2e[g], i);
    top.AddCell(View(point[g], i), ends_with_e2e ? &whole : nullptr);
  });
  return top.Max();
}

double BindTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m) {
  if (!breakdown.has_binding) return PointTop(p, p.points[ExtensionPoint::kBind], m, true);
  return PointTop(p, p.binding, m, true) + PointTop(p, p.bind_failed, m, true);
}

double BindUnmeasuredTop(const TailPopulations& p, std::size_t m) {
  TopTotal part(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    part.AddPart(View(p.binding[g], i), p.binding[g].sums[i] -
                                            p.points[ExtensionPoint::kBind][g].sums[i] +
                                            p.bind_failed[g].sums[i]);
  });
  return part.Max();
}

bool IsEarly(const kube::StageRow& row) {
  if (row.stage == kube::Stage::kAlgorithm || row.stage == kube::Stage::kPermitWait) return true;
  return row.point && row.point != ExtensionPoint::kBind;
}

}  // namespace schedlens
