#include "diagnose/pipeline/diagnose.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/source.h"
#include "diagnose/alert/panel.h"
#include "diagnose/alert/proof.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/causes/remarks.h"
#include "diagnose/collect/histogram_store.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/quantile.h"
#include "diagnose/pipeline/next_steps.h"
#include "diagnose/pipeline/past_the_door.h"
#include "diagnose/pipeline/stage_tree.h"
#include "diagnose/pipeline/verdict.h"
#include "diagnose/tail/estimate.h"

namespace schedlens {
namespace {

void Recompute(Source& source, AlertPanel& panel, TimeMs at) {
  if (!panel.verdict.shown) return;
  auto redone = RecomputeQuantile(source, panel.asked, Labels(panel.verdict.labels),
                                  *panel.verdict.shown, at);
  if (!redone) return;
  if (!panel.verdict.given) redone->what = Message("recomputed.quantile");
  panel.verdict.recomputed.push_back(std::move(*redone));
}

/// What the release says about a metric that gives the alert no value.
void ExplainSilence(const ReleaseRange& release, AlertVerdict* verdict) {
  if (verdict->shown || verdict->value || verdict->metric.empty()) return;
  const Message why = WhyAbsent(verdict->metric, release);
  if (why.empty()) return;
  verdict->notes.push_back(Message(
      verdict->given ? "alert.silent" : "quantile.silent",
      {{"release", ToString(release)}, {"metric", arg::Metric(verdict->metric)}, {"why", why}}));
}

/// Nothing where nothing is bounded.
StageShares TailEstimates(const Facts& facts, const WindowEvidence& c) {
  if (c.tail.shares.empty()) return {};
  return EstimateTail(TailPopulationsOf(facts.targets, c.now.cells), c.now.breakdown,
                      c.tail.attempts);
}

/// What a server left out could change any answer: then nothing is certain but what the data shows
/// of itself.
void CapWherePartial(Diagnosis* d) {
  if (std::ranges::none_of(d->warnings, IsPartialAnswer)) return;
  for (Finding& finding : d->findings) {
    if (finding.id.starts_with("data.")) continue;
    finding.confidence = std::max(finding.confidence, Confidence::kLikely);
    for (CauseBehind& one : finding.behind) {
      one.confidence = std::max(one.confidence, Confidence::kLikely);
    }
  }
}

}  // namespace

Diagnosis Diagnose(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return Investigate(source, queries, request).diagnosis;
}

Investigation Investigate(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  Investigation investigation = Gather(source, queries, request);
  AskNeighbours(source, queries, &investigation);
  investigation.diagnosis = Conclude(source, investigation);
  WriteNextSteps(queries, investigation, &investigation.diagnosis);
  return investigation;
}

Diagnosis Conclude(Source& source, const Investigation& gathered) {
  Diagnosis d = gathered.diagnosis;
  if (!gathered.evidence) return d;
  const DiagnoseRequest& request = gathered.request;
  const Facts& facts = gathered.facts;
  const Histograms& histograms = gathered.histograms;
  const WindowEvidence& c = *gathered.evidence;
  const NeighbourFacts& neighbours = gathered.neighbours;
  d.queries.insert(d.queries.end(), neighbours.queries.begin(), neighbours.queries.end());
  AddNew(neighbours.warnings, &d.warnings);

  // The alert's value is the server's: at the end that was asked for, unless the incident that was
  // found in the range ended before.
  const TimeRange shown = d.window_found ? d.window : request.window.value_or(d.window);
  AlertPanel panel = ReadAlert(source, facts, histograms, shown, gathered.alert);
  AddNew(panel.warnings, &d.warnings);
  ExplainSilence(DetectRelease(facts), &panel.verdict);
  if (request.recompute) Recompute(source, panel, shown.end);
  d.queries.insert(d.queries.end(), panel.queries.begin(), panel.queries.end());
  d.alert = panel.verdict;

  d.attempts = c.now.breakdown.e2e.count;
  d.e2e_seconds = c.now.breakdown.e2e.seconds;
  d.attempts_needed = c.speed.attempts_needed;
  for (const auto& [result, amount] : c.now.breakdown.by_result) {
    d.results.push_back({std::string(ToString(result)), amount.count, amount.seconds});
  }
  d.warnings.insert(d.warnings.end(), c.now.breakdown.notes.begin(), c.now.breakdown.notes.end());
  for (Message& broken : CheckCounts(facts, c.now.cells, c.now.breakdown)) {
    d.warnings.push_back(std::move(broken));
  }
  d.queue = MeasureQueue(facts, c.now.breakdown, c.baseline ? &c.baseline->breakdown : nullptr);
  for (Message& note : LeadershipNotes(facts, c.now.cells.attempt, d.window)) {
    d.warnings.push_back(std::move(note));
  }
  d.plugins = c.plugins;
  d.stages = StageTree(c, TailEstimates(facts, c));
  d.timeline = MakeTimeline(facts, histograms.attempt, ScrapedRange(facts));
  d.inversion = FindInversion(c.now.cells);
  FillAlertLine(panel, facts, histograms.attempt, &d.timeline);
  d.quantiles = QuantileRows(histograms, c.now.cells, d.source.semantics);

  d.verdict = JudgeVerdict(c, gathered.causes, panel.verdict);
  d.findings = gathered.causes;
  if (d.verdict != Verdict::kInsufficientData) {
    for (Finding& remark : FindRemarks(c, d.alert)) d.findings.push_back(std::move(remark));
  }
  const auto path = MeasurePath(gathered);
  LookPastTheDoor(gathered, path, &d);
  AddSurroundings(gathered, path, &d);
  if (d.impact && d.alert && d.alert->given) {
    d.impact->above_seconds = SecondsAbove(d.timeline, *d.alert, d.window);
  }
  CapWherePartial(&d);
  d.headline = Headline(d);
  return d;
}

}  // namespace schedlens
