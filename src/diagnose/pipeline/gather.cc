#include "diagnose/pipeline/gather.h"

#include <algorithm>

#include "diagnose/alert/panel.h"
#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"
#include "diagnose/episodes/incident_window.h"
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
  if (!outside && !nothing.empty()) d->headline = nothing;
  Message gap_of_all("gap.nothing");
  if (const StepCommand* command = CommandOf(gap_of_all)) {
    gap_of_all = WithCommand(std::move(gap_of_all), UsualCommand(*command));
  }
  d->gaps.push_back(std::move(gap_of_all));
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
ChosenWindows SetWindows(const Investigation& gathered, Diagnosis* d) {
  const DiagnoseRequest& request = gathered.request;
  WindowRequest asked;
  asked.asked = request.window;
  asked.exact = request.whole || request.exact;
  asked.baseline = request.baseline;
  asked.want_baseline = request.want_baseline;
  asked.alert_range_ms = gathered.alert.range_ms;
  asked.above_threshold =
      TimesAboveThreshold(gathered.alert, gathered.facts, gathered.histograms.attempt);
  ChosenWindows chosen = ChooseWindows(gathered.facts, gathered.histograms, asked);
  d->window = chosen.window;
  d->window_found = chosen.found;
  d->baseline = chosen.baseline;
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
    d->warnings.push_back(SetAside("baseline.empty", *d->baseline));
    d->baseline.reset();
    before.reset();
  }
  return MakeWindowEvidence(facts, histograms, Measure(facts, histograms, d->window),
                            std::move(before), threshold, gathered.request.bound_tail);
}

/// Whether the baseline is as slow as the window, and slow: then nothing can be told from it.
bool IsNoBaseline(const WindowEvidence& c) {
  return c.baseline && c.now.breakdown.e2e.count >= 1 && !c.slow && !c.failing &&
         PlainlySlow(*c.baseline);
}

/// Causes from the evidence. A baseline from beyond a change to slower attempts is `quiet`, however
/// slow it is: then nothing changed in the window. Else a baseline that is not quieter is no
/// measure of them: one that was given still shows what changed, one that was found is dropped.
void FindCausesOf(Investigation* gathered, std::optional<double> threshold, bool quiet) {
  Diagnosis& d = gathered->diagnosis;
  WindowEvidence& c = *gathered->evidence;
  if (quiet || !IsNoBaseline(c)) {
    gathered->causes = FindCauses(c);
    return;
  }
  WindowEvidence alone = MakeWindowEvidence(gathered->facts, gathered->histograms, c.now,
                                            std::nullopt, threshold, gathered->request.bound_tail);
  gathered->causes = FindCauses(alone);
  if (gathered->request.baseline) {
    d.warnings.push_back(SetAside("baseline.not_quieter", *d.baseline));
    c.speed = alone.speed;
    c.brief = alone.brief;
    c.slow = alone.slow;
    c.failing = alone.failing;
    return;
  }
  d.warnings.push_back(SetAside("baseline.slow", *d.baseline));
  d.baseline.reset();
  c = std::move(alone);
}

/// A given window that is quiet as a whole is judged by its part in an incident around it.
void JudgeSlowPart(const TimeRange& part, std::optional<double> threshold,
                   Investigation* gathered) {
  const WindowEvidence& c = *gathered->evidence;
  Diagnosis& d = gathered->diagnosis;
  if (c.slow || part == d.window) return;
  d.warnings.push_back(SetAside("window.slow_part", part));
  d.window = part;
  gathered->evidence = MakeEvidenceOf(*gathered, threshold, &d);
  FindCausesOf(gathered, threshold, true);
}

constexpr std::int64_t kUsualAlertRange = 5 * 60'000;

/// The first scrape at or after `t`; the last one before it where there is none, or where it is so
/// late that the target was down in between.
TimeMs ScrapeAtOrAfter(const std::vector<TimeMs>& scrapes, TimeMs t) {
  const auto after = std::lower_bound(scrapes.begin(), scrapes.end(), t);
  if (after == scrapes.end()) return scrapes.back();
  if (after - scrapes.begin() < 2) return *after;
  const TimeMs usual = *(after - 1) - *(after - 2);
  return *after - *(after - 1) > 3 * usual ? *(after - 1) : *after;
}

/// The window between the scrapes that hold all of it: of the start the last scrape of any target
/// at or before it, of the end the first at or after it by which every target was scraped again.
/// An edge without such a scrape moves inwards; a target that appears later says nothing about it.
TimeRange BetweenScrapes(const Facts& facts, const TimeRange& asked) {
  std::optional<TimeMs> start, end;
  for (const Target& target : facts.targets) {
    if (target.scrapes.empty() || target.scrapes.front() >= asked.end) continue;
    const auto after = std::upper_bound(target.scrapes.begin(), target.scrapes.end(), asked.start);
    if (after != target.scrapes.begin()) start = std::max(start.value_or(0), *std::prev(after));
    end = std::max(end.value_or(0), ScrapeAtOrAfter(target.scrapes, asked.end));
  }
  const TimeMs first = start.value_or(asked.start);
  return {first, std::max(end.value_or(asked.end), first)};
}

/// What became of the asked window's edges.
Message Moved(const TimeRange& asked, const TimeRange& window) {
  const Argument start{"start", arg::Time(window.start)}, end{"end", arg::Time(window.end)};
  if (window.seconds() <= 0) return Message("window.empty", {{"at", arg::Time(window.start)}});
  if (window.end == asked.end) return Message("window.start_moved", {start});
  if (window.start == asked.start) return Message("window.end_moved", {end});
  return Message("window.moved", {start, end});
}

bool Overlap(const TimeRange& a, const TimeRange& b) { return a.start < b.end && b.start < a.end; }
bool Touch(const TimeRange& a, const TimeRange& b) { return a.start <= b.end && b.start <= a.end; }
TimeRange Cover(const TimeRange& a, const TimeRange& b) {
  return {std::min(a.start, b.start), std::max(a.end, b.end)};
}

std::optional<TimeRange> FindIncidentIn(const Facts& facts, const Histograms& histograms,
                                        const TimeRange& range) {
  return FindIncident(facts, CutWindow(histograms, facts.targets, range));
}

/// The longest time above the threshold inside the range, or what `changed` in it.
std::optional<TimeRange> SearchRange(const Facts& facts, const std::optional<TimeRange>& changed,
                                     const std::vector<TimeRange>& above, const TimeRange& range) {
  std::optional<TimeRange> longest;
  for (TimeRange period : above) {
    if (!Overlap(period, range)) continue;
    period = {std::max(period.start, range.start), std::min(period.end, range.end)};
    if (!longest || period.seconds() > longest->seconds()) longest = period;
  }
  if (!longest) return changed;
  // The rate looks back: a change point inside the period tells when it really began.
  if (changed && Overlap(*changed, *longest)) return changed;
  return BetweenScrapes(facts, *longest);
}

/// The window with all slow time that adjoins it. A period above the threshold begins a `range`
/// before its first value: a change point in there tells when it really began.
TimeRange IncidentAround(const std::optional<TimeRange>& changed,
                         const std::vector<TimeRange>& above, std::int64_t range,
                         const TimeRange& window) {
  TimeRange incident = window;
  if (changed && Touch(*changed, incident)) incident = Cover(*changed, incident);
  for (TimeRange period : above) {
    if (!Touch(period, incident)) continue;
    const bool onset = changed && changed->start >= period.start &&
                       changed->start <= period.start + range && Overlap(*changed, period);
    if (onset) period.start = changed->start;
    incident = Cover(period, incident);
  }
  return incident;
}

/// The window's part in an incident, where it is long enough to be judged.
std::optional<TimeRange> SlowPart(const std::optional<TimeRange>& incident,
                                  const TimeRange& window) {
  constexpr TimeMs kLeast = 60'000;
  if (!incident || !Overlap(*incident, window)) return std::nullopt;
  const TimeRange part{std::max(incident->start, window.start),
                       std::min(incident->end, window.end)};
  const TimeMs length = part.end - part.start;
  if (length < kLeast || 4 * length < window.end - window.start) return std::nullopt;
  return part;
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

Investigation GatherFacts(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  Investigation investigation;
  Diagnosis& d = investigation.diagnosis;
  d.source = source.Describe();
  d.warnings = d.source.warnings;
  investigation.request = request;
  Population found = CollectPopulation(source, queries, request, RangeToFetch(request, d.source));
  d.warnings.insert(d.warnings.end(), found.warnings.begin(), found.warnings.end());
  investigation.facts = std::move(found.facts);
  const Facts& facts = investigation.facts;
  d.queries = facts.queries;
  d.warnings.insert(d.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  if (facts.targets.empty()) TellNothingFound(source, request, facts, found.nothing, &d);
  return investigation;
}

Investigation Gather(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return GatherFrom(queries, GatherFacts(source, queries, request));
}

Investigation GatherFrom(const QuerySet& queries, Investigation investigation) {
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
  const ChosenWindows windows = SetWindows(investigation, &d);
  const std::optional<double> threshold = investigation.alert.ThresholdInSeconds();
  investigation.evidence = MakeEvidenceOf(investigation, threshold, &d);
  FindCausesOf(&investigation, threshold, windows.change_point);
  if (windows.slow_part) JudgeSlowPart(*windows.slow_part, threshold, &investigation);
  return investigation;
}

ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request) {
  const TimeRange scraped = ScrapedRange(facts);
  const TimeRange asked = request.asked.value_or(scraped);
  const std::int64_t range = request.alert_range_ms > 0 ? request.alert_range_ms : kUsualAlertRange;
  const bool search = !request.exact && !request.baseline &&
                      (!request.asked || asked.end - asked.start > 2 * range);
  ChosenWindows chosen;
  chosen.window = BetweenScrapes(facts, asked);
  if (chosen.window != asked) chosen.notes.push_back(Moved(asked, chosen.window));
  std::optional<TimeRange> changed;  // in what was scraped
  const bool whole = chosen.window == scraped;
  if (search) {
    const auto in_window = FindIncidentIn(facts, histograms, chosen.window);
    if (whole) changed = in_window;
    const auto found = SearchRange(facts, in_window, request.above_threshold, chosen.window);
    if (found) chosen.window = *found;
    chosen.found = found.has_value();
  }
  chosen.baseline = request.baseline;
  const bool compare = request.asked || chosen.found;
  if (request.want_baseline && !chosen.baseline && compare) {
    if (!search || !whole) changed = FindIncidentIn(facts, histograms, scraped);
    const TimeRange incident =
        IncidentAround(changed, request.above_threshold, range, chosen.window);
    if (!request.exact && !chosen.found) chosen.slow_part = SlowPart(changed, chosen.window);
    chosen.change_point = changed && Touch(*changed, chosen.window);
    chosen.baseline = FindBaseline(facts, histograms, facts.fetched, incident);
  }
  return chosen;
}

}  // namespace schedlens
