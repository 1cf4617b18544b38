#include "analysis/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/alert_panel.h"
#include "analysis/alert_target.h"
#include "analysis/case.h"
#include "analysis/conservation.h"
#include "analysis/elsewhere.h"
#include "analysis/findings.h"
#include "analysis/headline.h"
#include "analysis/incident_window.h"
#include "analysis/leadership.h"
#include "analysis/missing.h"
#include "analysis/quantile_rows.h"
#include "analysis/queue.h"
#include "analysis/recompute.h"
#include "analysis/release.h"
#include "analysis/remarks.h"
#include "analysis/stages.h"
#include "analysis/timeline.h"
#include "model/text.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60'000;
/// How far around a given window is looked for a baseline and for what was running at its start.
constexpr TimeMs kAround = 30 * kMinute;
/// What is searched when neither the request nor the source names a time.
constexpr TimeMs kLookBack = 60 * kMinute;

/// The fetched range, cut to what was really scraped.
TimeRange ScrapedRange(const Facts& facts) {
  TimeRange range{facts.fetched.end, facts.fetched.start};
  for (const Target& target : facts.targets) {
    range.start = std::min(range.start, target.scrapes.front());
    range.end = std::max(range.end, target.scrapes.back());
  }
  return range;
}

void ListGaps(const Facts& facts, const Release& release, Diagnosis* d) {
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    if (!missing.quiet) d->gaps.push_back(missing.text + ".");
  }
}

void ListResets(const Facts& facts, Diagnosis* d) {
  constexpr std::size_t kEach = 3;
  for (const Target& target : facts.targets) {
    if (target.restarts.size() > kEach) {
      d->warnings.push_back(
          fmt::format("{} restarted {} times between {} and {}; what ended after the last scrape "
                      "before each is "
                      "lost",
                      target.id.ToString(), target.restarts.size(),
                      FormatTime(target.restarts.front()), FormatTime(target.restarts.back())));
      continue;
    }
    for (const TimeMs t : target.restarts) {
      d->warnings.push_back(
          fmt::format("{} restarted at {}; what ended after its last scrape before is lost",
                      target.id.ToString(), FormatTime(t)));
    }
  }
}

void Recompute(Source& source, AlertPanel& panel, TimeMs at) {
  if (!panel.verdict.shown) return;
  auto redone = RecomputeQuantile(source, panel.asked, Labels(panel.verdict.labels),
                                  *panel.verdict.shown, at);
  if (redone) panel.verdict.recomputed.push_back(std::move(*redone));
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
/// scheduler that is found.
Facts CollectAsAsked(Source& source, const QuerySet& queries, const DiagnoseRequest& request,
                     const TimeRange& range, std::vector<std::string>* warnings) {
  if (request.selector.empty() && !request.alert_expr.empty()) {
    const auto alert = promql::ParseAlertExpression(request.alert_expr);
    for (const std::string& selector : TargetSelectors(alert, request.firing)) {
      Facts facts = Collect(source, queries, selector, range);
      if (!facts.targets.empty()) return facts;
      warnings->push_back(fmt::format(
          "no scheduler's metrics are under the alert's selector {}: a wider search follows",
          selector));
    }
  }
  return Collect(source, queries, request.selector, range);
}

/// What the release says about a metric that gives the alert no value.
void ExplainSilence(const Release& release, AlertVerdict* verdict) {
  if (verdict->shown || verdict->metric.empty()) return;
  const std::string why = WhyAbsent(verdict->metric, release);
  if (why.empty()) return;
  verdict->notes.push_back(
      fmt::format("The scheduler here is {}, and {} was {}: the alert can "
                  "never fire",
                  ToString(release), verdict->metric, why));
}

Verdict Judge(const Case& c, const std::vector<Finding>& causes, const AlertVerdict& alert) {
  if (c.now.account.e2e.count < 1) return Verdict::kInsufficientData;
  if (!causes.empty()) return Verdict::kIncident;
  const bool fires = alert.threshold && alert.shown && *alert.shown > *alert.threshold;
  if (fires && alert.decided == Decided::kBelow) return Verdict::kArtifact;
  if (fires && alert.decided == Decided::kUndecidable) return Verdict::kUndecidable;
  // Attempts too few to judge by, all of them slow, are no proof that all is well.
  const bool blind = !HasBuckets(c.now.cells.attempt);
  const bool unsure = c.slow || fires || blind || (!c.baseline && PlainlySlow(c.now, 1));
  return unsure ? Verdict::kUndecidable : Verdict::kNoIncident;
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

Diagnosis Diagnose(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return Investigate(source, queries, request).diagnosis;
}

Investigation Investigate(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  Investigation investigation;
  Diagnosis& d = investigation.diagnosis;
  d.source = source.Describe();
  d.warnings = d.source.warnings;
  investigation.facts = std::make_unique<const Facts>(
      CollectAsAsked(source, queries, request, RangeToFetch(request, d.source), &d.warnings));
  const Facts& facts = *investigation.facts;
  d.queries = facts.queries;
  d.warnings.insert(d.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  const Release release = DetectRelease(facts);
  d.release = ToString(release);
  if (facts.targets.empty()) {
    d.window = request.window.value_or(facts.fetched);
    const auto& extent = d.source.extent;
    const bool outside =
        request.window && extent &&
        (request.window->end < extent->start || request.window->start > extent->end);
    d.headline = outside ? fmt::format("The window lies outside the data, which spans {} to {}.",
                                       FormatTime(extent->start), FormatTime(extent->end))
                         : "No kube-scheduler metrics were found here.";
    d.gaps.emplace_back(
        "Neither scheduling attempts nor the algorithm have a histogram here; "
        "`schedlens doctor` with the same source says what it sees.");
    if (const auto elsewhere = FindElsewhere(source, facts.selector, facts.fetched)) {
      d.gaps.push_back(fmt::format("Yet {}: {}.", elsewhere->text, elsewhere->fix));
    }
    return investigation;
  }
  investigation.histograms = GroupAll(facts, &d.warnings);
  const Histograms& histograms = investigation.histograms;
  ListGaps(facts, release, &d);
  ListResets(facts, &d);

  const TimeRange scraped = ScrapedRange(facts);
  const TimeRange asked = request.window.value_or(scraped);
  d.window = BetweenScrapes(facts, asked);
  if (d.window != asked) {
    d.warnings.push_back(
        d.window.seconds() > 0
            ? fmt::format("The window's edges fall between scrapes: moved to {} and {}.",
                          FormatTime(d.window.start), FormatTime(d.window.end))
            : fmt::format(
                  "The window holds no scrape, the last one before its end was at {}: widen "
                  "it or move it.",
                  FormatTime(d.window.start)));
  }
  std::optional<TimeRange> baseline = request.baseline;
  bool incident_found = request.window.has_value();
  if (!request.window && !request.whole) {
    if (const auto found = FindIncident(facts, CutWindow(histograms, facts, scraped))) {
      d.window = *found;
      d.window_found = incident_found = true;
    }
  }
  if (request.want_baseline && !baseline && incident_found) {
    baseline = FindBaseline(facts, histograms, d.window);
  }
  d.baseline = baseline;

  std::optional<Measurement> before;
  if (baseline) before = Measure(facts, histograms, *baseline);
  if (before && before->account.e2e.count < 1) {
    d.warnings.push_back(
        fmt::format("The baseline {} to {} has no attempts: it is set aside, and the window is "
                    "judged by itself.",
                    FormatTime(baseline->start), FormatTime(baseline->end)));
    d.baseline.reset();
    before.reset();
  }
  const TimeRange shown = request.window.value_or(d.window);  // the alert's value is the server's
  AlertPanel panel = ReadAlert(source, queries, facts, histograms, request.alert_expr, shown);
  d.warnings.insert(d.warnings.end(), panel.warnings.begin(), panel.warnings.end());
  ExplainSilence(release, &panel.verdict);
  if (request.recompute) Recompute(source, panel, shown.end);
  investigation.evidence = MakeCase(facts, histograms, Measure(facts, histograms, d.window),
                                    std::move(before), panel.verdict.threshold);
  if (investigation.evidence->baseline && investigation.evidence->now.account.e2e.count >= 1 &&
      !investigation.evidence->slow && !investigation.evidence->failing &&
      PlainlySlow(*investigation.evidence->baseline)) {
    d.warnings.push_back(
        fmt::format("The baseline {} to {} is itself slow: it is set aside, and the window is "
                    "judged by itself.",
                    FormatTime(baseline->start), FormatTime(baseline->end)));
    d.baseline.reset();
    investigation.evidence = MakeCase(facts, histograms, Measure(facts, histograms, d.window),
                                      std::nullopt, panel.verdict.threshold);
  }
  const Case& c = *investigation.evidence;
  d.attempts = c.now.account.e2e.count;
  d.e2e_seconds = c.now.account.e2e.seconds;
  for (const auto& [result, amount] : c.now.account.by_result) {
    d.results.push_back({result, amount.count, amount.seconds});
  }
  d.warnings.insert(d.warnings.end(), c.now.account.notes.begin(), c.now.account.notes.end());
  for (std::string& broken : CheckCounts(facts, c.now.cells, c.now.account)) {
    d.warnings.push_back(std::move(broken));
  }
  d.queue = MeasureQueue(facts, c.now.account, c.baseline ? &c.baseline->account : nullptr);
  for (std::string& note : LeadershipNotes(facts, c.now.cells.attempt, d.window)) {
    d.warnings.push_back(std::move(note));
  }
  d.plugins = RankPlugins(facts, d.window);
  d.stages = StageTree(c, d.plugins);
  d.timeline = MakeTimeline(facts, histograms.attempt, scraped);
  d.inversion = FindInversion(c.now.cells);
  FillAlertLine(panel, facts, histograms.attempt, &d.timeline);
  if (request.quantiles) {
    d.quantiles = QuantileRows(source, facts, histograms, d.window, d.source.semantics);
  }
  d.queries.insert(d.queries.end(), panel.queries.begin(), panel.queries.end());
  d.alert = panel.verdict;

  const std::vector<Finding> causes = FindCauses(c);
  d.verdict = Judge(c, causes, panel.verdict);
  d.findings = causes;
  if (d.verdict != Verdict::kInsufficientData) {
    for (Finding& remark : FindRemarks(c, d.alert)) d.findings.push_back(std::move(remark));
  }
  d.headline = Headline(d);
  return investigation;
}

}  // namespace schedlens
