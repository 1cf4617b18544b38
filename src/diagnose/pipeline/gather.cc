#include "diagnose/pipeline/gather.h"

#include "base/work_budget.h"
#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pipeline/verdict.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60'000;
/// How far around a given window is looked for a baseline and for what was running at its start.
constexpr TimeMs kAround = 30 * kMinute;
/// What is searched when neither the request nor the source names a time.
constexpr TimeMs kLookBack = 60 * kMinute;

void ListGaps(const Facts& facts, const ReleaseRange& release, Diagnosis* d) {
  const auto& extent = d->source.extent;
  if (extent && extent->start == extent->end) d->gaps.emplace_back("gap.one_moment");
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    if (!missing.quiet) d->gaps.push_back(Message("gap.metric", {{"missing", missing.text}}));
  }
}

void ListResets(const Facts& facts, Diagnosis* d) {
  constexpr std::size_t kEach = 3;
  for (const Target& target : facts.targets) {
    const std::vector<TimeMs> restarts = target.restarts();
    if (restarts.size() > kEach) {
      d->warnings.push_back(Message("target.restarts", {{"target", target.id.ToString()},
                                                        {"count", arg::Count(restarts.size())},
                                                        {"first", arg::Time(restarts.front())},
                                                        {"last", arg::Time(restarts.back())}}));
      continue;
    }
    for (const TimeMs t : restarts) {
      d->warnings.push_back(
          Message("target.restarted", {{"target", target.id.ToString()}, {"at", arg::Time(t)}}));
    }
  }
}

/// That a target is a scheduler's and did not answer its last scrape; empty where none is.
Message DownTarget(Source& source, const TimeRange& range) {
  Answer down;
  try {
    down = source.Ask({R"(up{job=~".*scheduler.*"} == 0)", range.end, range.end, 0});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
  }
  if (down.series.empty()) return {};
  const Labels& labels = down.series.front().labels;
  return Message("headline.target_down", {{"job", std::string(labels.Get("job"))},
                                          {"instance", std::string(labels.Get("instance"))},
                                          {"start", arg::Time(range.start)},
                                          {"end", arg::Time(range.end)}});
}

/// Since when no scheduler answers, by `up`, or by a server that goes on without such a target.
/// Others' samples alone may have another clock.
std::optional<Silence> FindSilence(Source& source, TimeMs now, const Facts& facts) {
  constexpr TimeMs kLeastIntervals = 3;
  const TimeMs since = ScrapedRange(facts).end;
  const auto extent = source.Describe().extent;
  const TimeMs until = std::min(facts.fetched.end, extent ? extent->end : now);
  std::vector<Labels> schedulers;
  TimeMs least = kMinute;
  for (const Target& target : facts.targets) {
    schedulers.push_back(target.id);
    least = std::max(least, kLeastIntervals * ScrapeInterval(target.scrapes));
  }
  const std::string jobs = kube::JobMatcher(schedulers);
  if (jobs.empty() || until - since < least) return std::nullopt;
  const auto most = [&](const std::string& matchers, TimeMs back) {
    const std::string up = fmt::format("max(max_over_time(up{{{}}}[{}]))", matchers,
                                       FormatDuration(std::min(back, until - since - 1)));
    const Answer answer = source.Ask({up, until, until, 0});
    return answer.series.empty() || answer.series.front().samples.empty()
               ? std::nullopt
               : std::optional(answer.series.front().samples.front().v);
  };
  try {
    const auto up = most(jobs + "," + ClusterSelector(facts), until - since);
    if (up > 0 || (!up && (extent || !most("", 2 * kMinute)))) return std::nullopt;
    return Silence{since, until, up.has_value()};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
    return std::nullopt;
  }
}

/// A diagnosis of what is not there.
void TellNothingFound(Source& source, const DiagnoseRequest& request, const Facts& facts,
                      const Message& nothing, Diagnosis* d) {
  d->window = request.window.value_or(facts.fetched);
  const auto& extent = d->source.extent;
  const bool outside = request.window && extent &&
                       (request.window->end < extent->start || request.window->start > extent->end);
  d->headline = Message(outside ? "headline.outside" : "headline.nothing");
  if (outside) {
    d->headline.args = {{"start", arg::Time(extent->start)}, {"end", arg::Time(extent->end)}};
  }
  if (!outside) {
    const Message down = nothing.empty() ? DownTarget(source, facts.fetched) : Message();
    if (!nothing.empty()) d->headline = nothing;
    if (!down.empty()) {
      d->headline = down;
      d->verdict = Verdict::kIncident;
      d->findings = {FindingOf("scheduler.down", Confidence::kLikely)};
      d->findings.front().title = Message("finding.scheduler.down.lasts");
    }
  }
  if (!extent && d->window.start > request.now) {
    d->headline = Message("headline.future", {{"now", arg::Time(request.now)}});
  }
  const StepCommand& command = *CommandOf(Message("gap.nothing"));
  d->gaps.push_back(WithCommand(Message("gap.nothing"), UsualCommand(command)));
  const Message hint = WhyNoScheduler(source, facts);
  if (!hint.empty()) d->gaps.push_back(Message("gap.hint", {{"hint", hint}}));
  const auto elsewhere = FindRelabelledMetrics(source, facts.selector, facts.fetched);
  if (!elsewhere) return;
  Message gap("gap.elsewhere", {{"found", elsewhere->text}, {"fix", elsewhere->fix}});
  if (!elsewhere->failure.empty()) {
    gap = Message("gap.elsewhere.unknown", {{"failure", elsewhere->failure}});
  }
  d->gaps.push_back(std::move(gap));
}

/// Why a baseline is not used.
Message SetAside(std::string why, const TimeRange& baseline) {
  return Message(std::move(why),
                 {{"start", arg::Time(baseline.start)}, {"end", arg::Time(baseline.end)}});
}

/// Window and baseline: as asked, or found, between scrapes.
ChosenWindows SetWindows(Source& source, Investigation* gathered) {
  const DiagnoseRequest& request = gathered->request;
  Diagnosis* d = &gathered->diagnosis;
  WindowRequest asked;
  asked.asked = request.window ? request.window : gathered->searched;
  asked.exact = request.whole || request.exact;
  asked.baseline = request.baseline;
  asked.want_baseline = request.want_baseline;
  asked.at = request.at;
  asked.above_threshold =
      TimesItHeld(source, gathered->facts, gathered->histograms.attempt, &gathered->alert);
  ChosenWindows chosen = ChooseWindows(gathered->facts, gathered->histograms, asked);
  d->window = chosen.window;
  d->window_found = chosen.found;
  d->baseline = chosen.baseline;
  d->calm = chosen.calm;
  d->warnings.insert(d->warnings.end(), chosen.notes.begin(), chosen.notes.end());
  return chosen;
}

/// The case against the baseline, or without it where it says nothing.
WindowEvidence MakeEvidenceOf(const Investigation& gathered, std::optional<double> threshold,
                              Diagnosis* d) {
  const Facts& facts = gathered.facts;
  const Histograms& histograms = gathered.histograms;
  std::optional<Measurement> before;
  if (d->baseline) before = Measure(facts, histograms, *d->baseline);
  if (before && before->breakdown.e2e.count < 1) {
    const auto lies_outside = [&](const Target& target) {
      return std::ranges::none_of(target.scrapes, [&](TimeMs t) {
        return t >= d->baseline->start && t <= d->baseline->end;
      });
    };
    if (gathered.request.baseline && std::ranges::all_of(facts.targets, lies_outside)) {
      Raise(ErrorKind::kInsufficientData,
            "--baseline {}/{}: no scrapes of a scheduler there; give a calm time that has some",
            FormatTime(d->baseline->start), FormatTime(d->baseline->end));
    }
    d->warnings.push_back(SetAside("baseline.empty", *d->baseline));
    d->baseline.reset();
    before.reset();
  }
  return MakeWindowEvidence(facts, histograms, Measure(facts, histograms, d->window),
                            std::move(before), threshold, gathered.request.bound_tail);
}

/// Causes from the evidence. A given baseline that is not calm is no measure of them: it shows what
/// changed, and no more.
void FindCausesOf(const ChosenWindows& windows, std::optional<double> threshold,
                  Investigation* gathered) {
  WindowEvidence& c = *gathered->evidence;
  const bool worse = c.slow || c.failing;
  const EpisodeSpan* episode = windows.reported ? &windows.episodes[*windows.reported] : nullptr;
  if (episode != nullptr) NoteHurt(*episode, &c);
  if (!windows.baseline_hurts || worse) {
    gathered->causes = FindCauses(c);
    return;
  }
  WindowEvidence alone = MakeWindowEvidence(gathered->facts, gathered->histograms, c.now,
                                            std::nullopt, threshold, gathered->request.bound_tail);
  if (episode != nullptr) NoteHurt(*episode, &alone);
  gathered->causes = FindCauses(alone);
  gathered->diagnosis.warnings.push_back(
      SetAside("baseline.not_quieter", *gathered->diagnosis.baseline));
  c.speed = alone.speed;
  c.slow = alone.slow;
  c.failing = alone.failing;
}

Message TextOf(const Hurt& hurt) {
  static constexpr const char* kTexts[] = {
      // in the order of HurtKind
      "hurt.tail",   "hurt.tail.attempts", "hurt.median",  "hurt.median.attempts",
      "hurt.errors", "hurt.unschedulable", "hurt.waiting", "hurt.nobody",
      "hurt.late"};
  return Message(kTexts[static_cast<std::size_t>(hurt.kind)], {{"value", arg::Duration(hurt.value)},
                                                               {"share", arg::Share(hurt.share)},
                                                               {"count", arg::Count(hurt.value)}});
}

/// The severity from which on the episodes are that many at most, but for equals.
double SeverityOfWorst(const std::vector<EpisodeSpan>& episodes, std::size_t most) {
  if (episodes.size() <= most) return 0;
  std::vector<double> severities;
  for (const EpisodeSpan& one : episodes) severities.push_back(one.severity);
  std::ranges::sort(severities, std::greater<>());
  return severities[most - 1];
}

/// The episodes of the range. A window that is none of them is reported as one if its verdict turns
/// out to be an incident.
void TellEpisodes(const ChosenWindows& windows, Investigation* gathered) {
  constexpr std::size_t kMostJudged = 20;
  Diagnosis& d = gathered->diagnosis;
  const auto tell = [](const EpisodeSpan& span, Verdict verdict, std::vector<Episode>* episodes) {
    Episode& told = episodes->emplace_back();
    told.window = span.when;
    told.pods = span.pods;
    told.attempts = span.attempts;
    told.verdict = verdict;
    for (const Hurt& one : span.why) told.reasons.push_back(TextOf(one));
    return &told;
  };
  const double worst = SeverityOfWorst(windows.episodes, kMostJudged);
  for (std::size_t i = 0; i < windows.episodes.size(); ++i) {
    const EpisodeSpan& span = windows.episodes[i];
    Episode* told = tell(span, Verdict::kIncident, &d.episodes);
    told->reported = windows.reported == i;
    if (told->reported) told->window = d.window;
    if (!told->reported && span.severity >= worst) gathered->listed.push_back(span);
  }
  for (const EpisodeSpan& span : windows.also_seen) {
    tell(span, Verdict::kNoIncident, &d.also_seen);
  }
  if (!windows.reported) {
    const TimeBreakdown& now = gathered->evidence->now.breakdown;
    const auto count = [](double n) { return std::isfinite(n) ? n : 0; };
    EpisodeSpan window;
    window.when = d.window;
    window.pods = count(now.pod_scheduling.count);
    window.attempts = count(now.e2e.count);
    tell(window, Verdict::kNoIncident, &d.episodes)->reported = true;
  }
  for (auto* episodes : {&d.episodes, &d.also_seen}) {
    std::ranges::stable_sort(*episodes, {}, [](const Episode& one) { return one.window.start; });
  }
}

}  // namespace

TimeRange RangeToFetch(const DiagnoseRequest& request, const SourceInfo& source) {
  if (request.window) {
    TimeRange range{request.window->start - kAround, request.window->end + kAround};
    if (request.baseline) {
      range.start = std::min(range.start, request.baseline->start - kMinute);
      range.end = std::max(range.end, request.baseline->end);
    }
    return range;
  }
  const TimeRange all = source.extent ? TimeRange{source.extent->start - 1, source.extent->end}
                                      : TimeRange{request.now - kLookBack, request.now};
  if (!request.at) return all;
  TimeRange around{std::min(request.now - kLookBack, *request.at - kAround), request.now};
  if (!source.extent) return around;
  around = {std::max(around.start, all.start), std::min(around.end, all.end)};
  return around.start < around.end ? around : all;
}

namespace {

Investigation GatherOver(Source& source, const QuerySet& queries, const DiagnoseRequest& request,
                         const TimeRange* range) {
  Investigation investigation;
  Diagnosis& d = investigation.diagnosis;
  investigation.request = request;
  Population found = CollectPopulation(source, queries, request,
                                       range ? *range : RangeToFetch(request, source.Describe()));
  d.source = source.Describe();  // with what answering has shown of it
  d.warnings = d.source.warnings;
  d.warnings.insert(d.warnings.end(), found.warnings.begin(), found.warnings.end());
  investigation.facts = std::move(found.facts);
  const Facts& facts = investigation.facts;
  d.queries = facts.queries;
  d.warnings.insert(d.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  if (facts.targets.empty()) {
    TellNothingFound(source, request, facts, found.nothing, &d);
  } else {
    investigation.facts.silence = FindSilence(source, request.now, facts);
  }
  return investigation;
}

Investigation JudgeFacts(Source& source, const QuerySet& queries, Investigation investigation) {
  Diagnosis& d = investigation.diagnosis;
  const DiagnoseRequest& request = investigation.request;
  const Facts& facts = investigation.facts;
  const ReleaseRange release = DetectRelease(facts);
  d.release = ToString(release);
  if (facts.targets.empty()) return investigation;
  investigation.histograms = GroupAll(facts);
  const Histograms& histograms = investigation.histograms;
  for (const HistogramFacts* histogram : AllOf(histograms)) {
    d.warnings.insert(d.warnings.end(), histogram->warnings.begin(), histogram->warnings.end());
  }
  ListGaps(facts, release, &d);
  ListResets(facts, &d);
  investigation.alert = PlanAlert(queries, facts, histograms, request.alert_expr, d.source);
  const ChosenWindows windows = SetWindows(source, &investigation);
  const std::optional<double> threshold = investigation.alert.ThresholdInSeconds();
  investigation.evidence = MakeEvidenceOf(investigation, threshold, &d);
  FindCausesOf(windows, threshold, &investigation);
  TellEpisodes(windows, &investigation);
  return investigation;
}

/// Only a server has more than was asked for.
bool MayHaveCalmBefore(const Investigation& gathered) {
  const DiagnoseRequest& request = gathered.request;
  const Diagnosis& d = gathered.diagnosis;
  return !d.source.extent && request.want_baseline && !request.baseline && d.calm.empty() &&
         std::ranges::any_of(d.episodes,
                             [](const Episode& one) { return one.verdict == Verdict::kIncident; });
}

}  // namespace

void NoteHurt(const EpisodeSpan& episode, WindowEvidence* evidence) {
  evidence->hurts = true;
  evidence->standing = episode.standing;
  for (const Hurt& one : episode.why) {
    evidence->slow |= one.of_attempts;
    evidence->by_tail |= one.kind == HurtKind::kTail || one.kind == HurtKind::kAttemptTail;
    evidence->failing |= one.kind == HurtKind::kErrors || one.kind == HurtKind::kUnschedulable;
  }
}

Investigation GatherFacts(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return GatherOver(source, queries, request, nullptr);
}

Investigation GatherFrom(Source& source, const QuerySet& queries, Investigation facts) {
  Investigation found = JudgeFacts(source, queries, std::move(facts));
  if (!MayHaveCalmBefore(found)) return found;
  TimeRange range = found.facts.fetched;
  range.start -= kLookBack;
  try {
    Investigation more = GatherOver(source, queries, found.request, &range);
    if (more.facts.targets.empty()) return found;
    more.searched = ScrapedRange(found.facts);
    more.diagnosis.queries.insert(more.diagnosis.queries.begin(), found.facts.queries.begin(),
                                  found.facts.queries.end());
    return JudgeFacts(source, queries, std::move(more));
  } catch (const Error& error) {
    // What was answered stands without it; a server may be slow to answer twice as much.
    if (error.kind() == ErrorKind::kInterrupted) throw;
    CheckBudget();
    return found;
  }
}

Investigation Gather(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return GatherFrom(source, queries, GatherFacts(source, queries, request));
}

}  // namespace schedlens
