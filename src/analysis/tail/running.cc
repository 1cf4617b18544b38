#include "analysis/tail/running.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using kube::Stage;

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

constexpr double kAny = std::numeric_limits<double>::infinity();

}  // namespace

Tops RunningAt(const Histograms& histograms, std::span<const Target> targets,
               const TimeBreakdown& breakdown, TimeMs t) {
  Tops all;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Add(PastStages(histograms, i, breakdown, t), &all);
  }
  return all;
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

std::vector<Ending> EndingsOf(const Histograms& histograms, std::span<const Target> targets,
                              const WindowIncreases& window, const TailPopulations& p,
                              const TimeBreakdown& breakdown) {
  const TimeMs end = window.window.end;
  const Tops running = RunningAtEnd(histograms, targets, window, breakdown);
  std::vector<Ending> endings = {{breakdown, TopsOfRunning(p, breakdown, running, kAny)}};
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
  endings.push_back({all, TopsOfRunning(populations, all, then, kAny)});
  return endings;
}

double RemainderMost(const std::vector<Ending>& endings, Stage remainder) {
  double least = kAny;
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

}  // namespace schedlens
