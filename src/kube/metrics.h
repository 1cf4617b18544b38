#ifndef SCHEDLENS_KUBE_METRICS_H_
#define SCHEDLENS_KUBE_METRICS_H_

// Every metric of kube-scheduler, and those of its process and client that are read: one table from
// 1.18 to the newest release. A new release adds rows and eras here. Of 1.16 and 1.17 the table has
// names only: which metrics 1.17 brought, and two that it dropped.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/release.h"
#include "kube/spelling.h"

namespace schedlens::kube {

enum class Metric {
  kE2eMicroseconds,
  kSchedulingLatency,
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
  kVictimsOld,
  kPredicateEvaluation,
  kPriorityEvaluation,
  kPreemptionEvaluation,
  kSchedulingSummary,
  kVolumeScheduling,
  kVolumeErrors,
  kVolumeCacheRequests,
  kPreemptionAttempts,
  kPreemptionAttemptsOld,
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
  kQueueingHint,
  kInflightEvents,
  kPreemptionGoroutines,
  kPreemptionGoroutineRuns,
  kAsyncCall,
  kAsyncCallRuns,
  kAsyncPending,
  kNodeHint,
  kStoreResults,
  kBatchAttempts,
  kBatchCacheFlushed,
  kResourceClaimCreates,
  kScheduledAfterFlush,
  kPodGroupAttempt,
  kPodGroupAlgorithm,
  kPodGroupAttempts,
  kDraWait,
  kDraAllocations,
  kRestRequest,
  kRestLimiter,
  kRestRequests,
  kProcessCpu,
  kProcessStart,
  kLeader,
  kBuildInfo,
  kCount,
};

enum class MetricKind { kCounter, kGauge, kHistogram, kSummary };

template <>
inline constexpr std::array<std::string_view, 4> kSpellings<MetricKind> = {"counter", "gauge",
                                                                           "histogram", "summary"};

/// The class in the newest release that has the metric.
enum class Stability { kAlpha, kBeta, kStable, kUnclassified };

/// Bucket layouts by their family of bounds.
enum class BucketLayout {
  kNone,
  kMs15,      ///< 0.001 * 2^i, top 16.384 s
  kPoint12,   ///< 0.0001 * 2^i, top 0.2048 s
  kPlugin20,  ///< 0.00001 * 1.5^i, top 0.0222 s
  kPod20,     ///< 0.01 * 2^i, top 5,242.88 s
  kAttempts5,
  kVictimsLinear,       ///< 5, 10, ... 50 pods
  kVictimsExponential,  ///< 2^i pods, top 64
  kHint12,              ///< 0.00001 * 2^i, top 0.0205 s
  kDra14,               ///< 0.1 * 2^i, top 819.2 s
  kRestOld,             ///< 0.001 * 2^i, top 0.512 s
  kRestNew,             ///< 0.005 .. 60 s
  // Of neighbours. The number is that of the bounds.
  kRequest37,      ///< an API server's requests up to 1.22
  kRequest21,      ///< 1.23 and 1.24, and the SLI
  kRequest23,      ///< from 1.25; storage too
  kStorage11,      ///< an API server's storage, 1.20 to 1.24
  kAdmission5,     ///< up to 1.22
  kAdmission6,     ///< 1.23 on
  kAdmission8,     ///< webhooks from 1.27
  kDefault11,      ///< what client_golang takes by default
  kFlow12,         ///< priority and fairness up to 1.27; the first bound is 0
  kFlow13,         ///< from 1.28
  kUtilization13,  ///< a share
  kTenth16,        ///< 0.0001 * 2^i, top 3.2768 s
  kTenth20,        ///< the same, top 52.4288 s
  kWorkQueue10,    ///< 10^i, from 10 ns to 10 s
  kVolume13,       ///< volumes and CSI
  kBytes7,         ///< 1,000 * 10^i
  kMs14,           ///< 0.001 * 2^i, top 8.192 s: etcd's disk
  kSnapshot17,     ///< 0.01 * 2^i
  kDefrag13,       ///< 0.1 * 2^i, top 409.6 s
  kRuntime7,       ///< the Go runtime's, as component-base exports them
  kMicros15,       ///< 1,000 * 2^i microseconds: the scheduler's up to 1.16
};

/// Feature gates without which a metric is absent, as Kubernetes calls them.
enum class Gate {
  kNone,
  kAsyncApiCalls,
  kAsyncPreemption,
  kQueueingHints,
  kGenericWorkload,
  kDraBindingConditions,
  kDraExtendedResource,
  kPriorityAndFairness,
};

template <>
inline constexpr std::array<std::string_view, 8> kSpellings<Gate> = {"",
                                                                     "SchedulerAsyncAPICalls",
                                                                     "SchedulerAsyncPreemption",
                                                                     "SchedulerQueueingHints",
                                                                     "GenericWorkload",
                                                                     "DRADeviceBindingConditions",
                                                                     "DRAExtendedResource",
                                                                     "APIPriorityAndFairness"};

/// Whether a release has the gate on by default, in its newest patch.
bool OnByDefault(Gate gate, int minor);

/// What a metric looks like from release `since` until the next era.
struct MetricEra {
  int since;
  std::vector<std::string_view> labels = {};  ///< in order of registration; empty: one series
  BucketLayout buckets = BucketLayout::kNone;
};

/// One metric. Releases are minor numbers of 1.x.
struct MetricRow {
  Metric id;
  std::string_view name;  ///< the family as scraped, counters with their `_total`
  MetricKind kind;
  Stability stability = Stability::kAlpha;
  int first = kOldestNamed;
  int last = kNoEnd;    ///< the last release that has it, hidden or not
  int hidden = kNoEnd;  ///< the first release that hides it by default
  std::optional<Metric> successor = {};
  Gate gate = Gate::kNone;
  std::vector<MetricEra> eras;  ///< ascending; the first covers `first`, and what is before 1.18
  /// HELP of the reference scheduler's output; empty for metrics that it does not export.
  std::string_view help = {};
};

/// In the order of the enum.
const std::vector<MetricRow>& MetricTable();

const MetricRow& RowOf(Metric metric);

/// By the name of a series, with or without _bucket, _sum, _count. Null for metrics of others.
const MetricRow* FindMetric(std::string_view name);

std::string_view NameOf(Metric metric);
/// The names of a histogram's or summary's series.
std::string BucketOf(Metric metric);
std::string SumOf(Metric metric);
std::string CountOf(Metric metric);

enum class Presence { kVisible, kHidden, kRemoved, kNotYet };

/// Whether a release shows a metric by its default settings (its gate taken as on).
Presence PresenceIn(const MetricRow& row, int minor);

/// The newest release that shows the metric by default; kNoEnd when none hides it.
int LastShown(const MetricRow& row);

/// Whether all releases from the oldest on show the metric.
bool AlwaysShown(const MetricRow& row);

/// What the metric looks like in a release; for a release without it, in the nearest one.
const MetricEra& EraIn(const MetricRow& row, int minor);

/// The metric whose successor this is: its name in earlier releases. Null when it has none.
const MetricRow* PredecessorOf(const MetricRow& row);

/// Finite upper bounds, ascending, as client_golang computes them. Empty for kNone.
const std::vector<double>& BoundsOf(BucketLayout layout);

/// The bounds in a release. Without a release: only when all releases from 1.19 on agree (1.18 is
/// too old to cast doubt), otherwise nothing.
std::vector<double> BoundsIn(const MetricRow& row, std::optional<int> minor);

/// Where a metric is visible: "all", "from 1.23", "up to 1.23; hidden in 1.24 to 1.26, gone in
/// 1.27", with its feature gate.
std::string ReleasesText(const MetricRow& row);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_METRICS_H_
