#include "diagnose/pipeline/diagnose.h"

// What stands behind a finding: the control plane's side of it, and what happened around it.

#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"
#include "diagnose/control_plane/changes.h"
#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

using kube::Stage;

/// From here on the indicator leaves the wait for a seat out.
constexpr int kFlowControlOutside = 27;

std::optional<bool> FlowControlOutside(const ReleaseRange& release) {
  if (release.oldest >= kFlowControlOutside) return true;
  if (release.newest < kFlowControlOutside) return false;
  return std::nullopt;
}

void AddStages(std::vector<StageTime> more, std::vector<StageTime>* stages) {
  if (more.empty()) return;
  const auto after = std::ranges::find(*stages, more.front().parent, &StageTime::id);
  if (after == stages->end()) return;
  stages->insert(std::next(after), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

/// Nothing where it is not known how many attempts ran at the window's edges.
std::optional<TailLink> TailOf(const Investigation& gathered, const WindowEvidence& c,
                               const BindingPath& path) {
  if (gathered.histograms.algorithm.children.empty()) return std::nullopt;
  const auto running = [&](TimeMs t) {
    return GapAt(gathered.histograms, gathered.facts.targets, c.now.breakdown, t);
  };
  const TimeRange& window = c.now.breakdown.window;
  return LinkTails(gathered.control_plane, path, c.now.cells,
                   {running(window.start), running(window.end)}, c.threshold);
}

/// What the servers have of the slowest attempts' time: at least what the bind call has of it, less
/// all that the window's bind calls had outside the servers; at most what the bind call has.
void BoundTail(const BindingPath& path, const TailShares& tail, std::vector<StageTime>* stages) {
  const std::string plugins(ToString(Stage::kBindPlugins));
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
    if (finding.id == "bind.apiserver") finding.evidence.push_back({tail.Sentence()});
  }
}

std::vector<CauseBehind> WhoLoads(const Investigation& gathered, const WindowEvidence& c,
                                  WhichPods which) {
  const auto windows = LoadWindowsOf(c);
  const auto pods =
      windows ? CountCreatedPods(gathered.control_plane, *windows, which) : std::nullopt;
  return pods ? WhoCreatesPods(*pods) : std::vector<CauseBehind>();
}

std::vector<CauseBehind> WhyUnschedulable(const Investigation& gathered, const WindowEvidence& c) {
  std::optional<TimeRange> baseline;
  if (c.baseline) baseline = c.baseline->breakdown.window;
  std::vector<CauseBehind> behind =
      WhoRejectsPods(gathered.facts, c.now.breakdown.window, baseline);
  std::ranges::move(WhoLoads(gathered, c, WhichPods::kThatWaited), std::back_inserter(behind));
  return behind;
}

/// As they are where `told`, else at most possible.
std::vector<CauseBehind> AsSureAs(bool told, std::vector<CauseBehind> behind) {
  for (CauseBehind& one : behind) {
    if (!told) one.confidence = Confidence::kPossible;
  }
  return behind;
}

std::vector<CauseBehind> WhatIsBehind(const std::string& finding, const Investigation& gathered,
                                      const WindowEvidence& c,
                                      const std::optional<PathEvidence>& path) {
  if (path && finding == (path->now.by_extender ? "bind.extender" : "bind.apiserver")) {
    std::vector<CauseBehind> behind = WhyBindingIsSlow(*path);
    // Where bindings wait stands after the reasons why that are as sure.
    if (auto server = SlowServerBehind(*path)) behind.push_back(std::move(*server));
    return AsSureAs(path->same && !path->WasSlow(), std::move(behind));
  }
  if (finding == "attempts.error" && path) {
    const TimeBreakdown& now = c.now.breakdown;
    const double errors = now.by_result.Get(kube::AttemptResult::kError).count;
    return AsSureAs(path->same, WhyBindingFails(*path, errors, now.scheduled() + errors));
  }
  if (finding == "scheduler.down") return WhyProcessesDied(gathered.facts);
  if (finding == "prebind.volume") {
    return WhyVolumesAreSlow(gathered.control_plane, VolumeWaitOf(c));
  }
  if (finding == "attempts.unschedulable" || finding == "queue.flush") {
    std::vector<CauseBehind> behind = WhichPlugin(finding, c);
    std::ranges::move(WhyUnschedulable(gathered, c), std::back_inserter(behind));
    // Pods that only the timer wakes fit by then: who rejected them is not what to act upon.
    return AsSureAs(finding != "queue.flush", std::move(behind));
  }
  if (finding == "bind.client-throttling" || finding == "queue.backlog") {
    return WhoLoads(gathered, c, WhichPods::kAll);
  }
  return WhichPlugin(finding, c);
}

/// One binding in twenty that a webhook refuses is what is wrong, whatever took the time meanwhile;
/// but for nobody scheduling.
void LeadWithRefusals(const TimeBreakdown& now, std::vector<Finding>* findings) {
  constexpr double kMany = 0.05;
  const auto failed = std::ranges::find(*findings, "attempts.error", &Finding::id);
  if (failed == findings->end() || now.ShareOf(kube::AttemptResult::kError) < kMany) return;
  if (failed->behind.empty() || failed->behind.front().confidence == Confidence::kPossible) return;
  failed->confidence = failed->behind.front().confidence;
  const auto first = std::ranges::find_if(
      *findings, [](const Finding& one) { return !one.id.starts_with("scheduler."); });
  if (first < failed) std::rotate(first, failed, std::next(failed));
}

}  // namespace

std::optional<PathEvidence> MeasurePath(const Investigation& gathered, const WindowEvidence& c) {
  if (!c.contradictions.empty()) return std::nullopt;
  const ControlPlaneFacts& facts = gathered.control_plane;
  const auto outside = FlowControlOutside(DetectRelease(gathered.facts));
  auto now = MeasureBindingPath(facts, c.now.breakdown, c.limiter, outside);
  if (!now) return std::nullopt;
  PathEvidence path;
  path.now = std::move(*now);
  path.symptoms = MeasureSymptoms(facts, c.now.breakdown.window);
  path.servers = CompareServers(facts, c.now.breakdown.window);
  if (!path.now.by_extender) path.tail = TailOf(gathered, c, path.now);
  path.e2e_seconds = c.now.breakdown.e2e.seconds;
  path.same =
      !path.now.contradicted && CountsTheSame(facts, gathered.histograms.attempt,
                                              gathered.facts.targets, c.now.breakdown.window);
  if (c.baseline) {
    path.before = MeasureBindingPath(facts, c.baseline->breakdown, c.limiter_baseline, outside);
    path.symptoms_before = MeasureSymptoms(facts, c.baseline->breakdown.window);
    path.servers_before = CompareServers(facts, c.baseline->breakdown.window);
  }
  return path;
}

void LookPastTheDoor(const Investigation& gathered, const WindowEvidence& c,
                     const std::optional<PathEvidence>& path, Diagnosis* d) {
  const bool sure = d->verdict == Verdict::kIncident && c.contradictions.empty();
  if (path) {
    const double before = c.baseline ? c.baseline->breakdown.e2e.seconds : 0;
    AddStages(PathStages(path->now, path->before, path->e2e_seconds, before), &d->stages);
    if (!path->now.by_extender) BoundTail(path->now, c.tail, &d->stages);
    if (path->tail) LinkTail(*path->tail, d);
  }
  for (Finding& finding : d->findings) {
    finding.behind = AsSureAs(sure, WhatIsBehind(finding.id, gathered, c, path));
  }
  LeadWithRefusals(c.now.breakdown, &d->findings);
  for (Finding& finding : d->findings) {
    for (CauseBehind& one : finding.behind) {
      one.confidence = std::max(one.confidence, finding.confidence);
    }
    std::ranges::stable_sort(finding.behind, {}, &CauseBehind::confidence);
  }
}

void AddSurroundings(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d) {
  if (!gathered.evidence || d->verdict == Verdict::kInsufficientData) return;
  const WindowEvidence& c = *gathered.evidence;
  std::vector<CauseBehind> died;  // told behind a scheduler that was down where there is one
  if (std::ranges::find(d->findings, "scheduler.down", &Finding::id) == d->findings.end()) {
    died = WhyProcessesDied(gathered.facts);
  }
  for (const CauseBehind& one : died) {
    for (const Evidence& seen : one.evidence) AddNew({seen.text}, &d->warnings);
  }
  const ControlPlaneFacts& control_plane = gathered.control_plane;
  if (c.contradictions.empty()) d->impact = MeasureImpact(control_plane, c);
  d->changes = FindChanges(gathered.facts, control_plane, c);
  SayWhatChanged(d->changes, control_plane, &d->findings);
  if (control_plane.queries.empty()) return;
  const auto bindings = path ? std::optional(path->now) : std::nullopt;
  d->control_plane = LookAround(control_plane, c.now.breakdown, bindings, d->impact);
  if (path) AddNew(WhoElseBinds(path->now, c.now.breakdown), &d->warnings);
  if (!path || path->same) return;
  const char* why = path->now.contradicted ? "neighbours.contradicted" : "neighbours.not_the_same";
  AddNew({Message(why)}, &d->warnings);
}

}  // namespace schedlens
