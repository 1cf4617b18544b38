#ifndef SCHEDLENS_KUBE_NEIGHBOUR_METRICS_H_
#define SCHEDLENS_KUBE_NEIGHBOUR_METRICS_H_

// The metrics of kube-scheduler's neighbours: API server, etcd, kube-state-metrics, volumes. What
// the scheduler has too (rest_client_*, process_*, kubernetes_build_info, leader election) stands
// in kube/metrics.h only.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/metrics.h"

namespace schedlens::kube {

/// Who exports a metric.
enum class Component {
  kApiServer,
  kEtcd,
  kKubeStateMetrics,
  kControllerManager,
  kKubelet,
  kCsiSidecar,
  kAny,  ///< every component of Kubernetes: its client library and its Go runtime
};

template <>
inline constexpr std::array<std::string_view, 7> kSpellings<Component> = {
    "kube-apiserver", "etcd", "kube-state-metrics", "kube-controller-manager", "kubelet",
    "csi-sidecar",    "any"};

/// The name without unit and `_total`.
enum class Neighbour {
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
  kCount,
};

/// One metric. Releases are minor numbers of what the component is numbered by: Kubernetes 1.x,
/// etcd 3.x, kube-state-metrics 2.x (where -1 stands for 1.9).
struct NeighbourRow {
  Neighbour id;  ///< kCount: nothing reads it
  Component component;
  std::string_view name;  ///< the family as scraped, counters with their `_total`
  MetricKind kind;
  Stability stability = Stability::kAlpha;
  std::vector<MetricEra> eras = {};  ///< ascending, from its first release on
  int last = kNoEnd;                 ///< the last release that has it, hidden or not
  int hidden = kNoEnd;               ///< the first release that hides it by default
  std::string_view successor = {};   ///< its name, also in the table
  Gate gate = Gate::kNone;

  int first() const { return eras.front().since; }
};

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

/// Those with an id in the order of the enum, then the others.
const std::vector<NeighbourRow>& NeighbourTable();

const NeighbourRow& RowOf(Neighbour metric);

/// By the name of a series, with or without _bucket, _sum, _count. Null for metrics of others.
const NeighbourRow* FindNeighbour(std::string_view name);

std::string_view NameOf(Neighbour metric);
/// The names of a histogram's or summary's series.
std::string BucketOf(Neighbour metric);
std::string SumOf(Neighbour metric);
std::string CountOf(Neighbour metric);

/// Whether a release of its component shows a metric by default (its gate taken as on).
Presence PresenceIn(const NeighbourRow& row, int minor);

/// What the metric looks like in a release; for a release without it, in the nearest one.
const MetricEra& EraIn(const NeighbourRow& row, int minor);

/// The metric whose successor this is. Null when it has none.
const NeighbourRow* PredecessorOf(const NeighbourRow& row);

/// "all", "from 1.26", "1.23 to 1.27; hidden from 1.28": where its component shows it by default.
std::string ReleasesText(const NeighbourRow& row);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_NEIGHBOUR_METRICS_H_
