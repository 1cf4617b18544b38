#include "analysis/tail/two_stages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using kube::Stage;

/// Buckets of all cells together; false where cells differ in their bounds.
bool Pool(const std::vector<ScrapeGrid>& grids, const OnGridCells& population,
          std::vector<double>* bounds, std::vector<double>* buckets, double* seconds) {
  bool same = true;
  ForEachCell(grids, [&](std::size_t g, std::size_t i) {
    const GridCells& cells = population[g];
    if (cells.bounds.empty()) return;
    if (bounds->empty()) {
      *bounds = cells.bounds;
      buckets->assign(bounds->size(), 0.0);
    }
    if (cells.bounds != *bounds) {
      same = false;
      return;
    }
    const auto row = cells.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) (*buckets)[b] += row[b];
    *seconds += cells.sums[i];
  });
  return same;
}

/// The histogram of a top-level stage; null for one without.
const OnGridCells* PopulationOf(const TailPopulations& p, const TimeBreakdown& breakdown,
                                const kube::StageRow& row) {
  switch (row.stage) {
    case Stage::kAlgorithm:
      return &p.algorithm;
    case Stage::kPermitWait:
      return &p.permit_wait;
    case Stage::kBind:
      if (breakdown.has_binding) return &p.binding;
      return breakdown.extender_binds > 0 ? nullptr : &p.points[ExtensionPoint::kBind];
    default:
      return row.point ? &p.points[*row.point] : nullptr;
  }
}

/// From 1.30 the algorithm's histogram holds what its failures cost in PostFilter too.
bool HoldsPostFilter(const TimeBreakdown& breakdown, Stage stage) {
  return stage == Stage::kAlgorithm && breakdown.algorithm_has_failures;
}

/// Attempts that are not in its histogram may have passed it.
bool CountsSome(const TimeBreakdown& breakdown, Stage stage) {
  if (stage == Stage::kAlgorithm) {
    return !breakdown.algorithm_has_failures && breakdown.failed() > 0;
  }
  return stage == Stage::kBind && breakdown.has_binding &&
         breakdown.points[ExtensionPoint::kBind].count > breakdown.bind_ok.count;
}

std::optional<PooledStage> PooledStageOf(const TailOfWindow& tail, Stage stage) {
  const kube::StageRow& row = RowOf(stage);
  const OnGridCells* cells = PopulationOf(*tail.now, *tail.breakdown, row);
  if (cells == nullptr) return std::nullopt;
  PooledStage out;
  if (!Pool(tail.now->grids, *cells, &out.bounds, &out.buckets, &out.seconds)) return std::nullopt;
  out.running_at_start = tail.running_at_start.Get(stage);
  out.running_at_end = tail.running_at_end.Get(stage);
  out.counts_some = CountsSome(*tail.breakdown, stage);
  out.most_of_slow = tail.tops.Get(stage);
  if (HoldsPostFilter(*tail.breakdown, stage)) {
    out.most_of_slow += tail.tops.Get(Stage::kPostFilter);
  }
  out.largest = PointTop(*tail.now, *cells, 1, false);
  if (out.running_at_start > 0 && tail.before != nullptr) {
    const OnGridCells* older = PopulationOf(*tail.before, *tail.breakdown, row);
    std::vector<double> bounds;
    double seconds = 0;
    if (!Pool(tail.before->grids, *older, &bounds, &out.older, &seconds)) return std::nullopt;
    if (!bounds.empty() && bounds != out.bounds) return std::nullopt;
    out.largest = std::max(out.largest, PointTop(*tail.before, *older, 1, false));
  }
  return out;
}

/// The two stages to look at: those with the largest tops that have a histogram.
std::optional<std::pair<Stage, Stage>> LargestTwo(const TailOfWindow& tail) {
  std::vector<std::pair<double, Stage>> found;
  for (const auto& [stage, top] : tail.tops) {
    const kube::StageRow& row = RowOf(stage);
    if (row.parent || PopulationOf(*tail.now, *tail.breakdown, row) == nullptr) continue;
    if (stage == Stage::kPostFilter && tail.breakdown->algorithm_has_failures) continue;
    found.emplace_back(top, stage);
  }
  if (found.size() < 2) return std::nullopt;
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return std::pair{found[0].second, found[1].second};
}

void Tighten(const TailShare& by, TailShare* share) {
  share->low = std::clamp(by.low, share->low, 1.0);
  share->high = std::clamp(by.high, share->low, std::max(share->low, share->high));
}

/// Takes over what is known of a group of top-level stages together: each has what the others of
/// the group cannot have, and no more than all of it.
void TightenGroup(const TailShare& all, const std::vector<Stage>& group, const Tops& tops,
                  TailShares* shares) {
  double sum = 0;
  for (const Stage stage : group) sum += tops.Get(stage);
  for (const Stage stage : group) {
    if (!shares->shares.contains(stage)) continue;
    const double others = (sum - tops.Get(stage)) / shares->least_seconds;
    Tighten({std::isfinite(others) ? all.low - others : 0, all.high}, &shares->shares[stage]);
  }
}

}  // namespace

void NarrowByTwoStages(const TailOfWindow& tail, TailShares* shares) {
  const auto two = LargestTwo(tail);
  if (!two) return;
  const auto first = PooledStageOf(tail, two->first), second = PooledStageOf(tail, two->second);
  if (!first || !second) return;
  PooledWhole whole;
  const TailPopulations& p = *tail.now;
  if (!Pool(p.grids, p.e2e, &whole.bounds, &whole.buckets, &whole.seconds)) return;
  whole.largest = PointTop(p, p.e2e, 1, false);
  whole.least_of_slow = shares->least_seconds;
  whole.most_of_slow = PointTop(p, p.e2e, shares->attempts, false);

  std::vector<Stage> groups[3];
  PooledRest rest;
  for (const auto& [stage, top] : tail.tops) {
    if (RowOf(stage).parent) continue;
    const auto holds = [&, stage = stage](Stage one) {
      return stage == one || (stage == Stage::kPostFilter && HoldsPostFilter(*tail.breakdown, one));
    };
    const std::size_t group = holds(two->first) ? 0 : holds(two->second) ? 1 : 2;
    groups[group].push_back(stage);
    if (group == 2) {
      rest.most_of_slow += top;
      rest.seconds += tail.totals.Get(stage);
    }
  }
  const auto worst = FindWorstCase(whole, *first, *second, rest, shares->attempts);
  if (!worst) return;
  TightenGroup(worst->first, groups[0], tail.tops, shares);
  TightenGroup(worst->second, groups[1], tail.tops, shares);
  TightenGroup(worst->rest, groups[2], tail.tops, shares);
  for (const Stage parent : {Stage::kAlgorithm, Stage::kBind}) {
    std::vector<Stage> children;
    for (const auto& [stage, top] : tail.tops) {
      if (RowOf(stage).parent == parent) children.push_back(stage);
    }
    if (const TailShare* share = shares->shares.Find(parent)) {
      TightenGroup(TailShare(*share), children, tail.tops, shares);
    }
  }
}

}  // namespace schedlens
