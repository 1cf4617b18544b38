#include "diagnose/pipeline/diagnose.h"

#include "base/work_budget.h"
#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/quantile.h"
#include "diagnose/pipeline/verdict.h"
#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

using kube::Stage;

void Recompute(Source& source, AlertPanel& panel, TimeMs at) {
  if (!panel.verdict.shown) return;
  auto redone = RecomputeQuantile(source, panel.asked, Labels(panel.verdict.labels),
                                  *panel.verdict.shown, at);
  if (!redone) return;
  if (!panel.verdict.given) redone->what = Message("recomputed.quantile");
  panel.verdict.recomputed.push_back(std::move(*redone));
}

/// Of a page whose counters are taken since its process started, that is said first.
Message SinceTheStart(const SourceInfo& source, Message headline) {
  const auto since = std::ranges::find(source.warnings, "source.since_start", &Message::id);
  if (since == source.warnings.end()) return headline;
  return Message("headline.since_start", {since->args.front(), {"headline", std::move(headline)}});
}

/// Of an incident that is not what the alert is about (`elsewhere`), or while it does not fire.
Message BesideTheAlert(const Diagnosis& d, bool elsewhere, Message headline) {
  const bool quiet = d.verdict == Verdict::kIncident && d.alert && d.alert->given &&
                     std::isnan(d.alert->quantile) && d.alert->fires.state == FiresState::kNo;
  if (!elsewhere && !quiet) return headline;
  return Message(elsewhere ? "headline.elsewhere" : "headline.not_firing",
                 {{"headline", std::move(headline)}});
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

/// Nothing is surer but what the data shows of itself.
void CapAt(Confidence most, std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    if (finding.id.starts_with("data.")) continue;
    finding.confidence = std::max(finding.confidence, most);
    for (CauseBehind& one : finding.behind) one.confidence = std::max(one.confidence, most);
  }
}

/// What a server left out, or counted twice, could change any answer; and certain is who is sure
/// that it is an incident, too: not where there was no calm to see. Of an alert that is about
/// something else (`elsewhere`) no cause is likely.
void CapFindings(bool standing, bool elsewhere, Diagnosis* d) {
  const bool partial = std::ranges::any_of(d->warnings, IsPartialAnswer);
  const bool twice =
      std::ranges::find(d->warnings, "counts.twice", &Message::id) != d->warnings.end();
  if (partial || twice || standing) CapAt(Confidence::kLikely, &d->findings);
  if (elsewhere) CapAt(Confidence::kPossible, &d->findings);
}

/// An episode that is listed, judged as the reported one is, from what is at hand.
void JudgeListed(const Investigation& gathered, const EpisodeSpan& span, bool elsewhere,
                 const Diagnosis& reported, Episode* episode) {
  CheckBudget();
  const Facts& facts = gathered.facts;
  const Histograms& histograms = gathered.histograms;
  std::optional<Measurement> before = gathered.evidence->baseline;
  if (before && span.baseline && *span.baseline != before->breakdown.window) {
    before = Measure(facts, histograms, *span.baseline);
  }
  WindowEvidence c = MakeWindowEvidence(facts, histograms, Measure(facts, histograms, span.when),
                                        std::move(before), gathered.alert.ThresholdInSeconds(),
                                        gathered.request.bound_tail);
  NoteHurt(span, &c);
  const PodLedger pods = MeasurePods(facts, histograms, gathered.control_plane, c);
  Diagnosis alone;
  alone.verdict = Verdict::kIncident;
  alone.warnings = reported.warnings;
  alone.findings = WithPods(pods, FindCauses(c), !c.contradictions.empty());
  LookPastTheDoor(gathered, c, MeasurePath(gathered, c), &alone);
  CapFindings(c.standing, elsewhere, &alone);
  episode->holders = HoldersOf(pods);
  episode->chain = ChainOf(pods, span.when, alone.findings);
  alone.episodes.push_back(*episode);
  alone.episodes.front().reported = true;
  episode->headline = Headline(alone);
  episode->findings = std::move(alone.findings);
}

void JudgeEpisodes(const Investigation& gathered, bool elsewhere, Diagnosis* d) {
  for (const EpisodeSpan& span : gathered.listed) {
    const auto told = std::ranges::find(d->episodes, span.when, &Episode::window);
    if (told != d->episodes.end()) JudgeListed(gathered, span, elsewhere, *d, &*told);
  }
  FinishEpisodes(d);
}

/// Between two scrapes, at most: so long after it was scheduled a pod is seen.
constexpr TimeMs kLongestScrapeInterval = 60'000;
/// Findings for which who created the pods before is asked too.
constexpr std::string_view kOfLoad[] = {"attempts.unschedulable", "bind.client-throttling",
                                        "queue.backlog"};

/// When pods are of interest. A cluster has so many of them that asking a server for more is felt.
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
  if (!d.source.extent) return range;
  for (const EpisodeSpan& span : gathered.listed) {
    range.start = std::min(range.start, span.when.start);
    range.end = std::max(range.end, span.when.end + kLongestScrapeInterval);
  }
  return range;
}

/// What ran at an edge has a part of its time on either side: a sum is exact, its share of the time
/// of the attempts that ended in the window lies between the sum without what belongs to later
/// attempts and the sum with what these attempts had before.
Measured ShareAcrossEdges(const WindowEvidence& c, Stage stage, double seconds) {
  const double all = c.now.breakdown.e2e.seconds;
  if (!c.tail.across || !c.tail.across->after.contains(stage)) {
    return Estimated(seconds / all, "1", BasisKind::kSums);
  }
  const double low = std::max(0.0, seconds - c.tail.across->after.Get(stage));
  const double high = std::min(all, seconds + c.tail.across->before.Get(stage));
  return Bounded(low / all, seconds / all, high / all, "1", BasisKind::kEdges);
}

/// Nothing where the sums make a part larger than its whole, or less than nothing.
Measured ShareOf(const WindowEvidence& c, const Measured& seconds,
                 std::optional<Stage> stage = {}) {
  const double all = c.now.breakdown.e2e.seconds;
  const bool known = all > 0 && seconds.value;
  const bool impossible = known && (*seconds.value > all || *seconds.value < 0);
  if (!known || (impossible && !c.contradictions.empty())) {
    return {std::nullopt, std::nullopt, std::nullopt, "1", {}};
  }
  Measured share = seconds;
  share.unit = "1";
  for (auto* end : {&share.value, &share.low, &share.high}) {
    if (*end) **end = std::min(1.0, **end / all);
  }
  if (stage && c.in_flight > 0 && share.basis.kind == BasisKind::kExact) {
    return ShareAcrossEdges(c, *stage, *seconds.value);
  }
  return share;
}

bool IsRemainder(Stage stage) {
  return stage == Stage::kAlgorithmUnmeasured || stage == Stage::kBindUnmeasured ||
         stage == Stage::kUnmeasured;
}

/// Sums are exact. A difference of sums is an estimate: attempts that straddle the window's edges
/// have some of their stages outside of it.
Measured SecondsOf(const WindowEvidence& c, Stage stage) {
  const TimeBreakdown& now = c.now.breakdown;
  if (stage == Stage::kBindThrottle || stage == Stage::kBindRequest) {
    if (!c.limiter || !now.seconds.contains(Stage::kBindPlugins))
      return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
    const double bind = now.Seconds(Stage::kBindPlugins);
    return stage == Stage::kBindThrottle
               ? Bounded(c.limiter->low, c.limiter->value, c.limiter->high, "s",
                         BasisKind::kRateLimiter)
               : Bounded(bind - c.limiter->high, bind - c.limiter->value, bind - c.limiter->low,
                         "s", BasisKind::kRateLimiter);
  }
  const double* seconds = now.seconds.Find(stage);
  if (seconds == nullptr || std::isnan(*seconds)) {
    return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
  }
  if (stage == Stage::kAlgorithm && now.algorithm_from_points) {
    const double rest =
        std::max(0.0, now.Seconds(Stage::kUnmeasured) + now.Seconds(Stage::kBindUnmeasured));
    return Bounded(*seconds, *seconds, *seconds + rest, "s", BasisKind::kExtensionPoints);
  }
  const bool joined = stage == Stage::kAlgorithm && now.failed() > 0 && !now.algorithm_has_failures;
  if (IsRemainder(stage) || joined) return Estimated(*seconds, "s", BasisKind::kSumDifference);
  return Exact(*seconds, "s");
}

Message MeasuredBy(const WindowEvidence& c, const kube::StageRow& row) {
  const TimeBreakdown& now = c.now.breakdown;
  switch (row.stage) {
    case Stage::kAlgorithm:
      if (now.algorithm_from_points) return Message("measured_by.algorithm.points");
      if (now.algorithm_has_failures) return Verbatim("scheduling_algorithm - EP{PostFilter}");
      return Message("measured_by.algorithm");
    case Stage::kAlgorithmUnmeasured:
      return Message("measured_by.algorithm.rest");
    case Stage::kBind:
      if (now.has_binding) return Message("measured_by.bind");
      return Verbatim(now.extender_binds > 0 ? "EP{Bind} + bind.unmeasured" : "EP{Bind}");
    case Stage::kBindThrottle:
      return Message("measured_by.limiter");
    case Stage::kBindRequest:
      return Message("measured_by.request");
    case Stage::kBindUnmeasured:
      if (now.has_binding || now.extender_binds <= 0) break;
      return Message("measured_by.bind.rest");
    case Stage::kUnmeasured:
      return Message("measured_by.e2e.rest");
    default:
      break;
  }
  return Verbatim(std::string(row.measured_by));
}

/// The histogram that a stage is measured by; empty for a remainder.
Selected HistogramOfStage(const WindowIncreases& cells, Stage stage) {
  if (stage == Stage::kAlgorithm) return Select(cells.algorithm, "", "");
  if (stage == Stage::kBind) return Select(cells.binding, "", "");
  if (stage == Stage::kPermitWait) return Select(cells.permit_wait, "", "");
  const auto point = RowOf(stage).point;
  return point ? SelectPoint(cells.extension_point, *point) : Selected{};
}

bool IsSaturated(const WindowEvidence& c, Stage stage) {
  double open = 0, all = 0;
  for (const ScrapeIncreases* child : HistogramOfStage(c.now.cells, stage)) {
    if (child->bounds.size() < 2) continue;  // without buckets there is no top one
    const auto total = TotalBuckets(*child);
    if (total.size() > 1) open += total.back();
    all += TotalCount(*child);
  }
  return all > 0 && open > 0.01 * all;
}

/// Of the attempts over the alert's threshold, those in which this stage alone was over it: since
/// e2e >= stage, each stage over it is an attempt over it. Exact where the threshold is a bound of
/// both histograms, an interval elsewhere.
std::optional<Measured> SufficientOf(const WindowEvidence& c, Stage stage) {
  if (!c.threshold) return std::nullopt;
  const auto children = HistogramOfStage(c.now.cells, stage);
  if (children.empty()) return std::nullopt;
  CountBounds slow{0, 0};
  for (const ScrapeIncreases* child : children) AddBounds(CountAbove(*child, *c.threshold), &slow);
  const CountBounds attempts = CountAbove(c.now.cells.attempt, *c.threshold);
  if (!(attempts.low > 0)) return std::nullopt;
  const double low = std::min(1.0, slow.low / attempts.high);
  const double high = std::min(1.0, slow.high / attempts.low);
  return Bounded(low, (low + high) / 2, high, "1", BasisKind::kCountsOverThreshold);
}

/// Of the slowest attempts' time: proven bounds, and inside them an estimate where there is one.
Measured TailShareOf(const TailShare& bounds, const double* estimate) {
  if (estimate == nullptr) {
    return {std::nullopt, bounds.low, bounds.high, "1", BasisKind::kAnyPairing};
  }
  return {std::min(std::max(*estimate, bounds.low), bounds.high), bounds.low, bounds.high, "1",
          BasisKind::kReconstruction};
}

/// Of the baseline; empty where it does not tell.
std::optional<double> SecondsBefore(const WindowEvidence& c, Stage stage) {
  const TimeBreakdown& before = c.baseline->breakdown;
  if (stage == Stage::kBindThrottle || stage == Stage::kBindRequest) {
    if (!c.limiter_baseline) return std::nullopt;
    const double waited = c.limiter_baseline->value;
    return stage == Stage::kBindThrottle ? waited : before.Seconds(Stage::kBindPlugins) - waited;
  }
  const double* seconds = before.seconds.Find(stage);
  return seconds == nullptr || std::isnan(*seconds) ? std::nullopt : std::optional(*seconds);
}

StageTime MakeStage(const WindowEvidence& c, const kube::StageRow& row,
                    const StageShares& tail_estimates) {
  const TimeBreakdown& now = c.now.breakdown;
  StageTime stage;
  stage.id = row.id;
  if (row.parent) stage.parent = ToString(*row.parent);
  stage.seconds = SecondsOf(c, row.stage);
  stage.share = ShareOf(c, stage.seconds, row.stage);
  stage.measured_by = MeasuredBy(c, row);
  stage.population = row.population;
  stage.saturated = IsSaturated(c, row.stage);
  stage.sufficient = SufficientOf(c, row.stage);
  if (const double* count = now.counts.Find(row.stage)) stage.observations = *count;
  if (const StageChange* change = c.change.Find(row.stage); change && stage.seconds.value) {
    stage.excess = Estimated(change->excess, "s", BasisKind::kBaseline);
    stage.excess_mix = Estimated(change->mix, "s", BasisKind::kMoreObservations);
    stage.excess_cost = Estimated(change->cost, "s", BasisKind::kCostlierObservations);
  }
  if (const TailShare* share = c.tail.shares.Find(row.stage)) {
    stage.tail_time_share = TailShareOf(*share, tail_estimates.Find(row.stage));
  }
  if (c.baseline) {
    const TimeBreakdown& before = c.baseline->breakdown;
    if (const std::optional<double> seconds = SecondsBefore(c, row.stage)) {
      stage.baseline_seconds = *seconds;
      const bool possible =
          (*seconds >= 0 && *seconds <= before.e2e.seconds) || c.contradictions.empty();
      if (before.e2e.seconds > 0 && possible) {
        stage.baseline_share = std::min(1.0, *seconds / before.e2e.seconds);
      }
    }
  }
  return stage;
}

StageTime PluginStage(const WindowEvidence& c, const StageTime& parent, const PluginRow& row) {
  StageTime stage;
  stage.id = fmt::format("{}/{}", parent.id, row.plugin);
  stage.parent = parent.id;
  stage.seconds =
      Estimated(*parent.seconds.value * *row.wall_share.value, "s", row.wall_share.basis);
  stage.share = ShareOf(c, stage.seconds);
  stage.measured_by = Message("measured_by.plugin");
  stage.population = "about 10 % of cycles, then a lossy buffer";
  stage.observations = row.observations;
  return stage;
}

constexpr std::size_t kMostColumns = 240;
constexpr double kUnknown = NAN;

/// The value of each matching gauge at the end of each column, added up over series.
std::vector<double> GaugeAt(const std::vector<Series>& gauges, std::string_view label,
                            std::string_view value, const std::vector<TimeMs>& times) {
  std::vector<double> out(times.size(), kUnknown);
  for (const Series& series : gauges) {
    if (!label.empty() && series.labels.Get(label) != value) continue;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto it = std::ranges::upper_bound(series.samples, times[i], {}, &Sample::t);
      if (it == series.samples.begin() || std::isnan((it - 1)->v)) continue;
      out[i] = (std::isnan(out[i]) ? 0 : out[i]) + (it - 1)->v;
    }
  }
  return out;
}

/// The alert's value is the server's: at the end that was asked for, unless the incident that was
/// found in the range, or what was scraped, ended before.
TimeRange ShownOver(const Investigation& gathered) {
  const DiagnoseRequest& request = gathered.request;
  const Diagnosis& d = gathered.diagnosis;
  if (!d.window_found) return request.window.value_or(d.window);
  TimeRange shown = d.window;
  const TimeMs last = ScrapedRange(gathered.facts).end;
  const bool lasts =
      shown.end >= last && request.at && *request.at <= last + kLongestScrapeInterval;
  if (lasts) shown.end = std::max(shown.end, *request.at);
  return shown;
}

}  // namespace

Diagnosis Diagnose(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  return Investigate(source, queries, request).diagnosis;
}

Investigation Investigate(Source& source, const QuerySet& queries, const DiagnoseRequest& request) {
  Investigation investigation = Gather(source, queries, request);
  AskControlPlane(source, queries, &investigation);
  investigation.diagnosis = Conclude(source, investigation);
  WriteNextSteps(queries, investigation, &investigation.diagnosis);
  return investigation;
}

Diagnosis Conclude(Source& source, const Investigation& gathered) {
  Diagnosis d = gathered.diagnosis;
  if (!gathered.evidence) return d;
  const Facts& facts = gathered.facts;
  const Histograms& histograms = gathered.histograms;
  const WindowEvidence& c = *gathered.evidence;
  const ControlPlaneFacts& control_plane = gathered.control_plane;
  d.queries.insert(d.queries.end(), control_plane.queries.begin(), control_plane.queries.end());
  AddNew(control_plane.warnings, &d.warnings);

  const TimeRange shown = ShownOver(gathered);
  AlertPanel panel = ReadAlert(source, facts, histograms, shown, gathered.alert);
  AddNew(panel.warnings, &d.warnings);
  ExplainSilence(DetectRelease(facts), &panel.verdict);
  if (gathered.request.recompute) Recompute(source, panel, shown.end);
  for (const AskedQuery& one : panel.queries) NoteQuery(one, &d.queries);
  d.alert = panel.verdict;

  d.attempts = c.now.breakdown.e2e.count;
  d.e2e_seconds = c.now.breakdown.e2e.seconds;
  d.attempts_needed = c.speed.attempts_needed;
  for (const auto& [result, amount] : c.now.breakdown.by_result) {
    d.results.push_back({std::string(ToString(result)), amount.count, amount.seconds});
  }
  d.warnings.insert(d.warnings.end(), c.now.breakdown.notes.begin(), c.now.breakdown.notes.end());
  AddNew(CheckCounts(facts, c.now.cells, c.now.breakdown), &d.warnings);
  d.queue = MeasureQueue(facts, c.now.breakdown, c.baseline ? &c.baseline->breakdown : nullptr);
  AddNew(LeadershipNotes(facts, c.now.cells.attempt, d.window), &d.warnings);
  d.plugins = c.plugins;
  d.stages = StageTree(c, TailEstimates(facts, c));
  d.timeline = MakeTimeline(facts, histograms.attempt, ScrapedRange(facts));
  d.inversion = FindInversion(c.now.cells);
  FillAlertLine(panel, facts, histograms.attempt, &d.timeline);
  d.quantiles = QuantileRows(histograms, c.now.cells, d.source.semantics);

  d.verdict = JudgeVerdict(c, panel.verdict);
  d.findings = gathered.causes;
  const PodLedger pods = MeasurePods(facts, histograms, control_plane, c);
  JudgePods(pods, !c.contradictions.empty(), &d);
  if (d.verdict == Verdict::kIncident) d.pods = SlowestPods(control_plane, d.window, pods.absences);
  if (d.verdict != Verdict::kInsufficientData) {
    for (Finding& remark : FindRemarks(c, d.alert)) d.findings.push_back(std::move(remark));
  }
  const auto path = MeasurePath(gathered, c);
  LookPastTheDoor(gathered, c, path, &d);
  AddSurroundings(gathered, path, &d);
  if (d.impact && d.alert && d.alert->given) {
    d.impact->above_seconds = SecondsAbove(d.timeline, *d.alert, d.window);
  }
  const bool elsewhere =
      panel.own && !IsAboutControlPlane(*panel.asked.ast, facts, gathered.request.firing);
  CapFindings(c.standing, elsewhere, &d);
  if (d.verdict == Verdict::kIncident) d.chain = ChainOf(pods, d.window, d.findings);
  d.headline = BesideTheAlert(d, elsewhere, SinceTheStart(d.source, Headline(d)));
  JudgeEpisodes(gathered, elsewhere, &d);
  return d;
}

void AskControlPlane(Source& source, const QuerySet& queries, Investigation* gathered) {
  if (!gathered->evidence || !gathered->request.control_plane) return;
  gathered->control_plane =
      CollectControlPlane(source, queries, gathered->facts, RangeOfPods(*gathered));
}

std::vector<StageTime> StageTree(const WindowEvidence& c, const StageShares& tail_estimates) {
  std::vector<StageTime> tree;
  for (const kube::StageRow& row : kube::kStageTable) {
    const StageTime stage = MakeStage(c, row, tail_estimates);
    tree.push_back(stage);
    if (!row.point || !stage.seconds.value) continue;
    for (const PluginRow& plugin : c.plugins) {
      if (plugin.extension_point != ToString(*row.point) || !plugin.wall_share.value) continue;
      tree.push_back(PluginStage(c, stage, plugin));
    }
  }
  return tree;
}

Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range) {
  Timeline timeline;
  const std::vector<ScrapeIncreases> cells = CellsOf(attempt, facts.targets, range);
  const std::vector<TimeMs> edges = ColumnEdges(facts, cells, range, kMostColumns);
  if (edges.size() < 2) return timeline;
  timeline.times.assign(edges.begin() + 1, edges.end());
  const std::size_t columns = timeline.times.size();
  timeline.bounds = UnionOfBounds(cells);
  if (!timeline.bounds.empty()) {
    timeline.e2e.assign(columns, std::vector<double>(timeline.bounds.size(), 0.0));
  }
  timeline.scheduled = timeline.failed = std::vector<double>(columns, 0.0);
  for (const ScrapeIncreases& c : cells) {
    const bool failed = !kube::IsScheduled(c.labels);
    for (std::size_t i = 0; i < c.cells(); ++i) {
      const std::size_t column = ColumnOf(edges, c.edges[i + 1]);
      const auto row = c.Buckets(i);
      for (std::size_t b = 0; b < row.size(); ++b) {
        const auto at = std::ranges::lower_bound(timeline.bounds, c.bounds[b]);
        timeline.e2e[column][static_cast<std::size_t>(at - timeline.bounds.begin())] += row[b];
      }
      (failed ? timeline.failed : timeline.scheduled)[column] += c.Count(i);
    }
  }
  using kube::QueueName;
  const auto& pending = facts.Of("pending_pods");
  const auto in_queue = [&](QueueName queue) {
    return GaugeAt(pending, "queue", ToString(queue), timeline.times);
  };
  timeline.pending_active = in_queue(QueueName::kActive);
  timeline.pending_backoff = in_queue(QueueName::kBackoff);
  timeline.pending_unschedulable = in_queue(QueueName::kUnschedulable);
  timeline.pending_gated = in_queue(QueueName::kGated);
  timeline.binding = GaugeAt(facts.Of("goroutines"), "", "", timeline.times);
  timeline.shown = timeline.low = timeline.high = std::vector<double>(columns, kUnknown);
  return timeline;
}

}  // namespace schedlens
