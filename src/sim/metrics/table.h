#ifndef SCHEDLENS_SIM_METRICS_TABLE_H_
#define SCHEDLENS_SIM_METRICS_TABLE_H_

// Every metric that kube-scheduler exports, as a table: names, labels, buckets, releases.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens::sim {

enum class Metric {
  kE2e,
  kAttempt,
  kAlgorithm,
  kBinding,
  kExtensionPoint,
  kPlugin,
  kPermitWait,
  kPodDuration,
  kPodSli,
  kPodAttempts,
  kVictims,
  kPreemptionEvaluation,
  kPreemptionAttempts,
  kScheduleAttempts,
  kPluginEvaluations,
  kPendingPods,
  kIncomingPods,
  kGoroutinesOld,
  kGoroutines,
  kCacheSizeOld,
  kCacheSize,
  kUnschedulablePods,
  kEventHandling,
  kPreemptionGoroutines,
  kPreemptionGoroutineRuns,
  kAsyncCall,
  kAsyncCallRuns,
  kAsyncPending,
  kRestRequest,
  kRestLimiter,
  kRestRequests,
  kProcessCpu,
  kProcessStart,
  kCount,
};

enum class MetricType { kCounter, kGauge, kHistogram };

/// One era of a metric: from the first to the last release in which it is *shown* like this.
struct MetricRow {
  Metric id;
  std::string_view name;  ///< as scraped, counters with their `_total`
  MetricType type;
  int first;  ///< minor release
  int last;
  std::vector<std::string_view> labels;  ///< in registration order; empty: exported at zero
  const std::vector<double>* bounds;     ///< histograms: finite upper bounds, ascending
  std::string_view help;
  /// Shown only while a feature gate is on: "" (always), "async-api", "async-preemption".
  std::string_view gate;
};

const std::vector<MetricRow>& MetricTable();

/// An upper bound as Go prints it in `le`: `0.001`, `1e-05`, `16`.
std::string FormatBound(double bound);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_METRICS_TABLE_H_
