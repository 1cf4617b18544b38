// kube-scheduler's metrics, every one of the table by release, and those of API servers, etcd and
// kube-state-metrics that a diagnosis reads.

#include "kube/metrics.h"

#include <fmt/format.h>

#include "diagnose/explain/glossary.h"

namespace schedlens {
namespace {

/// The same as others in seconds, off since 1.17: names that the table of metrics does not hold.
constexpr std::string_view kInMicroseconds[] = {
    "scheduler_scheduling_algorithm_latency_microseconds",
    "scheduler_binding_latency_microseconds",
    "scheduler_scheduling_algorithm_predicate_evaluation",
    "scheduler_scheduling_algorithm_priority_evaluation",
    "scheduler_scheduling_algorithm_preemption_evaluation",
};

/// In the order in which they are listed, by what they are of.
std::vector<std::vector<kube::Metric>> OfScheduler() {
  using enum kube::Metric;
  return {{kE2e, kE2eMicroseconds, kSchedulingLatency, kAttempt, kAlgorithm, kBinding},
          {kExtensionPoint, kPlugin, kPermitWait, kPodDuration, kPodSli, kPodAttempts},
          {kPredicateEvaluation, kPriorityEvaluation, kPreemptionEvaluation, kSchedulingSummary},
          {kVolumeScheduling, kVolumeErrors, kVolumeCacheRequests, kScheduleAttempts},
          {kPendingPods, kIncomingPods, kUnschedulablePods, kPreemptionAttempts},
          {kPreemptionAttemptsOld, kVictimsOld, kVictims, kPluginEvaluations, kGoroutinesOld},
          {kGoroutines, kCacheSizeOld, kCacheSize, kEventHandling, kQueueingHint, kInflightEvents},
          {kPreemptionGoroutines, kPreemptionGoroutineRuns, kAsyncCall, kAsyncCallRuns},
          {kAsyncPending, kNodeHint, kStoreResults, kBatchAttempts, kBatchCacheFlushed},
          {kResourceClaimCreates, kScheduledAfterFlush, kPodGroupAttempt, kPodGroupAlgorithm},
          {kPodGroupAttempts, kDraWait, kDraAllocations, kRestRequest, kRestLimiter},
          {kRestRequests, kProcessCpu, kProcessStart, kLeader, kBuildInfo}};
}

}  // namespace

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const auto& row : OfScheduler()) {
      for (const kube::Metric metric : row) {
        texts.push_back({std::string(NameOf(metric)), ReleasesText(RowOf(metric)), {}, {}});
      }
    }
    for (const std::string_view old : kInMicroseconds) {
      texts.push_back({std::string(old), "up to 1.16", {}, {}});
    }
    for (const kube::MetricRow& row : kube::NeighbourTable()) {
      if (row.id == kube::Metric::kCount) continue;  // only `lint` reads it
      texts.push_back({std::string(row.name), ReleasesText(row),
                       std::string(ToString(row.component)),
                       fmt::format("{}", fmt::join(row.eras.back().labels, ", "))});
    }
    return texts;
  }();
  return all;
}

}  // namespace schedlens
