#include "diagnose/breakdown/queue.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

using kube::QueueName;

/// Nothing where the sums say that a loop ran for longer than there was time, but for the attempt
/// that an edge of the window cuts.
std::optional<double> LoopBusy(const Facts& facts, const TimeBreakdown& breakdown) {
  constexpr double kCutAttempt = 1.1;
  const double window = breakdown.window.seconds();
  const double busy = LoopSeconds(breakdown);
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

std::optional<double> WaitAPod(const Facts&, const TimeBreakdown& breakdown) {
  return WaitOutsideAttempt(breakdown);
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
    {"pod.wait", "s", BasisKind::kPodLessAttempt, WaitAPod},
    {"pending.active", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kActive>},
    {"pending.backoff", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kBackoff>},
    {"pending.unschedulable", "count", BasisKind::kMeanOfScrapes,
     Pending<QueueName::kUnschedulable>},
    {"pending.gated", "count", BasisKind::kMeanOfScrapes, Pending<QueueName::kGated>},
};

}  // namespace

double LoopSeconds(const TimeBreakdown& breakdown) {
  double seconds = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.parent && kube::RunsInLoop(row.stage)) seconds += breakdown.Seconds(row.stage);
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

/// Whole numbers up to here are exact; no cluster comes near it.
constexpr double kMostPods = 9007199254740992;

std::optional<double> MeanPending(const Facts& facts, QueueName queue, const TimeRange& window) {
  std::optional<double> pods;  // of all replicas: each has a queue of its own
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(queue)) continue;
    double sum = 0, n = 0;
    for (const Sample& sample : series.samples) {
      if (sample.t <= window.start || sample.t > window.end) continue;
      if (!(sample.v >= 0 && sample.v <= kMostPods)) continue;  // no number of pods
      sum += sample.v;
      ++n;
    }
    if (n > 0) pods = pods.value_or(0) + sum / n;
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

}  // namespace schedlens
