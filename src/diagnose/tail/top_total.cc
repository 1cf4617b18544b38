#include "diagnose/tail/top_total.h"

#include "base/work_budget.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

double LowerEdge(const CellView& cell, std::size_t b) { return b == 0 ? 0.0 : cell.bounds[b - 1]; }

enum class Edge { kLower, kUpper };

/// More observations than a window of any scheduler has, few enough to be exact as doubles.
constexpr double kMostObservations = 1e12;

/// Observations of a bucket: an extrapolated increase is rounded up.
double Counted(double count) { return std::ceil(std::max(0.0, count)); }

/// Of a cell, `most` at most.
double Counted(const CellView& cell, std::size_t most) {
  double n = 0;
  for (const double count : cell.buckets) n += Counted(count);
  return std::min(n, static_cast<double>(most));
}

/// The largest `most` observations, each at the chosen edge of its bucket.
EqualRuns LargestAt(const CellView& cell, Edge edge, double most) {
  EqualRuns runs;
  for (std::size_t b = cell.bounds.size(); b-- > 0 && most > 0;) {
    const double n = std::min(Counted(cell.buckets[b]), most);
    if (n > 0) runs.push_back({n, edge == Edge::kUpper ? cell.bounds[b] : LowerEdge(cell, b)});
    most -= n;
  }
  return runs;
}

double TotalOf(const EqualRuns& runs) {
  double total = 0;
  for (const EqualRun& run : runs) total += run.count * run.value;
  return total;
}

double CountOf(const EqualRuns& runs) {
  double count = 0;
  for (const EqualRun& run : runs) count += run.count;
  return count;
}

/// Runs whose first j observations total the lesser of `top`'s first j and `offset` + `other`'s,
/// for each j that `top` has; `other` has as many, `offset` >= 0.
EqualRuns Least(const EqualRuns& top, double offset, const EqualRuns& other) {
  EqualRuns out;
  double done = 0, told = 0;  // observations and total of `out`
  double total = 0, other_total = offset, at = 0;
  const auto emit = [&](double to, double sum) {
    const double n = at + to - done;
    if (n <= 0) return;
    out.push_back({n, std::isinf(sum) ? kInfinity : (sum - told) / n});
    done += n;
    told = sum;
  };
  std::size_t i = 0, k = 0;
  for (double left = 0, other_left = 0; left > 0 || i < top.size();) {
    if (left == 0) left = top[i++].count;
    if (other_left == 0) other_left = other[k++].count;
    const double n = std::min(left, other_left), a = top[i - 1].value, b = other[k - 1].value;
    const double after = total + n * a, other_after = other_total + n * b;
    if ((total < other_total) != (after < other_after)) {
      // They cross between two whole numbers: the total bends at both.
      const double cross = std::floor((other_total - total) / (a - b));
      for (const double j : {cross, cross + 1}) {
        if (j > 0 && j < n) emit(j, std::min(total + j * a, other_total + j * b));
      }
    }
    emit(n, std::min(after, other_after));
    at += n;
    left -= n;
    other_left -= n;
    total = after;
    other_total = other_after;
  }
  return out;
}

double LowerSum(const CellView& cell) {
  double total = 0;
  for (std::size_t b = 0; b < cell.bounds.size(); ++b) {
    if (cell.buckets[b] <= 0) continue;
    total += cell.buckets[b] * LowerEdge(cell, b);
  }
  return total;
}

/// How many of the `m` observations with the largest lower edges are each cell's.
std::vector<double> SplitByLowerEdge(const std::vector<CellView>& cells, std::size_t m) {
  struct Slot {
    double edge;
    std::size_t cell;
    double count;
  };
  std::vector<Slot> slots;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (std::size_t b = cells[c].bounds.size(); b-- > 0;) {
      const double n = std::floor(cells[c].buckets[b]);
      if (n > 0) slots.push_back({LowerEdge(cells[c], b), c, n});
    }
  }
  std::ranges::stable_sort(slots, [](const Slot& a, const Slot& b) { return a.edge > b.edge; });
  std::vector<double> taken(cells.size(), 0);
  double left = static_cast<double>(m);
  for (const Slot& slot : slots) {
    const double n = std::min(slot.count, left);
    taken[slot.cell] += n;
    left -= n;
  }
  return taken;
}

/// The most that all but the largest `taken` of the cell can total; a part of an observation may be
/// a whole one.
double MostOfRest(const CellView& cell, double taken) {
  const auto total = [](const CellView& of, double most) {
    return TotalOf(LargestAt(of, Edge::kUpper, most));
  };
  const double all = total(cell, kInfinity);
  if (!std::isinf(all)) return all - total(cell, taken);
  // With an open bucket in the rest nothing is bounded.
  const double open = Counted(cell.buckets.back());
  if (taken < open) return kInfinity;
  const CellView closed{cell.bounds.first(cell.bounds.size() - 1),
                        cell.buckets.first(cell.buckets.size() - 1), cell.sum};
  return total(closed, kInfinity) - total(closed, taken - open);
}

}  // namespace

bool TopTotal::MayAdd(const CellView& cell, std::size_t most) {
  CheckBudget();
  added_ += Counted(cell, most);
  return added_ <= kMostObservations;
}

void TopTotal::AddCell(const CellView& cell, const CellView* whole, std::size_t most) {
  most = std::min(most, m_);
  if (!MayAdd(cell, most)) return;
  EqualRuns top = LargestAt(cell, Edge::kUpper, static_cast<double>(most));
  const double n = CountOf(top);
  if (!std::isnan(cell.sum)) {
    const double free = cell.sum - LowerSum(cell) + RoundingSlack(cell.sum);
    top = Least(top, std::max(0.0, free), LargestAt(cell, Edge::kLower, n));
  }
  if (whole != nullptr) {
    const EqualRuns cap = LargestAt(*whole, Edge::kUpper, n);
    // Fewer wholes than parts in a cell: the parts straddle its edge, and the cap proves nothing.
    if (CountOf(cap) == n) top = Least(top, 0, cap);
  }
  runs_.insert(runs_.end(), top.begin(), top.end());
}

void TopTotal::AddPart(const CellView& whole, double seconds, std::size_t most) {
  most = std::min(most, m_);
  if (!MayAdd(whole, most)) return;
  EqualRuns top = LargestAt(whole, Edge::kUpper, static_cast<double>(most));
  if (!std::isnan(seconds)) {
    top = Least(top, std::max(0.0, seconds) + RoundingSlack(seconds), {{CountOf(top), 0}});
  }
  runs_.insert(runs_.end(), top.begin(), top.end());
}

double TopTotal::Max() const {
  if (!(added_ <= kMostObservations)) return kInfinity;
  EqualRuns largest = runs_;
  std::ranges::sort(largest, std::greater<>(), &EqualRun::value);
  double total = 0, left = static_cast<double>(m_);
  for (const EqualRun& run : largest) {
    const double n = std::min(run.count, left);
    if (n > 0) total += n * run.value;
    left -= n;
  }
  return total;
}

double LeastTopTotal(const std::vector<CellView>& cells, std::size_t m) {
  double counted = 0;
  for (const CellView& cell : cells) counted += Counted(cell, m);
  if (!(counted <= kMostObservations)) return 0;
  // Any split of m over the cells gives a valid bound; take the one by bucket, largest first.
  const std::vector<double> taken = SplitByLowerEdge(cells, m);
  double total = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (taken[c] == 0) continue;
    const CellView& cell = cells[c];
    double least = TotalOf(LargestAt(cell, Edge::kLower, taken[c]));
    if (!std::isnan(cell.sum)) {
      // The rest, each at its upper edge, can hide at most this much of the cell's sum.
      const double slack = RoundingSlack(cell.sum);
      least = std::max(least, cell.sum - MostOfRest(cell, taken[c]) - slack);
      least = std::min(least, cell.sum + slack);
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
  auto failed = Select(cells.attempt, "", "");
  std::erase_if(failed, [](const auto* c) { return kube::IsScheduled(c->labels); });
  p.failed = OnGrids(p.grids, failed);
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
