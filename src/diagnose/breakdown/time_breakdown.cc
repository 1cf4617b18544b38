#include "diagnose/breakdown/time_breakdown.h"

#include "base/not_finite.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;
using kube::QueueName;
using kube::Stage;

/// Points that an attempt which fails after the algorithm has already paid for.
constexpr ExtensionPoint kLatePoints[] = {ExtensionPoint::kReserve, ExtensionPoint::kPermit,
                                          ExtensionPoint::kPreBind, ExtensionPoint::kBind};

/// Whether a stage is an extension point's whole time and lies directly below `parent`.
bool IsPointBelow(const kube::StageRow& row, std::optional<Stage> parent) {
  return row.point && row.parent == parent;
}

Selected SelectFailed(const std::vector<ScrapeIncreases>& cells, ExtensionPoint point) {
  Selected out = SelectPoint(cells, point);
  std::erase_if(out, [](const ScrapeIncreases* c) { return kube::IsSuccess(c->labels); });
  return out;
}

/// Time of attempts that found a node and failed later: in e2e as error or unschedulable, but their
/// parts are in the algorithm and in the points with a status other than Success.
void AddLateFailures(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  breakdown->late_failures = breakdown->points[ExtensionPoint::kUnreserve].count;
  if (breakdown->late_failures <= 0) return;
  const Amount errors = breakdown->by_result.Get(AttemptResult::kError);
  if (errors.count == breakdown->late_failures) {
    breakdown->late_failure_seconds = errors.seconds;
    return;
  }
  double seconds = breakdown->late_failures * breakdown->algorithm.mean();
  for (const ExtensionPoint point : kLatePoints) {
    seconds += Total(SelectFailed(cells.extension_point, point)).seconds;
  }
  for (const ScrapeIncreases& wait : cells.permit_wait) {  // rejected, or waited too long
    if (wait.labels.Get("result") != ToString(kube::StatusCode::kSuccess))
      seconds += TotalSum(wait);
  }
  breakdown->late_failure_seconds = std::min(seconds, breakdown->FailedSeconds());
  breakdown->notes.push_back(
      Message("attempts.late_failures", {{"count", arg::Count(breakdown->late_failures)}}));
}

/// From 1.30 the algorithm is observed for failed attempts too. The counts say so by themselves: it
/// is nearer to all attempts than to those that reached Reserve.
bool AlgorithmCoversFailures(const TimeBreakdown& breakdown) {
  const double early_failures = breakdown.failed() - breakdown.late_failures;
  if (early_failures <= 0) return false;
  const double found = breakdown.points[ExtensionPoint::kReserve].count;
  const double extra = breakdown.algorithm.count - found;
  return extra > early_failures / 2;
}

double SecondsOfAlgorithmPoints(const TimeBreakdown& breakdown) {
  double seconds = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (IsPointBelow(row, Stage::kAlgorithm)) seconds += breakdown.points[*row.point].seconds;
  }
  return seconds;
}

void AddPointsBelow(std::optional<Stage> parent, TimeBreakdown* breakdown) {
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!IsPointBelow(row, parent)) continue;
    breakdown->seconds[row.stage] = breakdown->points[*row.point].seconds;
    breakdown->counts[row.stage] = breakdown->points[*row.point].count;
  }
}

void AddAlgorithm(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const bool has_points = !cells.extension_point.empty();
  if (has_points) AddPointsBelow(Stage::kAlgorithm, breakdown);
  if (cells.algorithm.empty()) {
    // Its points are the part of it that is seen; the rest is in the remainder.
    breakdown->algorithm_from_points = has_points;
    if (has_points) breakdown->seconds[Stage::kAlgorithm] = SecondsOfAlgorithmPoints(*breakdown);
    return;
  }
  const double postfilter = breakdown->points[ExtensionPoint::kPostFilter].seconds;
  double total = breakdown->algorithm.seconds;
  if (breakdown->algorithm_has_failures) {
    total -= postfilter;
  } else {
    total +=
        std::max(0.0, breakdown->FailedSeconds() - postfilter - breakdown->late_failure_seconds);
  }
  breakdown->seconds[Stage::kAlgorithm] = total;
  breakdown->counts[Stage::kAlgorithm] = breakdown->algorithm.count;
  breakdown->seconds[Stage::kAlgorithmUnmeasured] = total - SecondsOfAlgorithmPoints(*breakdown);
}

void AddBind(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const Amount plugins = breakdown->points[ExtensionPoint::kBind];
  const bool has_points = !cells.extension_point.empty();
  auto& seconds = breakdown->seconds;
  auto& counts = breakdown->counts;
  if (has_points) {
    seconds[Stage::kBindPlugins] = plugins.seconds;
    counts[Stage::kBindPlugins] = plugins.count;
  }
  double rest = breakdown->e2e.seconds - breakdown->Seconds(Stage::kAlgorithm) -
                breakdown->Seconds(Stage::kPermitWait) - plugins.seconds;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (IsPointBelow(row, std::nullopt)) rest -= breakdown->Seconds(row.stage);
  }
  if (breakdown->has_binding) {
    const double failed = Total(SelectFailed(cells.extension_point, ExtensionPoint::kBind)).seconds;
    const double bind = breakdown->binding.seconds + failed;
    seconds[Stage::kBind] = bind;
    if (has_points) seconds[Stage::kBindUnmeasured] = bind - plugins.seconds;
    seconds[Stage::kUnmeasured] = rest - (bind - plugins.seconds);
    counts[Stage::kBind] = breakdown->binding.count;
  } else if (breakdown->extender_binds > 0) {
    seconds[Stage::kBind] = plugins.seconds + rest;
    seconds[Stage::kBindUnmeasured] = rest;
    counts[Stage::kBind] = breakdown->points[ExtensionPoint::kPostBind].count;
  } else {
    if (has_points) {
      seconds[Stage::kBind] = plugins.seconds;
      seconds[Stage::kBindUnmeasured] = 0;
      counts[Stage::kBind] = plugins.count;
    }
    seconds[Stage::kUnmeasured] = rest;
  }
  if (cells.attempt.empty()) seconds.erase(Stage::kUnmeasured);
}

/// More PostBind runs than Bind plugins that bound: but for the bindings of each process that an
/// edge of the window cuts.
double BoundByExtender(const WindowIncreases& cells, const TimeBreakdown& breakdown) {
  constexpr double kHair = 0.01;
  const double all = breakdown.points[ExtensionPoint::kPostBind].count;
  const double more = std::max(0.0, all - breakdown.bind_ok.count);
  std::set<std::size_t> processes;
  for (const ScrapeIncreases& child : cells.extension_point) processes.insert(child.target);
  const bool cut = breakdown.bind_ok.count > 0 && more < kHair * all &&
                   more <= 2 * static_cast<double>(processes.size());
  return cut ? 0 : more;
}

/// Attempts without a sum of their own: their stages added up stand for it.
void AddUpStages(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  if (!std::isnan(breakdown->e2e.seconds)) return;
  breakdown->seconds.erase(Stage::kUnmeasured);
  if (cells.algorithm.empty() || cells.extension_point.empty()) return;
  double all = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.parent) all += breakdown->Seconds(row.stage);
  }
  if (std::isnan(all)) return;
  breakdown->e2e.seconds = all;
  breakdown->notes.emplace_back("attempts.no_sum");
}

/// Nothing where the sums say that a loop ran for longer than there was time, but for the attempt
/// that an edge of the window cuts.
std::optional<double> LoopBusy(const Facts& facts, const TimeBreakdown& breakdown) {
  constexpr double kCutAttempt = 1.1;
  const double window = breakdown.window.seconds(), busy = LoopSeconds(breakdown);
  const double loops = static_cast<double>(std::max<std::size_t>(1, facts.targets.size()));
  const bool impossible = std::isnan(busy) || busy > kCutAttempt * loops * window;
  if (!(window > 0) || breakdown.e2e.count < 1 || impossible) return std::nullopt;
  return std::min(loops, busy / window);
}

std::optional<double> AttemptsAPod(const Facts& facts, const TimeBreakdown& breakdown) {
  double attempts = 0, pods = 0;
  for (const CounterIncrease& c : IncreasesOf(facts, "pod_attempts", breakdown.window)) {
    (c.labels.Get(kMetricName).ends_with("_count") ? pods : attempts) += c.increase;
  }
  if (pods < 1) return std::nullopt;
  return attempts / pods;
}

template <QueueName queue>
std::optional<double> Pending(const Facts& facts, const TimeBreakdown& breakdown) {
  return MeanPending(facts, queue, breakdown.window);
}

struct RowKind {
  const char* id;
  const char* unit;
  BasisKind basis;
  std::optional<double> (*measure)(const Facts&, const TimeBreakdown&);
};
constexpr RowKind kRowKinds[] = {
    {"loop.busy", "1", BasisKind::kLoopStages, LoopBusy},
    {"pod.attempts", "1", BasisKind::kPodAttempts, AttemptsAPod},
    {"pod.wait", "s", BasisKind::kPodLessAttempt,
     [](const Facts&, const TimeBreakdown& breakdown) { return WaitOutsideAttempt(breakdown); }},
    {"pending.active", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kActive>},
    {"pending.backoff", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kBackoff>},
    {"pending.unschedulable", "count", BasisKind::kMeanOfScrapes,
     Pending<QueueName::kUnschedulable>},
    {"pending.gated", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kGated>},
};

/// One target's counters, added over children, at each time.
using Counter = std::map<TimeMs, double>;

struct Counters {
  Labels labels;  // of the first child
  Counter seconds, count;
};

void Add(const HistogramSeries& child, Counters* to) {
  if (to->count.empty()) to->labels = child.labels;
  for (std::size_t i = 0; i < child.times.size(); ++i) {
    to->seconds[child.times[i]] += child.sums[i];
    to->count[child.times[i]] += child.Row(i).back();
  }
}

std::map<std::size_t, Counters> ByTarget(const HistogramFacts& histogram,
                                         std::optional<ExtensionPoint> point = {}) {
  std::map<std::size_t, Counters> out;
  for (const HistogramSeries& child : histogram.children) {
    if (point && child.labels.Get("extension_point") != ToString(*point)) continue;
    Add(child, &out[child.target]);
  }
  return out;
}

/// The value at the last time at or before `t`; 0 where there is none after `restart`.
double At(const Counter& counter, TimeMs t, TimeMs restart) {
  const auto after = counter.upper_bound(t);
  if (after == counter.begin() || std::prev(after)->first <= restart) return 0;
  return std::prev(after)->second;
}

}  // namespace

std::vector<const HistogramFacts*> AllOf(const Histograms& h) {
  return {&h.attempt,     &h.algorithm,      &h.binding,   &h.extension_point,
          &h.permit_wait, &h.pod_scheduling, &h.superseded};
}

Histograms GroupAll(const Facts& facts) {
  Histograms out;
  out.attempt = HistogramOf(facts, "attempt");
  out.algorithm = HistogramOf(facts, "algorithm");
  out.binding = HistogramOf(facts, "binding");
  out.extension_point = HistogramOf(facts, "extension_point");
  out.permit_wait = HistogramOf(facts, "permit_wait");
  out.pod_scheduling = HistogramOf(facts, "pod_scheduling");
  out.superseded = GroupByTarget(facts.superseded, facts.targets);
  if (out.attempt.children.empty()) {
    HistogramFacts composed = ComposeAttempts(out);
    composed.warnings = std::move(out.attempt.warnings);
    out.attempt = std::move(composed);
  }
  return out;
}

WindowIncreases CutWindow(const Histograms& histograms, std::span<const Target> targets,
                          const TimeRange& window) {
  return {window,
          CellsOf(histograms.attempt, targets, window),
          CellsOf(histograms.algorithm, targets, window),
          CellsOf(histograms.binding, targets, window),
          CellsOf(histograms.extension_point, targets, window),
          CellsOf(histograms.permit_wait, targets, window),
          CellsOf(histograms.pod_scheduling, targets, window),
          CellsOf(histograms.superseded, targets, window)};
}

Selected Select(const std::vector<ScrapeIncreases>& cells, std::string_view label,
                std::string_view value) {
  Selected out;
  for (const ScrapeIncreases& c : cells) {
    if (label.empty() || c.labels.Get(label) == value) out.push_back(&c);
  }
  return out;
}

Selected SelectPoint(const std::vector<ScrapeIncreases>& cells, ExtensionPoint point) {
  return Select(cells, "extension_point", ToString(point));
}

Amount Total(const Selected& cells) {
  Amount amount;
  for (const ScrapeIncreases* c : cells) amount += {TotalCount(*c), TotalSum(*c)};
  return amount;
}

Amount Total(const std::vector<ScrapeIncreases>& cells) { return Total(Select(cells, "", "")); }

bool HasBuckets(const std::vector<ScrapeIncreases>& cells) {
  return std::ranges::any_of(cells, [](const ScrapeIncreases& c) { return c.bounds.size() > 1; });
}

double TimeBreakdown::scheduled() const { return by_result.Get(AttemptResult::kScheduled).count; }

double TimeBreakdown::failed() const { return e2e.count - scheduled(); }

double TimeBreakdown::FailedSeconds() const {
  double failed = 0;
  for (const auto& [result, amount] : by_result) {
    if (result != AttemptResult::kScheduled) failed += amount.seconds;
  }
  return failed;
}

TimeBreakdown BreakDownTime(const WindowIncreases& cells) {
  TimeBreakdown breakdown;
  breakdown.window = cells.window;
  breakdown.e2e = Total(cells.attempt);
  for (const ScrapeIncreases& c : cells.attempt) {
    breakdown.by_result[kube::ResultOf(c.labels)] += {TotalCount(c), TotalSum(c)};
  }
  for (const ScrapeIncreases& c : cells.extension_point) {
    const auto point = kube::Parse<ExtensionPoint>(c.labels.Get("extension_point"));
    if (!point) continue;  // newer than the table, or of another program
    breakdown.points[*point] += {TotalCount(c), TotalSum(c)};
    if (point == ExtensionPoint::kBind && kube::IsSuccess(c.labels)) {
      breakdown.bind_ok += {TotalCount(c), TotalSum(c)};
    }
  }
  breakdown.algorithm = Total(cells.algorithm);
  breakdown.binding = Total(cells.binding);
  breakdown.permit_wait = Total(cells.permit_wait);
  breakdown.pod_scheduling = Total(cells.pod_scheduling);
  breakdown.has_binding = !cells.binding.empty();
  AddLateFailures(cells, &breakdown);
  breakdown.algorithm_has_failures = AlgorithmCoversFailures(breakdown);
  if (!cells.extension_point.empty()) {
    breakdown.extender_binds = BoundByExtender(cells, breakdown);
  }
  AddAlgorithm(cells, &breakdown);
  if (!cells.extension_point.empty()) AddPointsBelow(std::nullopt, &breakdown);
  breakdown.seconds[Stage::kPermitWait] = breakdown.permit_wait.seconds;
  breakdown.counts[Stage::kPermitWait] = breakdown.permit_wait.count;
  AddBind(cells, &breakdown);
  AddUpStages(cells, &breakdown);
  return breakdown;
}

double RunsOf(const TimeBreakdown& breakdown, Stage stage) {
  const double count = breakdown.counts.Get(stage);
  return count > 0 ? count : breakdown.e2e.count;
}

StageChanges CompareBreakdowns(const TimeBreakdown& now, const TimeBreakdown& baseline) {
  StageChanges changes;
  if (baseline.scheduled() <= 0) return changes;
  const double scale = now.scheduled() / baseline.scheduled();
  for (const auto& [stage, seconds] : now.seconds) {
    const double before = baseline.Seconds(stage) * scale;
    const double n1 = RunsOf(now, stage), n0 = RunsOf(baseline, stage) * scale;
    const double m1 = n1 > 0 ? seconds / n1 : 0;
    const double m0 = n0 > 0 ? before / n0 : m1;
    changes[stage] = {seconds - before, (n1 - n0) * (m1 + m0) / 2, (m1 - m0) * (n1 + n0) / 2};
  }
  return changes;
}

std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window) {
  std::map<std::pair<std::string, std::string>, Amount> amounts;
  std::map<std::string, double> seconds_of_point;
  for (const CounterIncrease& c : IncreasesOf(facts, "plugin_execution", window)) {
    const std::string point(c.labels.Get("extension_point"));
    Amount& amount = amounts[{point, std::string(c.labels.Get("plugin"))}];
    if (c.labels.Get(kMetricName).ends_with("_count")) {
      amount.count += c.increase;
    } else {
      amount.seconds += c.increase;
      seconds_of_point[point] += c.increase;
    }
  }
  std::vector<PluginRow> rows;
  for (const auto& [key, amount] : amounts) {
    if (amount.count <= 0) continue;
    const double all = seconds_of_point[key.first];
    PluginRow row{key.first, key.second, amount.count, amount.mean(), {}};
    if (all > 0) row.wall_share = Estimated(amount.seconds / all, "1", BasisKind::kLossySample);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, [](const PluginRow& a, const PluginRow& b) {
    if (a.extension_point != b.extension_point) return a.extension_point < b.extension_point;
    return a.wall_share.value.value_or(0) > b.wall_share.value.value_or(0);
  });
  return rows;
}

double LoopSeconds(const TimeBreakdown& breakdown) {
  double seconds = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.parent && RunsInLoop(row.stage)) seconds += breakdown.Seconds(row.stage);
  }
  return seconds;
}

std::optional<double> WaitOutsideAttempt(const TimeBreakdown& breakdown) {
  const Amount bound = breakdown.by_result.Get(kube::AttemptResult::kScheduled);
  const Amount& pods = breakdown.pod_scheduling;
  // A restart or a missing scrape breaks the pairs; then the difference means nothing.
  const double outside = pods.seconds - bound.seconds;  // NaN where a sum is missing
  if (pods.count < 1 || pods.count != bound.count || std::isnan(outside)) return std::nullopt;
  return std::max(0.0, outside) / pods.count;
}

std::optional<double> MeanIn(const Series& gauge, const TimeRange& window) {
  double sum = 0, n = 0;
  for (const Sample& sample : gauge.samples) {
    if (sample.t <= window.start || sample.t > window.end) continue;
    if (!(sample.v >= 0 && sample.v <= kMostCounted)) continue;  // no number of pods
    sum += sample.v;
    ++n;
  }
  return n > 0 ? std::optional(sum / n) : std::nullopt;
}

std::optional<double> MeanPending(const Facts& facts, QueueName queue, const TimeRange& window) {
  std::optional<double> pods;  // of all replicas: each has a queue of its own
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(queue)) continue;
    if (const auto mean = MeanIn(series, window)) pods = pods.value_or(0) + *mean;
  }
  return pods;
}

std::vector<QueueRow> MeasureQueue(const Facts& facts, const TimeBreakdown& breakdown,
                                   const TimeBreakdown* baseline) {
  std::vector<QueueRow> rows;
  for (const RowKind& kind : kRowKinds) {
    const auto now = kind.measure(facts, breakdown);
    if (!now) continue;
    QueueRow row{kind.id, Estimated(*now, kind.unit, kind.basis), std::nullopt};
    if (baseline != nullptr) {
      if (const auto before = kind.measure(facts, *baseline)) {
        row.baseline = Estimated(*before, kind.unit, kind.basis);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

HistogramFacts ComposeAttempts(const Histograms& histograms) {
  HistogramFacts out;
  if (histograms.algorithm.children.empty() || histograms.extension_point.children.empty()) {
    return out;
  }
  std::vector<std::map<std::size_t, Counters>> parts = {ByTarget(histograms.permit_wait)};
  for (const ExtensionPoint point :
       {ExtensionPoint::kReserve, ExtensionPoint::kPermit, ExtensionPoint::kPreBind}) {
    parts.push_back(ByTarget(histograms.extension_point, point));
  }
  const bool binding = !histograms.binding.children.empty();
  parts.push_back(binding ? ByTarget(histograms.binding)
                          : ByTarget(histograms.extension_point, ExtensionPoint::kBind));
  const auto bound = ByTarget(histograms.extension_point, ExtensionPoint::kPostBind);
  const auto& ended = bound.empty() ? parts.back() : bound;
  for (const auto& [target, algorithm] : ByTarget(histograms.algorithm)) {
    const auto count = ended.find(target);
    if (count == ended.end()) continue;
    HistogramSeries series;
    series.labels =
        ProcessOf(algorithm.labels).With("result", ToString(kube::AttemptResult::kScheduled));
    series.target = target;
    series.bounds = {INFINITY};
    TimeMs before = INT64_MIN, restart = INT64_MIN;
    double attempts = 0;
    for (const auto& [t, seconds] : algorithm.seconds) {
      // What the process before counted is not of this one.
      const double now = At(algorithm.count, t, INT64_MIN);
      if (now < attempts) restart = before;
      attempts = now;
      before = t;
      double sum = seconds;
      for (const auto& part : parts) {
        const auto it = part.find(target);
        if (it != part.end()) sum += At(it->second.seconds, t, restart);
      }
      const double n = At(count->second.count, t, restart);
      series.times.push_back(t);
      series.cumulative.push_back(n);
      series.counts.push_back(n);
      series.sums.push_back(sum);
    }
    out.Add(std::move(series));
  }
  return out;
}

}  // namespace schedlens
