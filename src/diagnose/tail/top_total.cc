#include "diagnose/tail/top_total.h"

#include <functional>
#include <numeric>

#include "base/text.h"
#include "base/work_budget.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double LowerEdge(const CellView& cell, std::size_t b) { return b == 0 ? 0.0 : cell.bounds[b - 1]; }

enum class Edge { kLower, kUpper };

/// Observations that are looked at one by one: no window of a scheduler has more of the slowest.
constexpr double kMostLookedAt = 1e7;

/// Of a cell, rounded up in each bucket.
double LookedAt(const CellView& cell, std::size_t most) {
  double n = 0;
  for (const double count : cell.buckets) n += std::ceil(std::max(0.0, count));
  return std::min(n, static_cast<double>(most));
}

/// totals[j] = the top j + 1 observations, each at the chosen edge of its bucket. A fractional
/// count (an extrapolated increase) is rounded up.
std::vector<double> EdgeTotals(const CellView& cell, Edge edge, std::size_t most) {
  std::vector<double> totals;
  double total = 0;
  for (std::size_t b = cell.bounds.size(); b-- > 0 && totals.size() < most;) {
    const double value = edge == Edge::kUpper ? cell.bounds[b] : LowerEdge(cell, b);
    const auto n = CutTo<std::size_t>(std::ceil(cell.buckets[b]));
    for (std::size_t i = 0; i < n && totals.size() < most; ++i) totals.push_back(total += value);
  }
  return totals;
}

double EdgeSum(const CellView& cell, Edge edge) {
  double total = 0;
  for (std::size_t b = 0; b < cell.bounds.size(); ++b) {
    if (cell.buckets[b] <= 0) continue;
    total += cell.buckets[b] * (edge == Edge::kUpper ? cell.bounds[b] : LowerEdge(cell, b));
  }
  return total;
}

std::vector<const ScrapeIncreases*> Failed(const std::vector<ScrapeIncreases>& attempt) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : attempt) {
    if (!kube::IsScheduled(c.labels)) out.push_back(&c);
  }
  return out;
}

}  // namespace

bool TopTotal::MayAdd(const CellView& cell, std::size_t most) {
  CheckBudget();
  const double n = LookedAt(cell, most);
  too_many_ = too_many_ || !(static_cast<double>(marginals_.size()) + n <= kMostLookedAt);
  return !too_many_;
}

void TopTotal::AddCell(const CellView& cell, const CellView* whole, std::size_t most) {
  if (!MayAdd(cell, std::min(most, m_))) return;
  std::vector<double> totals = EdgeTotals(cell, Edge::kUpper, std::min(most, m_));
  if (!std::isnan(cell.sum)) {
    const std::vector<double> lower = EdgeTotals(cell, Edge::kLower, totals.size());
    const double free = cell.sum - EdgeSum(cell, Edge::kLower) + RoundingSlack(cell.sum);
    for (std::size_t j = 0; j < totals.size(); ++j) {
      totals[j] = std::min(totals[j], std::max(lower[j], free + lower[j]));
    }
  }
  if (whole != nullptr) {
    const std::vector<double> cap = EdgeTotals(*whole, Edge::kUpper, totals.size());
    // Fewer wholes than parts in a cell: the parts straddle its edge, and the cap proves nothing.
    if (cap.size() == totals.size()) {
      for (std::size_t j = 0; j < totals.size(); ++j) totals[j] = std::min(totals[j], cap[j]);
    }
  }
  AddTotals(totals);
}

void TopTotal::AddPart(const CellView& whole, double seconds, std::size_t most) {
  if (!MayAdd(whole, std::min(most, m_))) return;
  std::vector<double> totals = EdgeTotals(whole, Edge::kUpper, std::min(most, m_));
  const double limit =
      std::isnan(seconds) ? kInfinity : std::max(0.0, seconds) + RoundingSlack(seconds);
  for (double& total : totals) total = std::min(total, limit);
  AddTotals(totals);
}

void TopTotal::AddTotals(const std::vector<double>& totals) {
  double before = 0;
  for (const double total : totals) {
    marginals_.push_back(std::isinf(total) ? kInfinity : total - before);
    before = total;
  }
}

double TopTotal::Max() const {
  if (too_many_) return kInfinity;
  std::vector<double> largest = marginals_;
  const std::size_t m = std::min(m_, largest.size());
  std::nth_element(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(m), largest.end(),
                   std::greater<>());
  return std::accumulate(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(m), 0.0);
}

double LeastTopTotal(const std::vector<CellView>& cells, std::size_t m) {
  double looked_at = 0;
  for (const CellView& cell : cells) looked_at += LookedAt(cell, m);
  if (!(looked_at <= kMostLookedAt)) return 0;
  // Any split of m over the cells gives a valid bound; take the one by bucket, largest first.
  std::vector<std::pair<double, std::size_t>> slots;  // (lower edge, cell)
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::size_t taken = 0;
    for (std::size_t b = cells[c].bounds.size(); b-- > 0 && taken < m;) {
      const auto n = CutTo<std::size_t>(cells[c].buckets[b]);
      for (std::size_t i = 0; i < n && taken < m; ++i, ++taken) {
        slots.emplace_back(LowerEdge(cells[c], b), c);
      }
    }
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  slots.resize(std::min(slots.size(), m));
  std::vector<std::size_t> taken(cells.size(), 0);
  for (const auto& [edge, c] : slots) ++taken[c];

  double total = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (taken[c] == 0) continue;
    const CellView& cell = cells[c];
    double least = EdgeTotals(cell, Edge::kLower, taken[c]).back();
    const std::vector<double> upper = EdgeTotals(cell, Edge::kUpper, taken[c]);
    if (!std::isnan(cell.sum)) {
      // The rest, each at its upper edge, can hide at most this much of the cell's sum. With an
      // open bucket in the rest nothing is hidden provably.
      const double all = EdgeSum(cell, Edge::kUpper);
      const double rest = std::isinf(all) ? kInfinity : all - upper.back();
      double finite_rest = rest;
      if (std::isinf(all)) {
        const double open = cell.buckets.back();
        if (static_cast<double>(taken[c]) >= open) {
          CellView closed{cell.bounds.first(cell.bounds.size() - 1),
                          cell.buckets.first(cell.buckets.size() - 1), cell.sum};
          const auto below = taken[c] - static_cast<std::size_t>(open);
          finite_rest = EdgeSum(closed, Edge::kUpper);
          if (below > 0) finite_rest -= EdgeTotals(closed, Edge::kUpper, below).back();
        }
      }
      least = std::max(least, cell.sum - finite_rest - RoundingSlack(cell.sum));
      least = std::min(least, cell.sum + RoundingSlack(cell.sum));
    }
    total += least;
  }
  return total;
}

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
