#ifndef SCHEDLENS_KUBE_METRICS_H_
#define SCHEDLENS_KUBE_METRICS_H_

// The metrics of kube-scheduler, and of who stands around it: API server, etcd, kube-state-metrics,
// volumes, their client library and their process. What they look like in which release says one
// table, metrics.txt: a new release adds rows and eras there, and names here that are read.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/series.h"
#include "kube/spelling.h"

namespace schedlens::kube {

// Kubernetes releases, as the minor number of 1.x.
constexpr int kOldestRelease = 18;  ///< what is older is like it
constexpr int kNewestRelease = 36;  ///< the newest whose metrics are in the table
constexpr int kNoEnd = 99;          ///< still there in the newest
/// The oldest that is told apart by the names of its metrics.
constexpr int kOldestNamed = 16;

/// `1.24`, `v1.24.3`, `1.23-1.25` (its newest) to the minor number; nothing for anything else.
std::optional<int> ParseRelease(std::string_view text);

/// What the names of kube-scheduler's own metrics begin with.
inline constexpr std::string_view kOwnPrefix = "scheduler_";
/// A process that exposes one of the histograms which no other component has, of attempts (under
/// either name) or of their algorithm, is a kube-scheduler: a regular expression for the rest of
/// the names of their `_count` series.
inline constexpr std::string_view kOwnCounts =
    "(scheduling_attempt|e2e_scheduling|scheduling_algorithm)_duration_seconds_count";

/// `job=~"a|b"` of the schedulers whose labels are given, each job once; empty when there are none
/// or one has no job, since then no matcher of jobs finds them all.
std::string JobMatcher(const std::vector<Labels>& schedulers);

/// Those that a diagnosis reads: kube-scheduler's, and its process's and client's; then the others.
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
  // The API server: requests and admission.
  kApiserverRequestDuration,
  kApiserverRequestSloDuration,
  kApiserverRequestSliDuration,
  kApiserverRequest,
  kApiserverAdmissionStepAdmissionDuration,
  kApiserverAdmissionControllerAdmissionDuration,
  kApiserverAdmissionWebhookAdmissionDuration,
  kApiserverAdmissionWebhookRequest,
  kApiserverAdmissionWebhookRejectionCount,
  kApiserverAdmissionWebhookFailOpenCount,
  // The API server: priority and fairness, audit, authentication and authorization.
  kApiserverFlowcontrolRequestWaitDuration,
  kApiserverFlowcontrolRequestExecution,
  kApiserverFlowcontrolCurrentInqueueRequests,
  kApiserverFlowcontrolCurrentInqueueSeats,
  kApiserverFlowcontrolCurrentExecutingRequests,
  kApiserverFlowcontrolCurrentExecutingSeats,
  kApiserverFlowcontrolNominalLimitSeats,
  kApiserverFlowcontrolCurrentLimitSeats,
  kApiserverFlowcontrolRequestConcurrencyLimit,
  kApiserverFlowcontrolRequestConcurrencyInUse,
  kApiserverFlowcontrolRejectedRequests,
  kApiserverFlowcontrolDispatchedRequests,
  kApiserverAuditEvent,
  // The API server: storage and its watch cache.
  kEtcdRequestDuration,
  kEtcdRequests,
  kApiserverStorageObjects,
  kEtcdObjectCounts,
  kApiserverResourceObjects,
  kApiserverStorageSizeBytes,
  // What every process may export (client library, Go runtime), and volumes.
  kWorkqueueDepth,
  kKubernetesFeatureEnabled,
  kGoSchedLatencies,
  kStorageOperationDuration,
  kVolumeOperationTotal,
  kNodeCollectorZoneSize,
  kCsiSidecarOperations,
  // etcd, by minor numbers of 3.x.
  kEtcdDiskWalFsyncDuration,
  kEtcdDiskBackendCommitDuration,
  kEtcdNetworkPeerRoundTripTime,
  kEtcdServerHasLeader,
  kEtcdServerIsLeader,
  kEtcdServerLeaderChangesSeen,
  kEtcdServerProposalsPending,
  kEtcdServerProposalsFailed,
  kEtcdServerProposalsCommitted,
  kEtcdServerProposalsApplied,
  kEtcdServerApplyDuration,
  kEtcdMvccDbTotalSizeInBytes,
  kEtcdMvccDbTotalSizeInUseInBytes,
  kEtcdServerVersion,
  // kube-state-metrics, by minor numbers of 2.x; 1.9 counts as -1.
  kKubePodCreated,
  kKubePodStatusScheduled,
  kKubePodStatusScheduledTime,
  kKubePodOwner,
  kKubePodInfo,
  kKubeReplicasetOwner,
  kKubeReplicasetCreated,
  kKubeJobOwner,
  kKubeDeploymentCreated,
  kKubeDeploymentMetadataGeneration,
  kKubeDeploymentStatusObservedGeneration,
  kKubeDeploymentSpecReplicas,
  kKubeStatefulsetMetadataGeneration,
  kKubeDaemonsetMetadataGeneration,
  kKubeNodeCreated,
  kKubeNodeInfo,
  kKubeNodeSpecUnschedulable,
  kKubeNodeStatusCondition,
  kKubeValidatingwebhookconfigurationCreated,
  kKubeValidatingwebhookconfigurationMetadataResourceVersion,
  kKubeValidatingwebhookconfigurationWebhookClientconfigService,
  kKubeMutatingwebhookconfigurationCreated,
  kKubeMutatingwebhookconfigurationMetadataResourceVersion,
  kKubeMutatingwebhookconfigurationWebhookClientconfigService,
  kKubeValidatingadmissionpolicyCreated,
  kKubeValidatingadmissionpolicybindingCreated,
  kKubeMutatingadmissionpolicyCreated,
  kKubeMutatingadmissionpolicybindingCreated,
  kCount,  ///< of a row that only `lint` reads
};

/// Of who stands around the scheduler; a name for readers.
using Neighbour = Metric;

/// The names: the family as scraped, counters with their `_total`.
template <>
inline constexpr std::array<std::string_view, 136> kSpellings<Metric> = {
    "scheduler_e2e_scheduling_latency_microseconds",
    "scheduler_scheduling_latency_seconds",
    "scheduler_e2e_scheduling_duration_seconds",
    "scheduler_scheduling_attempt_duration_seconds",
    "scheduler_scheduling_algorithm_duration_seconds",
    "scheduler_binding_duration_seconds",
    "scheduler_framework_extension_point_duration_seconds",
    "scheduler_plugin_execution_duration_seconds",
    "scheduler_permit_wait_duration_seconds",
    "scheduler_pod_scheduling_duration_seconds",
    "scheduler_pod_scheduling_sli_duration_seconds",
    "scheduler_pod_scheduling_attempts",
    "scheduler_preemption_victims",
    "scheduler_pod_preemption_victims",
    "scheduler_scheduling_algorithm_predicate_evaluation_seconds",
    "scheduler_scheduling_algorithm_priority_evaluation_seconds",
    "scheduler_scheduling_algorithm_preemption_evaluation_seconds",
    "scheduler_scheduling_duration_seconds",
    "scheduler_volume_scheduling_duration_seconds",
    "scheduler_volume_scheduling_stage_error_total",
    "scheduler_volume_binder_cache_requests_total",
    "scheduler_preemption_attempts_total",
    "scheduler_total_preemption_attempts",
    "scheduler_schedule_attempts_total",
    "scheduler_plugin_evaluation_total",
    "scheduler_pending_pods",
    "scheduler_queue_incoming_pods_total",
    "scheduler_scheduler_goroutines",
    "scheduler_goroutines",
    "scheduler_scheduler_cache_size",
    "scheduler_cache_size",
    "scheduler_unschedulable_pods",
    "scheduler_event_handling_duration_seconds",
    "scheduler_queueing_hint_execution_duration_seconds",
    "scheduler_inflight_events",
    "scheduler_preemption_goroutines_duration_seconds",
    "scheduler_preemption_goroutines_execution_total",
    "scheduler_async_api_call_execution_duration_seconds",
    "scheduler_async_api_call_execution_total",
    "scheduler_pending_async_api_calls",
    "scheduler_get_node_hint_duration_seconds",
    "scheduler_store_schedule_results_duration_seconds",
    "scheduler_batch_attempts_total",
    "scheduler_batch_cache_flushed_total",
    "scheduler_resourceclaim_creates_total",
    "scheduler_pod_scheduled_after_flush_total",
    "scheduler_podgroup_scheduling_attempt_duration_seconds",
    "scheduler_podgroup_scheduling_algorithm_duration_seconds",
    "scheduler_podgroup_schedule_attempts_total",
    "scheduler_dra_bindingconditions_wait_duration_seconds",
    "scheduler_dra_bindingconditions_allocations_total",
    "rest_client_request_duration_seconds",
    "rest_client_rate_limiter_duration_seconds",
    "rest_client_requests_total",
    "process_cpu_seconds_total",
    "process_start_time_seconds",
    "leader_election_master_status",
    "kubernetes_build_info",
    "apiserver_request_duration_seconds",
    "apiserver_request_slo_duration_seconds",
    "apiserver_request_sli_duration_seconds",
    "apiserver_request_total",
    "apiserver_admission_step_admission_duration_seconds",
    "apiserver_admission_controller_admission_duration_seconds",
    "apiserver_admission_webhook_admission_duration_seconds",
    "apiserver_admission_webhook_request_total",
    "apiserver_admission_webhook_rejection_count",
    "apiserver_admission_webhook_fail_open_count",
    "apiserver_flowcontrol_request_wait_duration_seconds",
    "apiserver_flowcontrol_request_execution_seconds",
    "apiserver_flowcontrol_current_inqueue_requests",
    "apiserver_flowcontrol_current_inqueue_seats",
    "apiserver_flowcontrol_current_executing_requests",
    "apiserver_flowcontrol_current_executing_seats",
    "apiserver_flowcontrol_nominal_limit_seats",
    "apiserver_flowcontrol_current_limit_seats",
    "apiserver_flowcontrol_request_concurrency_limit",
    "apiserver_flowcontrol_request_concurrency_in_use",
    "apiserver_flowcontrol_rejected_requests_total",
    "apiserver_flowcontrol_dispatched_requests_total",
    "apiserver_audit_event_total",
    "etcd_request_duration_seconds",
    "etcd_requests_total",
    "apiserver_storage_objects",
    "etcd_object_counts",
    "apiserver_resource_objects",
    "apiserver_storage_size_bytes",
    "workqueue_depth",
    "kubernetes_feature_enabled",
    "go_sched_latencies_seconds",
    "storage_operation_duration_seconds",
    "volume_operation_total_seconds",
    "node_collector_zone_size",
    "csi_sidecar_operations_seconds",
    "etcd_disk_wal_fsync_duration_seconds",
    "etcd_disk_backend_commit_duration_seconds",
    "etcd_network_peer_round_trip_time_seconds",
    "etcd_server_has_leader",
    "etcd_server_is_leader",
    "etcd_server_leader_changes_seen_total",
    "etcd_server_proposals_pending",
    "etcd_server_proposals_failed_total",
    "etcd_server_proposals_committed_total",
    "etcd_server_proposals_applied_total",
    "etcd_server_apply_duration_seconds",
    "etcd_mvcc_db_total_size_in_bytes",
    "etcd_mvcc_db_total_size_in_use_in_bytes",
    "etcd_server_version",
    "kube_pod_created",
    "kube_pod_status_scheduled",
    "kube_pod_status_scheduled_time",
    "kube_pod_owner",
    "kube_pod_info",
    "kube_replicaset_owner",
    "kube_replicaset_created",
    "kube_job_owner",
    "kube_deployment_created",
    "kube_deployment_metadata_generation",
    "kube_deployment_status_observed_generation",
    "kube_deployment_spec_replicas",
    "kube_statefulset_metadata_generation",
    "kube_daemonset_metadata_generation",
    "kube_node_created",
    "kube_node_info",
    "kube_node_spec_unschedulable",
    "kube_node_status_condition",
    "kube_validatingwebhookconfiguration_created",
    "kube_validatingwebhookconfiguration_metadata_resource_version",
    "kube_validatingwebhookconfiguration_webhook_clientconfig_service",
    "kube_mutatingwebhookconfiguration_created",
    "kube_mutatingwebhookconfiguration_metadata_resource_version",
    "kube_mutatingwebhookconfiguration_webhook_clientconfig_service",
    "kube_validatingadmissionpolicy_created",
    "kube_validatingadmissionpolicybinding_created",
    "kube_mutatingadmissionpolicy_created",
    "kube_mutatingadmissionpolicybinding_created",
};

enum class MetricKind { kCounter, kGauge, kHistogram, kSummary };

template <>
inline constexpr std::array<std::string_view, 4> kSpellings<MetricKind> = {"counter", "gauge",
                                                                           "histogram", "summary"};

/// Who exports a metric.
enum class Component {
  kApiServer,
  kEtcd,
  kKubeStateMetrics,
  kControllerManager,
  kKubelet,
  kCsiSidecar,
  kAny,  ///< every component of Kubernetes: its client library and its Go runtime
  kScheduler,
};

template <>
inline constexpr std::array<std::string_view, 8> kSpellings<Component> = {
    "kube-apiserver", "etcd", "kube-state-metrics", "kube-controller-manager", "kubelet",
    "csi-sidecar",    "any",  "kube-scheduler"};

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
  int since = 0;
  std::vector<std::string_view> labels;         ///< in order of registration; empty: one series
  const std::vector<double>* bounds = nullptr;  ///< finite, ascending; empty of no histogram
};

/// One metric. Releases are minor numbers of what the component is numbered by: Kubernetes 1.x,
/// etcd 3.x, kube-state-metrics 2.x (where -1 stands for 1.9).
struct MetricRow {
  Metric id = Metric::kCount;
  Component component = Component::kAny;
  std::string_view name;  ///< the family as scraped, counters with their `_total`
  MetricKind kind = MetricKind::kCounter;
  int first = 0;
  int last = kNoEnd;           ///< the last release that has it, hidden or not
  int hidden = kNoEnd;         ///< the first release that hides it by default
  std::string_view successor;  ///< its name, also in the table
  Gate gate = Gate::kNone;
  std::vector<MetricEra> eras;  ///< ascending; the first covers `first`, and what is before 1.18
  /// HELP of the reference scheduler's output; empty for metrics that it does not export.
  std::string_view help;
};
using NeighbourRow = MetricRow;

/// kube-scheduler's own, in the order of the enum.
std::span<const MetricRow> MetricTable();
/// All others: those with an id in the order of the enum, then the rest.
std::span<const MetricRow> NeighbourTable();

const MetricRow& RowOf(Metric metric);

/// kube-scheduler's by the name of a series, with or without _bucket, _sum, _count. Null for
/// metrics of others.
const MetricRow* FindMetric(std::string_view name);
/// The same of all others.
const MetricRow* FindNeighbour(std::string_view name);

constexpr std::string_view NameOf(Metric metric) { return ToString(metric); }
/// The names of a histogram's or summary's series.
std::string BucketOf(Metric metric);
std::string SumOf(Metric metric);
std::string CountOf(Metric metric);

/// The releases of a component that the table knows.
struct ComponentReleases {
  std::string_view prefix;  ///< of the minor number: "1.", "3.", "2."
  int oldest;
  int newest;
};
ComponentReleases ReleasesOf(Component component);

/// The etcd that comes with Kubernetes 1.`minor`, and a kube-state-metrics of that time: what a
/// cluster of that release runs, as minor numbers of 3.x and 2.x.
int EtcdOf(int minor);
int KubeStateMetricsOf(int minor);

enum class Presence { kVisible, kHidden, kRemoved, kNotYet };

/// Whether a release of its component shows a metric by default settings (its gate taken as on).
Presence PresenceIn(const MetricRow& row, int minor);

/// The newest release that shows the metric by default; kNoEnd when none hides it.
int LastShown(const MetricRow& row);

/// Whether all releases from the oldest on show the metric.
bool AlwaysShown(const MetricRow& row);

/// What the metric looks like in a release; for a release without it, in the nearest one.
const MetricEra& EraIn(const MetricRow& row, int minor);

/// The row of its successor; null when it has none.
const MetricRow* SuccessorOf(const MetricRow& row);
/// The metric whose successor this is: its name in earlier releases. Null when it has none.
const MetricRow* PredecessorOf(const MetricRow& row);

/// The bounds in a release. Without a release: only when all releases from 1.19 on agree (1.18 is
/// too old to cast doubt), otherwise nothing.
std::vector<double> BoundsIn(const MetricRow& row, std::optional<int> minor);

/// Where a metric is visible: "all", "from 1.23", "up to 1.23; hidden in 1.24 to 1.26, gone in
/// 1.27", with its feature gate; of who stands around the scheduler "1.23 to 1.27; hidden from
/// 1.28".
std::string ReleasesText(const MetricRow& row);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_METRICS_H_
