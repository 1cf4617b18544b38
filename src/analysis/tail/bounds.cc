#include "analysis/tail/bounds.h"

#include <algorithm>
#include <cmath>

#include "analysis/tail/overlap.h"
#include "analysis/tail/populations.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

std::size_t RoundUp(double count) {
  return static_cast<std::size_t>(std::ceil(std::max(0.0, count)));
}

/// The most that the top m runs of the algorithm can total, failed attempts' included.
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

/// Seconds by stage.
using Tops = kube::PartialEnumMap<kube::Stage, double>;

/// A stage that is observed before the attempt ends: all but bind and the remainders.
bool IsEarly(const kube::StageRow& row) {
  if (row.stage == kube::Stage::kAlgorithm || row.stage == kube::Stage::kPermitWait) return true;
  return row.point && row.point != ExtensionPoint::kBind;
}

/// What the top attempts can have of every early stage; `most(row)` says how many attempts.
template <typename Most>
Tops EarlyTops(const TailPopulations& p, const TimeBreakdown& breakdown, Most most) {
  Tops tops;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!IsEarly(row)) continue;
    const std::size_t m = most(row);
    double& top = tops[row.stage];
    if (m == 0) continue;
    if (row.stage == kube::Stage::kAlgorithm) {
      top = AlgorithmTop(p, breakdown, m);
    } else if (row.stage == kube::Stage::kPermitWait) {
      top = PointTop(p, p.permit_wait, m, false);
    } else {
      top = PointTop(p, p.points[*row.point], m, false);
    }
  }
  return tops;
}

/// Buckets of all cells together.
std::vector<double> Pooled(const std::vector<ScrapeGrid>& grids, const OnGridCells& population,
                           const std::vector<double>& bounds) {
  std::vector<double> total(bounds.size(), 0.0);
  ForEachCell(grids, [&](std::size_t g, std::size_t i) {
    if (population[g].bounds != bounds) return;
    const auto row = population[g].Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) total[b] += row[b];
  });
  return total;
}

/// The top `m` of pooled buckets at upper edges, none above bounds[most].
double PooledTop(const std::vector<double>& bounds, const std::vector<double>& buckets,
                 std::size_t most, double m) {
  double total = 0;
  for (std::size_t b = most + 1; b-- > 0 && m > 0;) {
    const double n = std::min(m, buckets[b]);
    total += n * bounds[b];
    m -= n;
  }
  return total;
}

/// Tightens the tops of algorithm and bind where each has slow attempts of its own: at any bound,
/// the slow ones of the one leave only so many of the slowest attempts to the other.
void CapByOverlap(const TailPopulations& p, const TimeBreakdown& breakdown, double running,
                  std::size_t m, Tops* tops) {
  // Failed attempts are part of the algorithm stage but not of its histogram.
  if (!breakdown.has_binding || p.grids.empty() || breakdown.failed() > 0) return;
  OverlapCounts counts;
  counts.bounds = p.e2e.front().bounds;
  for (const auto* population : {&p.e2e, &p.algorithm, &p.binding}) {
    for (const GridCells& cells : *population) {
      if (!cells.bounds.empty() && cells.bounds != counts.bounds) return;
    }
  }
  counts.e2e = Pooled(p.grids, p.e2e, counts.bounds);
  counts.running = running;
  counts.rest_seconds =
      std::max(0.0, breakdown.e2e.seconds - breakdown.Seconds(kube::Stage::kAlgorithm) -
                        breakdown.Seconds(kube::Stage::kBind));
  const std::vector<double> algorithm = Pooled(p.grids, p.algorithm, counts.bounds);
  const std::vector<double> binding = Pooled(p.grids, p.binding, counts.bounds);
  // What attempts that ran before the window had is in the tops already.
  const double older =
      std::max(0.0, (*tops)[kube::Stage::kAlgorithm] - AlgorithmTop(p, breakdown, m));
  const auto tighten = [&](kube::Stage stage, auto top_of) {
    counts.stage = stage == kube::Stage::kBind ? binding : algorithm;
    counts.other = stage == kube::Stage::kBind ? algorithm : binding;
    for (std::size_t b = 0; b + 1 < counts.bounds.size(); ++b) {
      const double slow = MostSlowInTail(counts, b, static_cast<double>(m));
      const std::size_t n = RoundUp(slow);
      if (n >= m) continue;
      const double rest = static_cast<double>(m - n);
      (*tops)[stage] =
          std::min((*tops)[stage], top_of(n) + PooledTop(counts.bounds, counts.stage, b, rest));
    }
  };
  tighten(kube::Stage::kAlgorithm,
          [&](std::size_t n) { return AlgorithmTop(p, breakdown, n) + older; });
  tighten(kube::Stage::kBind, [&](std::size_t n) { return BindTop(p, breakdown, n); });
}

/// The seconds that a remainder has at most: attempts still running at the end have paid their
/// early stages in the window but are not in e2e yet, so the subtraction may take too much off.
double RemainderMost(const TimeBreakdown& breakdown, kube::Stage remainder,
                     const Tops& running_tops) {
  double most = std::max(0.0, breakdown.Seconds(remainder));
  for (const kube::StageRow& row : kube::kStageTable) {
    // What a search without a node costs belongs to attempts that have ended.
    if (row.parent || !IsEarly(row) || row.stage == kube::Stage::kPostFilter) continue;
    most += running_tops.Get(row.stage);
  }
  return most;
}

double LifetimeCount(const HistogramFacts& histogram, std::size_t target, TimeMs t,
                     std::string_view label, std::string_view value) {
  double count = 0;
  for (const HistogramSeries& child : histogram.children) {
    if (child.target != target) continue;
    if (!label.empty() && child.labels.Get(label) != value) continue;
    const auto it = std::upper_bound(child.times.begin(), child.times.end(), t);
    if (it == child.times.begin()) continue;
    count += child.Row(static_cast<std::size_t>(it - child.times.begin()) - 1).back();
  }
  return count;
}

/// Everything that was observed until then: a scrape before the first makes the first one's counts
/// increases.
WindowIncreases History(const Histograms& histograms, std::span<const Target> targets,
                        TimeMs until) {
  std::vector<Target> from_birth(targets.begin(), targets.end());
  TimeMs start = until;
  for (Target& target : from_birth) {
    target.scrapes.insert(target.scrapes.begin(), target.scrapes.front() - 1);
    start = std::min(start, target.scrapes.front());
  }
  return CutWindow(histograms, from_birth, {start, until});
}

/// The gap of all targets.
double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t, std::optional<ExtensionPoint> point = {}) {
  double gap = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    gap += GapOf(histograms, i, breakdown, t, point);
  }
  return gap;
}

}  // namespace

double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<ExtensionPoint> point) {
  const auto count = [&](const HistogramFacts& histogram, std::string_view label,
                         std::string_view value) {
    return LifetimeCount(histogram, target, t, label, value);
  };
  const auto count_point = [&](ExtensionPoint one) {
    return count(histograms.extension_point, "extension_point", ToString(one));
  };
  const double passed = point ? count_point(*point) : count(histograms.algorithm, "", "");
  double ended = 0;
  if (breakdown.algorithm_has_failures && !point) {
    ended = count(histograms.attempt, "", "");
  } else if (breakdown.by_result.contains(AttemptResult::kScheduled) || breakdown.failed() > 0) {
    ended = count(histograms.attempt, "result", ToString(AttemptResult::kScheduled)) +
            count_point(ExtensionPoint::kUnreserve);
  } else {
    return 0;
  }
  return std::max(0.0, passed - ended);
}

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

  // The points of the algorithm are passed by failed attempts too: their gap is the algorithm's,
  // and one more attempt a target that is between a point and the algorithm's own observation.
  const auto passed_by = [&](const kube::StageRow& row, TimeMs t) {
    const bool within = row.parent == kube::Stage::kAlgorithm;
    std::optional<ExtensionPoint> point = row.point;
    if (within) point.reset();
    if (row.stage == kube::Stage::kPermitWait) point = ExtensionPoint::kPermit;
    const double gap = GapAt(histograms, targets, breakdown, t, point);
    return RoundUp(gap) + (within ? p.grids.size() : 0);
  };
  Tops tops = EarlyTops(p, breakdown, [&](const kube::StageRow&) { return m; });
  if (GapAt(histograms, targets, breakdown, window.window.start) > 0) {
    const TailPopulations before =
        TailPopulationsOf(targets, History(histograms, targets, window.window.start));
    const auto most = [&](const kube::StageRow& row) {
      return row.stage == kube::Stage::kPostFilter
                 ? 0
                 : std::min(m, passed_by(row, window.window.start));
    };
    for (const auto& [stage, top] : EarlyTops(before, breakdown, most)) tops[stage] += top;
  }
  const auto running_tops = EarlyTops(
      p, breakdown, [&](const kube::StageRow& row) { return passed_by(row, window.window.end); });
  tops[kube::Stage::kBind] = BindTop(p, breakdown, m);
  tops[kube::Stage::kBindPlugins] = PointTop(p, p.points[ExtensionPoint::kBind], m, true);
  const double running = GapAt(histograms, targets, breakdown, window.window.start) +
                         GapAt(histograms, targets, breakdown, window.window.end);
  CapByOverlap(p, breakdown, running, m, &tops);
  if (breakdown.has_binding) {
    TopTotal part(m);
    ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
      part.AddPart(View(p.binding[g], i), p.binding[g].sums[i] -
                                              p.points[ExtensionPoint::kBind][g].sums[i] +
                                              p.bind_failed[g].sums[i]);
    });
    tops[kube::Stage::kBindUnmeasured] = part.Max();
    tops[kube::Stage::kUnmeasured] =
        RemainderMost(breakdown, kube::Stage::kUnmeasured, running_tops);
  } else if (breakdown.extender_binds > 0) {
    tops[kube::Stage::kBindUnmeasured] =
        RemainderMost(breakdown, kube::Stage::kBindUnmeasured, running_tops);
    tops[kube::Stage::kBind] = tops[kube::Stage::kBindPlugins] + tops[kube::Stage::kBindUnmeasured];
  } else {
    tops[kube::Stage::kBindUnmeasured] = 0;
    tops[kube::Stage::kUnmeasured] =
        RemainderMost(breakdown, kube::Stage::kUnmeasured, running_tops);
  }
  // One attempt a target may straddle an edge between its points and the algorithm's observation.
  double inside = std::max(0.0, breakdown.Seconds(kube::Stage::kAlgorithmUnmeasured));
  const auto straddling = [&](const kube::StageRow&) { return p.grids.size(); };
  for (const auto& [stage, top] : EarlyTops(p, breakdown, straddling)) {
    if (RowOf(stage).parent == kube::Stage::kAlgorithm) inside += top;
  }
  tops[kube::Stage::kAlgorithmUnmeasured] = std::min(tops[kube::Stage::kAlgorithm], inside);

  double all = 0, children = tops[kube::Stage::kAlgorithmUnmeasured];
  for (const auto& [stage, top] : tops) {
    if (!RowOf(stage).parent) all += top;
    if (RowOf(stage).parent == kube::Stage::kAlgorithm && RowOf(stage).point) children += top;
  }
  for (const auto& [stage, top] : tops) {
    double others = all - top;
    if (RowOf(stage).parent == kube::Stage::kAlgorithm) {
      others = all - tops[kube::Stage::kAlgorithm] + children - top;
    }
    if (stage == kube::Stage::kBindPlugins) {
      others = all - tops[kube::Stage::kBind] + tops[kube::Stage::kBindUnmeasured];
    }
    if (stage == kube::Stage::kBindUnmeasured) {
      others = all - tops[kube::Stage::kBind] + tops[kube::Stage::kBindPlugins];
    }
    const double low = std::isfinite(others) ? 1 - others / out.least_seconds : 0;
    out.shares[stage] = {std::clamp(low, 0.0, 1.0), std::clamp(top / out.least_seconds, 0.0, 1.0)};
  }
  return out;
}

}  // namespace schedlens
