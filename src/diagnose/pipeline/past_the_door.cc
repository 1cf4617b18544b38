#include "diagnose/pipeline/past_the_door.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/source.h"
#include "diagnose/collect/missing.h"
#include "diagnose/control_plane/behind.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/impact.h"
#include "diagnose/control_plane/loads.h"
#include "diagnose/tail/bounds.h"

namespace schedlens {
namespace {

/// From here on the indicator leaves the wait for a seat out.
constexpr int kFlowControlOutside = 27;

std::optional<bool> FlowControlOutside(const ReleaseRange& release) {
  if (release.oldest >= kFlowControlOutside) return true;
  if (release.newest < kFlowControlOutside) return false;
  return std::nullopt;
}

/// Pods are scraped this long after they were scheduled, at the latest.
constexpr TimeMs kLongestScrapeInterval = 60'000;
/// Findings for which who created the pods before is asked too.
constexpr std::string_view kOfLoad[] = {"attempts.unschedulable", "bind.client-throttling",
                                        "queue.backlog"};

/// When pods are of interest. A cluster has so many of them that asking for more is felt.
TimeRange RangeOfPods(const Investigation& gathered) {
  const Diagnosis& d = gathered.diagnosis;
  TimeRange range{d.window.start, d.window.end + kLongestScrapeInterval};
  const auto of_load = [](const Finding& finding) {
    return std::ranges::find(kOfLoad, finding.id) != std::end(kOfLoad);
  };
  const std::vector<Finding>& causes = gathered.causes;
  if (d.baseline && std::ranges::any_of(causes, of_load)) {
    range.start = std::min(range.start, d.baseline->start);
  }
  return range;
}

void AddStages(std::vector<StageTime> more, std::vector<StageTime>* stages) {
  const std::string request(ToString(kube::Stage::kBindRequest));
  const auto after =
      std::ranges::find_if(*stages, [&](const StageTime& stage) { return stage.id == request; });
  if (after == stages->end()) return;
  stages->insert(std::next(after), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

/// Nothing where it is not known how many attempts ran at the window's edges.
std::optional<TailLink> TailOf(const Investigation& gathered, const BindingPath& path) {
  const WindowEvidence& c = *gathered.evidence;
  if (gathered.histograms.algorithm.children.empty()) return std::nullopt;
  const auto running = [&](TimeMs t) {
    return GapAt(gathered.histograms, gathered.facts.targets, c.now.breakdown, t);
  };
  const TimeRange& window = c.now.breakdown.window;
  return LinkTails(gathered.neighbours, path, c.now.cells,
                   {running(window.start), running(window.end)}, c.threshold);
}

/// Where bindings wait stands after the surer reasons why.
void AddServer(const PathEvidence& path, std::vector<CauseBehind>* behind) {
  std::optional<CauseBehind> server = SlowServerBehind(path);
  if (!server) return;
  const auto weaker = std::ranges::find_if(
      *behind, [&](const CauseBehind& one) { return one.confidence > server->confidence; });
  behind->insert(weaker, std::move(*server));
}

/// What the servers have of the slowest attempts' time: at least what the bind call has of it, less
/// all that the window's bind calls had outside the servers; at most what the bind call has.
void BoundTail(const BindingPath& path, const TailShares& tail, std::vector<StageTime>* stages) {
  const std::string plugins(ToString(kube::Stage::kBindPlugins));
  std::optional<Measured> bind;
  for (StageTime& stage : *stages) {
    if (stage.id == plugins) bind = stage.tail_time_share;
    if (stage.id != "apiserver" || !bind || !bind->low || !(tail.least_seconds > 0)) continue;
    const double outside = path.bind - path.apiserver.low;
    const double low = std::max(0.0, *bind->low - outside / tail.least_seconds);
    stage.tail_time_share = Measured{std::nullopt, low, bind->high, "1", BasisKind::kAnyPairing};
  }
}

void LinkTail(const TailLink& tail, Diagnosis* d) {
  for (StageTime& stage : d->stages) {
    if (stage.id == "apiserver") stage.sufficient = tail.sufficient;
  }
  if (tail.least < 1) return;
  for (Finding& finding : d->findings) {
    if (finding.id == "bind.apiserver") finding.evidence.push_back({tail.Sentence(), ""});
  }
}

std::vector<CauseBehind> WhoLoads(const Investigation& gathered, WhichPods which) {
  const auto windows = LoadWindowsOf(*gathered.evidence);
  const auto pods = windows ? CountCreatedPods(gathered.neighbours, *windows, which) : std::nullopt;
  return pods ? WhoCreatesPods(*pods) : std::vector<CauseBehind>();
}

std::vector<CauseBehind> WhyUnschedulable(const Investigation& gathered) {
  const WindowEvidence& c = *gathered.evidence;
  std::optional<TimeRange> baseline;
  if (c.baseline) baseline = c.baseline->breakdown.window;
  std::vector<CauseBehind> behind =
      WhoRejectsPods(gathered.facts, c.now.breakdown.window, baseline);
  for (CauseBehind& one : WhoLoads(gathered, WhichPods::kThatWaited))
    behind.push_back(std::move(one));
  return behind;
}

std::vector<CauseBehind> WhatIsBehind(const std::string& finding, const Investigation& gathered,
                                      const std::optional<PathEvidence>& path) {
  if (finding == "bind.apiserver" && path) {
    std::vector<CauseBehind> behind = WhyBindingIsSlow(*path);
    AddServer(*path, &behind);
    return behind;
  }
  if (finding == "attempts.error" && path) {
    const TimeBreakdown& now = gathered.evidence->now.breakdown;
    return WhyBindingFails(*path, now.by_result.Get(kube::AttemptResult::kError).count);
  }
  if (finding == "prebind.volume") {
    return WhyVolumesAreSlow(gathered.neighbours, VolumeWaitOf(*gathered.evidence));
  }
  if (finding == "attempts.unschedulable") return WhyUnschedulable(gathered);
  if (finding == "bind.client-throttling" || finding == "queue.backlog") {
    return WhoLoads(gathered, WhichPods::kAll);
  }
  return {};
}

}  // namespace

void AskNeighbours(Source& source, const QuerySet& queries, Investigation* gathered) {
  if (!gathered->evidence || !gathered->request.neighbours) return;
  gathered->neighbours =
      CollectNeighbours(source, queries, gathered->facts, RangeOfPods(*gathered));
}

std::optional<PathEvidence> MeasurePath(const Investigation& gathered) {
  if (!gathered.evidence || !gathered.evidence->contradictions.empty()) return std::nullopt;
  const WindowEvidence& c = *gathered.evidence;
  const NeighbourFacts& facts = gathered.neighbours;
  const auto outside = FlowControlOutside(DetectRelease(gathered.facts));
  auto now = MeasureBindingPath(facts, c.now.breakdown, c.limiter, outside);
  if (!now) return std::nullopt;
  PathEvidence path;
  path.now = std::move(*now);
  path.symptoms = MeasureSymptoms(facts, c.now.breakdown.window);
  path.servers = CompareServers(facts, c.now.breakdown.window);
  path.tail = TailOf(gathered, path.now);
  path.e2e_seconds = c.now.breakdown.e2e.seconds;
  if (c.baseline) {
    path.before = MeasureBindingPath(facts, c.baseline->breakdown, c.limiter_baseline, outside);
    path.symptoms_before = MeasureSymptoms(facts, c.baseline->breakdown.window);
    path.servers_before = CompareServers(facts, c.baseline->breakdown.window);
  }
  return path;
}

void LookPastTheDoor(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d) {
  if (!gathered.evidence || !gathered.evidence->contradictions.empty()) return;
  const WindowEvidence& c = *gathered.evidence;
  if (path) {
    const double before = c.baseline ? c.baseline->breakdown.e2e.seconds : 0;
    AddStages(PathStages(path->now, path->before, path->e2e_seconds, before), &d->stages);
    BoundTail(path->now, c.tail, &d->stages);
    if (path->tail) LinkTail(*path->tail, d);
  }
  for (Finding& finding : d->findings) {
    finding.behind = WhatIsBehind(finding.id, gathered, path);
    for (CauseBehind& one : finding.behind) {
      one.confidence = std::max(one.confidence, finding.confidence);
      if (d->verdict != Verdict::kIncident) one.confidence = Confidence::kPossible;
    }
  }
}

void AddSurroundings(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d) {
  if (!gathered.evidence || d->verdict == Verdict::kInsufficientData) return;
  const WindowEvidence& c = *gathered.evidence;
  const NeighbourFacts& neighbours = gathered.neighbours;
  if (c.contradictions.empty()) d->impact = MeasureImpact(neighbours, c);
  d->changes = FindChanges(gathered.facts, neighbours, c);
  SayWhatChanged(d->changes, neighbours, &d->findings);
  if (neighbours.queries.empty()) return;
  const auto bindings = path ? std::optional(path->now) : std::nullopt;
  d->neighbours = LookAround(neighbours, c.now.breakdown, bindings, d->impact);
  if (path) AddNew(WhoElseBinds(path->now, c.now.breakdown), &d->warnings);
}

}  // namespace schedlens
