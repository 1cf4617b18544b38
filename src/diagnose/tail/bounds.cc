#include "diagnose/tail/bounds.h"

#include "stats/proven_interval.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;
using kube::Stage;

double LifetimeCount(const HistogramFacts& histogram, std::size_t target, TimeMs t,
                     std::string_view label, std::string_view value) {
  double count = 0;
  for (const std::size_t i : histogram.Of(target)) {
    const HistogramSeries& child = histogram.children[i];
    if (!label.empty() && child.labels.Get(label) != value) continue;
    const auto it = std::ranges::upper_bound(child.times, t);
    if (it == child.times.begin()) continue;
    count += child.Row(static_cast<std::size_t>(it - child.times.begin()) - 1).back();
  }
  return count;
}

/// Attempts of one target whose bind was observed at a time but that had not ended: the two are
/// microseconds apart, so hardly ever any.
double BindGapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                 TimeMs t) {
  if (!breakdown.has_binding) return GapOf(histograms, target, breakdown, t, ExtensionPoint::kBind);
  const double ended =
      LifetimeCount(histograms.attempt, target, t, "result", ToString(AttemptResult::kScheduled));
  return std::max(0.0, LifetimeCount(histograms.binding, target, t, "", "") - ended);
}

/// Attempts of one target. The points of the algorithm are passed by failed attempts too: their gap
/// is the algorithm's, and one more attempt that is between a point and the algorithm's own
/// observation.
Tops PastStages(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                TimeMs t) {
  Tops past;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (row.stage == Stage::kPostFilter) continue;
    double& count = past[row.stage];
    if (row.stage == Stage::kBind) {
      count = BindGapOf(histograms, target, breakdown, t);
    } else if (IsEarly(row)) {
      const bool within = row.parent == Stage::kAlgorithm;
      std::optional<ExtensionPoint> point = row.point;
      if (within) point.reset();
      if (row.stage == Stage::kPermitWait) point = ExtensionPoint::kPermit;
      count = GapOf(histograms, target, breakdown, t, point) + (within ? 1 : 0);
    } else {
      past.erase(row.stage);
    }
  }
  return past;
}

void Add(const Tops& more, Tops* sum) {
  for (const auto& [stage, count] : more) (*sum)[stage] += count;
}

/// The last scrapes before a reset, by target.
std::set<std::pair<std::size_t, TimeMs>> ScrapesBeforeResets(const WindowIncreases& cells) {
  std::set<std::pair<std::size_t, TimeMs>> before;
  for (const auto* children : {&cells.attempt, &cells.algorithm, &cells.extension_point}) {
    for (const ScrapeIncreases& child : *children) {
      for (std::size_t i = 0; i < child.cells(); ++i) {
        if (child.reset[i]) before.emplace(child.target, child.edges[i]);
      }
    }
  }
  return before;
}

/// The later scrape with the fewest running attempts; nothing where none has fewer than the
/// window's end.
std::optional<TimeMs> QuietestAfter(const Histograms& histograms, std::span<const Target> targets,
                                    const TimeBreakdown& breakdown, TimeMs end) {
  constexpr TimeMs kFar = 300'000;
  double running = GapAt(histograms, targets, breakdown, end), least = running;
  if (least <= 0) return std::nullopt;
  std::map<TimeMs, double>
      changes;  // what each target's counts change of the sum, scrape by scrape
  for (std::size_t i = 0; i < targets.size(); ++i) {
    double before = GapOf(histograms, i, breakdown, end);
    for (const TimeMs t : targets[i].scrapes) {
      if (t <= end || t > end + kFar) continue;
      const double now = GapOf(histograms, i, breakdown, t);
      changes[t] += now - before;
      before = now;
    }
  }
  std::optional<TimeMs> quietest;
  for (const auto& [t, change] : changes) {
    running += change;
    if (running >= least || least <= 0) continue;
    least = running;
    quietest = t;
  }
  return quietest;
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

/// Attempts that had passed a stage at a time but had not ended, by stage: of every stage that is
/// observed at all but PostFilter. What a search without a node costs belongs to attempts that have
/// ended.
Tops RunningAt(const Histograms& histograms, std::span<const Target> targets,
               const TimeBreakdown& breakdown, TimeMs t) {
  Tops all;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Add(PastStages(histograms, i, breakdown, t), &all);
  }
  return all;
}

/// The window, and what attempts that were running at its end had in each early stage by then.
struct Ending {
  TimeBreakdown breakdown;
  Tops tops;
};

/// The window's own, and that of the window made longer, to the scrape with the fewest running
/// attempts. What no histogram measures only grows with time: a bound for the longer window is one
/// for the window.
std::vector<Ending> EndingsOf(const Histograms& histograms, std::span<const Target> targets,
                              const WindowIncreases& window, const TailPopulations& p,
                              const TimeBreakdown& breakdown) {
  const TimeMs end = window.window.end;
  const Tops running = RunningAtEnd(histograms, targets, window, breakdown);
  std::vector<Ending> endings = {{breakdown, TopsOfRunning(p, breakdown, running, kInfinity)}};
  const auto later = QuietestAfter(histograms, targets, breakdown, end);
  if (!later) return endings;
  const WindowIncreases longer = CutWindow(histograms, targets, {window.window.start, *later});
  const TimeBreakdown all = BreakDownTime(longer);
  const bool alike = all.has_binding == breakdown.has_binding &&
                     all.algorithm_has_failures == breakdown.algorithm_has_failures &&
                     (all.extender_binds > 0) == (breakdown.extender_binds > 0);
  if (!alike) return endings;
  const TailPopulations populations = TailPopulationsOf(targets, longer);
  const Tops then = RunningAtEnd(histograms, targets, longer, all);
  endings.push_back({all, TopsOfRunning(populations, all, then, kInfinity)});
  return endings;
}

/// The seconds that a remainder has at most: attempts still running at the end have paid their
/// early stages in the window but are not in e2e yet, so the subtraction may take too much off.
double RemainderMost(const std::vector<Ending>& endings, Stage remainder) {
  double least = kInfinity;
  for (const Ending& ending : endings) {
    const TimeBreakdown& breakdown = ending.breakdown;
    double most = std::max(0.0, breakdown.Seconds(remainder));
    // Which failed attempts had found a node is then an estimate.
    const double errors = breakdown.by_result.Get(kube::AttemptResult::kError).count;
    if (breakdown.late_failures > 0 && errors != breakdown.late_failures) {
      most += breakdown.FailedSeconds();
    }
    for (const kube::StageRow& row : kube::kStageTable) {
      if (row.parent || !IsEarly(row) || row.stage == Stage::kPostFilter) continue;
      most += ending.tops.Get(row.stage);
    }
    least = std::min(least, most);
  }
  return least;
}

/// What the worst case of two stages starts from, besides the counts.
struct TailOfWindow {
  const TailPopulations* now = nullptr;
  const TailPopulations* before = nullptr;  ///< until the window's start; null where not needed
  const TimeBreakdown* breakdown = nullptr;
  Tops tops;
  /// All seconds that the attempts of the window can have in a stage; of top-level stages.
  Tops totals;
  /// Attempts that had passed a stage at the window's start, or end, but had not ended.
  Tops running_at_start, running_at_end;
};

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
    if (unsure || straddles) total = kInfinity;
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

/// Adds the buckets of all cells; false where cells differ in their bounds.
bool Pool(const std::vector<ScrapeGrid>& grids, const OnGridCells& population, Pooled* out) {
  bool same = true;
  ForEachCell(grids, [&](std::size_t g, std::size_t i) {
    const GridCells& cells = population[g];
    if (cells.bounds.empty()) return;
    if (out->bounds.empty()) {
      out->bounds = cells.bounds;
      out->buckets.assign(cells.bounds.size(), 0.0);
    }
    if (cells.bounds != out->bounds) {
      same = false;
      return;
    }
    const auto row = cells.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) out->buckets[b] += row[b];
    out->seconds += cells.sums[i];
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
  if (!Pool(tail.now->grids, *cells, &out)) return std::nullopt;
  out.running_at_start = tail.running_at_start.Get(stage);
  out.running_at_end = tail.running_at_end.Get(stage);
  out.counts_some = CountsSome(*tail.breakdown, stage);
  out.most_of_slow = tail.tops.Get(stage);
  if (HoldsPostFilter(*tail.breakdown, stage)) {
    out.most_of_slow += tail.tops.Get(Stage::kPostFilter);
  }
  out.largest = PointTop(*tail.now, *cells, 1, false);
  if (out.running_at_start > 0 && tail.before != nullptr) {
    const OnGridCells* before = PopulationOf(*tail.before, *tail.breakdown, row);
    Pooled older;
    if (!Pool(tail.before->grids, *before, &older)) return std::nullopt;
    if (!older.bounds.empty() && older.bounds != out.bounds) return std::nullopt;
    out.older = std::move(older.buckets);
    out.largest = std::max(out.largest, PointTop(*tail.before, *before, 1, false));
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
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
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

/// Narrows the shares of all stages by the worst case of the two with the largest tops among those
/// that have a histogram of their own.
void NarrowByTwoStages(const TailOfWindow& tail, TailShares* shares) {
  const auto two = LargestTwo(tail);
  if (!two) return;
  const auto first = PooledStageOf(tail, two->first), second = PooledStageOf(tail, two->second);
  if (!first || !second) return;
  PooledWhole whole;
  const TailPopulations& p = *tail.now;
  if (!Pool(p.grids, p.e2e, &whole)) return;
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

double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t) {
  double gap = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) gap += GapOf(histograms, i, breakdown, t);
  return gap;
}

Tops RunningAtEnd(const Histograms& histograms, std::span<const Target> targets,
                  const WindowIncreases& window, const TimeBreakdown& breakdown) {
  Tops all = RunningAt(histograms, targets, breakdown, window.window.end);
  for (const auto& [target, t] : ScrapesBeforeResets(window)) {
    Add(PastStages(histograms, target, breakdown, t), &all);
  }
  return all;
}

Tops TopsOfRunning(const TailPopulations& p, const TimeBreakdown& breakdown, const Tops& running,
                   double most) {
  return EarlyTops(p, breakdown, [&](const kube::StageRow& row) {
    return RoundUp(std::min(most, running.Get(row.stage)));
  });
}

TailShares BoundTail(const Histograms& histograms, std::span<const Target> targets,
                     const WindowIncreases& window, const TimeBreakdown& breakdown,
                     double fraction) {
  TailShares out;
  if (breakdown.e2e.count < 1 || window.extension_point.empty() || window.algorithm.empty()) {
    return out;
  }
  const TailPopulations p = TailPopulationsOf(targets, window);
  const std::size_t m = static_cast<std::size_t>(RankOf(fraction, breakdown.e2e.count));
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
