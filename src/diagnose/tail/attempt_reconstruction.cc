#include "diagnose/tail/attempt_reconstruction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;
using kube::Stage;

/// The first and the last part of each group.
constexpr std::pair<kube::Stage, kube::Stage> kGroups[] = {
    {kube::Stage::kPreFilter, kube::Stage::kPostFilter},
    {kube::Stage::kReserve, kube::Stage::kReserve},
    {kube::Stage::kPermit, kube::Stage::kPermit},
    {kube::Stage::kPermitWait, kube::Stage::kPermitWait},
    {kube::Stage::kPreBind, kube::Stage::kPreBind},
    {kube::Stage::kBindPlugins, kube::Stage::kBindUnmeasured}};

/// Places of a group's parts, the end excluded.
std::pair<std::ptrdiff_t, std::ptrdiff_t> PlacesOf(Group group) {
  const auto [first, last] = kGroups[group];
  return {static_cast<std::ptrdiff_t>(IndexOf(first)),
          static_cast<std::ptrdiff_t>(IndexOf(last)) + 1};
}

/// Seconds given over what there was.
double Over(double free) { return std::max(0.0, -free); }

/// Of each whole, the seconds of each group: each is added up once, however often it is compared.
using GroupSeconds = std::vector<std::array<double, kGroupCount>>;

GroupSeconds SecondsOfGroups(const std::vector<ReconstructedAttempt>& wholes) {
  GroupSeconds seconds(wholes.size());
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    for (std::size_t g = 0; g < kGroupCount; ++g) {
      seconds[i][g] = wholes[i].SecondsOf(static_cast<Group>(g));
    }
  }
  return seconds;
}

/// The exchange that mends most of one whole's excess; false when none mends more than `least`.
bool RepairOne(double least, std::size_t full, std::vector<ReconstructedAttempt>* wholes,
               GroupSeconds* seconds) {
  const double free = (*wholes)[full].free;
  std::size_t partner = full;
  std::size_t best = 0;
  for (std::size_t g = 0; g < kGroupCount; ++g) {
    const double own = (*seconds)[full][g];
    if (own <= 0) continue;
    for (std::size_t i = 0; i < wholes->size(); ++i) {
      const double move = own - (*seconds)[i][g];
      if (move <= 0) continue;
      const double other = (*wholes)[i].free;
      const double gain = Over(free) + Over(other) - Over(free + move) - Over(other - move);
      if (gain <= least) continue;
      least = gain;
      partner = i;
      best = g;
    }
  }
  if (partner == full) return false;
  (*wholes)[full].Exchange(static_cast<Group>(best), &(*wholes)[partner]);
  std::swap((*seconds)[full][best], (*seconds)[partner][best]);
  return true;
}

double LifetimeCount(const HistogramFacts& histogram, std::size_t target, TimeMs t,
                     std::string_view label, std::string_view value) {
  double count = 0;
  for (const std::size_t i : histogram.Of(target)) {
    const HistogramSeries& child = histogram.children[i];
    if (!label.empty() && child.labels.Get(label) != value) continue;
    const auto it = std::upper_bound(child.times.begin(), child.times.end(), t);
    if (it == child.times.begin()) continue;
    count += child.Row(static_cast<std::size_t>(it - child.times.begin()) - 1).back();
  }
  return count;
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

constexpr double kAny = std::numeric_limits<double>::infinity();

}  // namespace

Group GroupOf(kube::Stage part) {
  std::size_t group = 0;
  while (part > kGroups[group].second) ++group;
  return static_cast<Group>(group);
}

void ReconstructedAttempt::Take(const PartSeconds& more) {
  for (const kube::Stage part : kube::All<kube::Stage>()) Give(part, more[part]);
}

double ReconstructedAttempt::SecondsOf(Group group) const {
  const auto [first, end] = PlacesOf(group);
  return std::accumulate(parts.begin() + first, parts.begin() + end, 0.0);
}

void ReconstructedAttempt::Exchange(Group group, ReconstructedAttempt* other) {
  const double mine = SecondsOf(group), its = other->SecondsOf(group);
  free += mine - its;
  other->free += its - mine;
  const auto [first, end] = PlacesOf(group);
  std::swap_ranges(parts.begin() + first, parts.begin() + end, other->parts.begin() + first);
  std::swap(has[group], other->has[group]);
}

void ReconstructedAttempts::Spread(kube::Stage part, double s) {
  if (count() == 0) return;
  for (ReconstructedAttempt& w : large) w.Give(part, s / count());
  small[part] += s / count() * small_count;
  small_seconds -= s / count() * small_count;
}

void ReconstructedAttempts::Close(kube::Stage rest) {
  small[rest] += std::max(0.0, small_seconds);
  small_seconds = 0;
  double room = 0, over = 0;
  for (const ReconstructedAttempt& w : large) (w.free > 0 ? room : over) += std::abs(w.free);
  const double left = room > 0 ? std::max(0.0, room - over) / room : 0;
  for (ReconstructedAttempt& w : large) {
    w.parts[rest] += left * std::max(0.0, w.free);
    w.seconds = std::accumulate(w.parts.begin(), w.parts.end(), 0.0);
    w.free = 0;
  }
}

ReconstructedAttempt* BestFit(std::vector<ReconstructedAttempt>* wholes, std::optional<Group> group,
                              double s, bool must) {
  constexpr double kBlur = 1.02;
  ReconstructedAttempt *best = nullptr, *roomiest = nullptr;
  for (ReconstructedAttempt& w : *wholes) {
    if (group && w.has[*group]) continue;
    if (w.free * kBlur >= s && (best == nullptr || w.free < best->free)) best = &w;
    if (roomiest == nullptr || w.free > roomiest->free) roomiest = &w;
  }
  return best != nullptr || !must ? best : roomiest;
}

void Repair(double least, std::vector<ReconstructedAttempt>* wholes) {
  GroupSeconds seconds = SecondsOfGroups(*wholes);
  for (std::size_t i = 0; i < wholes->size(); ++i) {
    for (std::size_t n = 0; n < kGroupCount && (*wholes)[i].free < -least; ++n) {
      if (!RepairOne(least / 2, i, wholes, &seconds)) break;
    }
  }
}

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
             const TimeBreakdown& breakdown, TimeMs t, std::optional<ExtensionPoint> point) {
  double gap = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    gap += GapOf(histograms, i, breakdown, t, point);
  }
  return gap;
}

double BindGapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                 TimeMs t) {
  if (!breakdown.has_binding) {
    return GapOf(histograms, target, breakdown, t, ExtensionPoint::kBind);
  }
  const double ended =
      LifetimeCount(histograms.attempt, target, t, "result", ToString(AttemptResult::kScheduled));
  return std::max(0.0, LifetimeCount(histograms.binding, target, t, "", "") - ended);
}

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
