// kube-scheduler's metrics, every one of the table by release, and those of its neighbours.

#include "kube/metrics.h"

#include <fmt/format.h>

#include "analysis/glossary/glossary.h"
#include "analysis/glossary/neighbour_texts.h"

namespace schedlens {
namespace {

using kube::Metric;

struct Row {
  Metric metric;
  bool has_traps = false;
};

/// The texts are `metric.NAME.counts` and `metric.NAME.traps`.
constexpr Row kMetricRows[] = {
    {Metric::kE2e, true},
    {Metric::kE2eMicroseconds, true},
    {Metric::kSchedulingLatency, true},
    {Metric::kAttempt, true},
    {Metric::kAlgorithm, true},
    {Metric::kBinding, true},
    {Metric::kExtensionPoint, true},
    {Metric::kPlugin, true},
    {Metric::kPermitWait, true},
    {Metric::kPodDuration, true},
    {Metric::kPodSli, true},
    {Metric::kPodAttempts, true},
    {Metric::kPredicateEvaluation, true},
    {Metric::kPriorityEvaluation, true},
    {Metric::kPreemptionEvaluation, true},
    {Metric::kSchedulingSummary, true},
    {Metric::kVolumeScheduling},
    {Metric::kVolumeErrors},
    {Metric::kVolumeCacheRequests},
    {Metric::kScheduleAttempts},
    {Metric::kPendingPods, true},
    {Metric::kIncomingPods, true},
    {Metric::kUnschedulablePods, true},
    {Metric::kPreemptionAttempts},
    {Metric::kPreemptionAttemptsOld, true},
    {Metric::kVictimsOld, true},
    {Metric::kVictims, true},
    {Metric::kPluginEvaluations, true},
    {Metric::kGoroutinesOld, true},
    {Metric::kGoroutines},
    {Metric::kCacheSizeOld, true},
    {Metric::kCacheSize, true},
    {Metric::kEventHandling, true},
    {Metric::kQueueingHint, true},
    {Metric::kInflightEvents, true},
    {Metric::kPreemptionGoroutines, true},
    {Metric::kPreemptionGoroutineRuns, true},
    {Metric::kAsyncCall, true},
    {Metric::kAsyncCallRuns},
    {Metric::kAsyncPending},
    {Metric::kNodeHint},
    {Metric::kStoreResults, true},
    {Metric::kBatchAttempts, true},
    {Metric::kBatchCacheFlushed},
    {Metric::kResourceClaimCreates},
    {Metric::kScheduledAfterFlush, true},
    {Metric::kPodGroupAttempt, true},
    {Metric::kPodGroupAlgorithm},
    {Metric::kPodGroupAttempts},
    {Metric::kDraWait, true},
    {Metric::kDraAllocations, true},
    {Metric::kRestRequest, true},
    {Metric::kRestLimiter, true},
    {Metric::kRestRequests},
    {Metric::kProcessCpu},
    {Metric::kProcessStart},
    {Metric::kLeader, true},
    {Metric::kBuildInfo},
};

/// The same as others in seconds, off since 1.17: names that the table of metrics does not hold.
constexpr std::string_view kInMicroseconds[] = {
    "scheduler_scheduling_algorithm_latency_microseconds",
    "scheduler_binding_latency_microseconds",
    "scheduler_scheduling_algorithm_predicate_evaluation",
    "scheduler_scheduling_algorithm_priority_evaluation",
    "scheduler_scheduling_algorithm_preemption_evaluation",
};

MetricText TextOf(std::string_view old) {
  const std::string id = fmt::format("metric.{}", old);
  return {std::string(old), "up to 1.16", Message(id + ".counts"), Message(id + ".traps"), {}, {}};
}

MetricText TextOf(const Row& row) {
  const kube::MetricRow& metric = RowOf(row.metric);
  const std::string id = "metric." + std::string(metric.name);
  return {std::string(metric.name),
          ReleasesText(metric),
          Message(id + ".counts"),
          row.has_traps ? Message(id + ".traps") : Message(),
          {},
          {}};
}

MetricText TextOf(const NeighbourText& row) {
  const kube::NeighbourRow& metric = RowOf(row.metric);
  const kube::MetricEra& newest = metric.eras.back();
  return {std::string(metric.name),
          ReleasesText(metric),
          Verbatim(row.population),
          *row.traps == 0 ? Message() : Verbatim(row.traps),
          std::string(ToString(metric.component)),
          fmt::format("{}", fmt::join(newest.labels, ", "))};
}

}  // namespace

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const Row& row : kMetricRows) texts.push_back(TextOf(row));
    for (const std::string_view old : kInMicroseconds) texts.push_back(TextOf(old));
    for (const NeighbourText& row : NeighbourTexts()) texts.push_back(TextOf(row));
    return texts;
  }();
  return all;
}

}  // namespace schedlens
