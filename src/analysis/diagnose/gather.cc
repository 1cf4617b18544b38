#include "analysis/diagnose/gather.h"

#include <algorithm>

#include "analysis/alert/panel.h"
#include "analysis/alert/target.h"
#include "analysis/causes/findings.h"
#include "analysis/collect/missing.h"
#include "analysis/collect/relabelled_metrics.h"
#include "analysis/collect/release.h"
#include "analysis/windows/incident_window.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60'000;
/// How far around a given window is looked for a baseline and for what was running at its start.
constexpr TimeMs kAround = 30 * kMinute;
/// What is searched when neither the request nor the source names a time.
constexpr TimeMs kLookBack = 60 * kMinute;

void ListGaps(const Facts& facts, const ReleaseRange& release, Diagnosis* d) {
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

/// The window between the scrapes that its increases are taken between: of each edge the last
/// scrape of any target at or before it. An edge before every scrape stays.
TimeRange BetweenScrapes(const Facts& facts, const TimeRange& asked) {
  const auto last = [&](TimeMs edge) {
    std::optional<TimeMs> latest;
    for (const Target& target : facts.targets) {
      const auto after = std::upper_bound(target.scrapes.begin(), target.scrapes.end(), edge);
      if (after != target.scrapes.begin()) latest = std::max(latest.value_or(0), *std::prev(after));
    }
    return latest.value_or(edge);
  };
  return {last(asked.start), last(asked.end)};
}

/// The facts under the request's selector, or else under the alert's own, or else of every
/// scheduler that is found; its warnings begin with the selectors that found nothing.
Facts CollectAsAsked(Source& source, const QuerySet& queries, const DiagnoseRequest& request,
                     const TimeRange& range) {
  std::vector<Message> unused;
  const auto collect = [&](const std::string& selector) {
    Facts facts = Collect(source, queries, selector, range);
    facts.warnings.insert(facts.warnings.begin(), unused.begin(), unused.end());
    return facts;
  };
  if (request.selector.empty() && !request.alert_expr.empty()) {
    const auto alert = promql::ParseAlertExpression(request.alert_expr);
    for (const std::string& selector : TargetSelectors(alert, request.firing)) {
      Facts facts = collect(selector);
      if (!facts.targets.empty()) return facts;
      unused.push_back(Message("alert.selector_unused", {{"selector", arg::Promql(selector)}}));
    }
  }
  return collect(request.selector);
}

/// A diagnosis of what is not there.
void TellNothingFound(Source& source, const DiagnoseRequest& request, const Facts& facts,
                      Diagnosis* d) {
  d->window = request.window.value_or(facts.fetched);
  const auto& extent = d->source.extent;
  const bool outside = request.window && extent &&
                       (request.window->end < extent->start || request.window->start > extent->end);
  d->headline = Message(outside ? "headline.outside" : "headline.nothing");
  if (outside) {
    d->headline.args = {{"start", arg::Time(extent->start)}, {"end", arg::Time(extent->end)}};
  }
  d->gaps.emplace_back("gap.nothing");
  const auto elsewhere = FindRelabelledMetrics(source, facts.selector, facts.fetched);
  if (!elsewhere) return;
  Message gap("gap.elsewhere", {{"found", elsewhere->text}, {"fix", elsewhere->fix}});
  if (!elsewhere->failure.empty()) {
    gap = Message("gap.elsewhere.unknown", {{"failure", elsewhere->failure}});
  }
  d->gaps.push_back(std::move(gap));
}

/// What became of the asked window's edges.
Message Moved(const TimeRange& asked, const TimeRange& window) {
  const Argument start{"start", arg::Time(window.start)}, end{"end", arg::Time(window.end)};
  if (window.seconds() <= 0) return Message("window.empty", {{"at", arg::Time(window.start)}});
  if (window.end == asked.end) return Message("window.start_moved", {start});
  if (window.start == asked.start) return Message("window.end_moved", {end});
  return Message("window.moved", {start, end});
}

/// Why a baseline is not used.
Message SetAside(std::string why, const TimeRange& baseline) {
  return Message(std::move(why),
                 {{"start", arg::Time(baseline.start)}, {"end", arg::Time(baseline.end)}});
}

/// Window and baseline: as asked, or found, between scrapes.
void ChooseWindows(const Facts& facts, const Histograms& histograms, const DiagnoseRequest& request,
                   Diagnosis* d) {
  const TimeRange scraped = ScrapedRange(facts);
  const TimeRange asked = request.window.value_or(scraped);
  d->window = BetweenScrapes(facts, asked);
  if (d->window != asked) d->warnings.push_back(Moved(asked, d->window));
  bool incident_found = request.window.has_value();
  if (!request.window && !request.whole) {
    if (const auto found = FindIncident(facts, CutWindow(histograms, facts.targets, scraped))) {
      d->window = *found;
      d->window_found = incident_found = true;
    }
  }
  d->baseline = request.baseline;
  if (request.want_baseline && !d->baseline && incident_found) {
    d->baseline = FindBaseline(facts, histograms, d->window);
  }
}

/// The case against the baseline, or without it where it says nothing.
WindowEvidence MakeEvidenceOf(const Facts& facts, const Histograms& histograms,
                              std::optional<double> threshold, Diagnosis* d) {
  std::optional<Measurement> before;
  if (d->baseline) before = Measure(facts, histograms, *d->baseline);
  if (before && before->breakdown.e2e.count < 1) {
    d->warnings.push_back(SetAside("baseline.empty", *d->baseline));
    d->baseline.reset();
    before.reset();
  }
  const Measurement now = Measure(facts, histograms, d->window);
  WindowEvidence c = MakeWindowEvidence(facts, histograms, now, std::move(before), threshold);
  if (!c.baseline || c.now.breakdown.e2e.count < 1 || c.slow || c.failing ||
      !PlainlySlow(*c.baseline)) {
    return c;
  }
  d->warnings.push_back(SetAside("baseline.slow", *d->baseline));
  d->baseline.reset();
  return MakeWindowEvidence(facts, histograms, now, std::nullopt, threshold);
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
  if (source.extent) return {source.extent->start - 1, source.extent->end};
  return {request.now - kLookBack, request.now};
}

Investigation Gather(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  Investigation investigation;
  Diagnosis& d = investigation.diagnosis;
  d.source = source.Describe();
  d.warnings = d.source.warnings;
  investigation.request = request;
  investigation.facts = CollectAsAsked(source, queries, request, RangeToFetch(request, d.source));
  const Facts& facts = investigation.facts;
  d.queries = facts.queries;
  d.warnings.insert(d.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  const ReleaseRange release = DetectRelease(facts);
  d.release = ToString(release);
  if (facts.targets.empty()) {
    TellNothingFound(source, request, facts, &d);
    return investigation;
  }
  investigation.histograms = GroupAll(facts);
  const Histograms& histograms = investigation.histograms;
  for (const HistogramFacts* histogram : AllOf(histograms)) {
    d.warnings.insert(d.warnings.end(), histogram->warnings.begin(), histogram->warnings.end());
  }
  ListGaps(facts, release, &d);
  ListResets(facts, &d);
  ChooseWindows(facts, histograms, request, &d);
  investigation.alert = PlanAlert(queries, facts, histograms, request.alert_expr);
  investigation.evidence =
      MakeEvidenceOf(facts, histograms, investigation.alert.verdict.threshold, &d);
  investigation.causes = FindCauses(*investigation.evidence);
  return investigation;
}

}  // namespace schedlens
