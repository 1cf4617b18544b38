#include "analysis/tail/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/tail/running.h"
#include "analysis/tail/stage_tops.h"
#include "analysis/tail/two_stages.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using kube::Stage;

/// Bind and what no histogram measures, beside the early stages' tops.
void AddTops(const TailPopulations& p, const TimeBreakdown& breakdown,
             const std::vector<Ending>& endings, std::size_t m, Tops* tops) {
  (*tops)[Stage::kBind] = BindTop(p, breakdown, m);
  (*tops)[Stage::kBindPlugins] = PointTop(p, p.points[ExtensionPoint::kBind], m, true);
  const auto remainder = [&](Stage stage) { (*tops)[stage] = RemainderMost(endings, stage); };
  if (breakdown.has_binding) {
    (*tops)[Stage::kBindUnmeasured] = BindUnmeasuredTop(p, m);
    remainder(Stage::kUnmeasured);
  } else if (breakdown.extender_binds > 0) {
    remainder(Stage::kBindUnmeasured);
    (*tops)[Stage::kBind] = (*tops)[Stage::kBindPlugins] + (*tops)[Stage::kBindUnmeasured];
  } else {
    (*tops)[Stage::kBindUnmeasured] = 0;
    remainder(Stage::kUnmeasured);
  }
  // One attempt a target may straddle an edge between its points and the algorithm's observation.
  double inside = std::max(0.0, breakdown.Seconds(Stage::kAlgorithmUnmeasured));
  const auto straddling = [&](const kube::StageRow&) { return p.grids.size(); };
  for (const auto& [stage, top] : EarlyTops(p, breakdown, straddling)) {
    if (RowOf(stage).parent == Stage::kAlgorithm) inside += top;
  }
  (*tops)[Stage::kAlgorithmUnmeasured] = std::min((*tops)[Stage::kAlgorithm], inside);
}

/// All seconds of the attempts in a stage, at most. `older`: what those that were running at the
/// start had before.
Tops TotalsOf(const TailOfWindow& tail, const Tops& older) {
  const TimeBreakdown& breakdown = *tail.breakdown;
  Tops totals;
  for (const auto& [stage, top] : tail.tops) {
    const kube::StageRow& row = RowOf(stage);
    if (row.parent) continue;
    double& total = totals[stage];
    if (stage == Stage::kUnmeasured) {
      total = top;
    } else if (stage == Stage::kBind && !breakdown.has_binding && breakdown.extender_binds > 0) {
      total = breakdown.Seconds(Stage::kBindPlugins) + tail.tops.Get(Stage::kBindUnmeasured);
    } else {
      total = std::max(0.0, breakdown.Seconds(stage)) + older.Get(stage);
    }
    const bool unsure = stage == Stage::kAlgorithm && breakdown.late_failures > 0;
    const bool straddles = stage == Stage::kBind && tail.running_at_start.Get(stage) > 0;
    if (unsure || straddles) total = std::numeric_limits<double>::infinity();
  }
  return totals;
}

/// Each stage has what all others' tops leave of the slowest attempts' time.
void BoundByTops(const Tops& tops, TailShares* out) {
  double all = 0, children = tops.Get(Stage::kAlgorithmUnmeasured);
  for (const auto& [stage, top] : tops) {
    if (!RowOf(stage).parent) all += top;
    if (RowOf(stage).parent == Stage::kAlgorithm && RowOf(stage).point) children += top;
  }
  for (const auto& [stage, top] : tops) {
    double others = all - top;
    if (RowOf(stage).parent == Stage::kAlgorithm) {
      others = all - tops.Get(Stage::kAlgorithm) + children - top;
    }
    if (stage == Stage::kBindPlugins) {
      others = all - tops.Get(Stage::kBind) + tops.Get(Stage::kBindUnmeasured);
    }
    if (stage == Stage::kBindUnmeasured) {
      others = all - tops.Get(Stage::kBind) + tops.Get(Stage::kBindPlugins);
    }
    const double low = std::isfinite(others) ? 1 - others / out->least_seconds : 0;
    out->shares[stage] = {std::clamp(low, 0.0, 1.0),
                          std::clamp(top / out->least_seconds, 0.0, 1.0)};
  }
}

}  // namespace

TailShares BoundTail(const Histograms& histograms, std::span<const Target> targets,
                     const WindowIncreases& window, const TimeBreakdown& breakdown,
                     double fraction) {
  TailShares out;
  if (breakdown.e2e.count < 1 || window.extension_point.empty() || window.algorithm.empty()) {
    return out;
  }
  const TailPopulations p = TailPopulationsOf(targets, window);
  const std::size_t m = RoundUp(fraction * breakdown.e2e.count - 1e-9);
  out.attempts = m;
  std::vector<CellView> e2e;
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) { e2e.push_back(View(p.e2e[g], i)); });
  out.least_seconds = LeastTopTotal(e2e, m);
  if (!(out.least_seconds > 0) || std::isnan(breakdown.e2e.seconds)) return out;

  TailOfWindow tail;
  tail.now = &p;
  tail.breakdown = &breakdown;
  const TimeMs start = window.window.start;
  const auto slowest = static_cast<double>(m);
  tail.tops = EarlyTops(p, breakdown, [&](const kube::StageRow&) { return m; });
  TailPopulations before;
  Tops older;
  if (GapAt(histograms, targets, breakdown, start) > 0) {
    before = TailPopulationsOf(targets, History(histograms, targets, start));
    tail.before = &before;
    tail.running_at_start = RunningAt(histograms, targets, breakdown, start);
    const Tops tops = TopsOfRunning(before, breakdown, tail.running_at_start, slowest);
    for (const auto& [stage, top] : tops) tail.tops[stage] += top;
    older = TopsOfRunning(before, breakdown, tail.running_at_start, breakdown.e2e.count);
  }
  tail.running_at_end = RunningAtEnd(histograms, targets, window, breakdown);
  const std::vector<Ending> endings = EndingsOf(histograms, targets, window, p, breakdown);
  out.across = {endings.front().tops, older};
  AddTops(p, breakdown, endings, m, &tail.tops);
  tail.totals = TotalsOf(tail, older);
  BoundByTops(tail.tops, &out);
  NarrowByTwoStages(tail, &out);
  return out;
}

}  // namespace schedlens
