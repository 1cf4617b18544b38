// kube-scheduler's metrics, every one of the table by release, and what the metrics of API servers,
// etcd and kube-state-metrics count that a diagnosis reads.

#include "kube/metrics.h"

#include <fmt/format.h>

#include "diagnose/explain/glossary.h"

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

/// What a metric of the control plane counts, and how it misleads.
struct ControlPlaneText {
  Metric metric;
  const char* population;
  const char* traps = "";
};

MetricText TextOf(const ControlPlaneText& row) {
  const kube::MetricRow& metric = RowOf(row.metric);
  const kube::MetricEra& newest = metric.eras.back();
  return {std::string(metric.name),
          ReleasesText(metric),
          Verbatim(row.population),
          *row.traps == 0 ? Message() : Verbatim(row.traps),
          std::string(ToString(metric.component)),
          fmt::format("{}", fmt::join(newest.labels, ", "))};
}

constexpr ControlPlaneText kControlPlane[] = {
    {Metric::kApiserverRequestDuration,
     "Requests by verb and resource, from receipt of the headers to the answer in its buffer: "
     "filters, wait for a seat, admission with webhooks, storage. Bindings are verb=\"POST\", "
     "resource=\"pods\", subresource=\"binding\".",
     "Up to 1.19 its clock began after the filters. The audit backend's last call and the flush to "
     "the network come after it. Requests that a filter refused (429) are not in it. Lowest bucket "
     "50 ms up to 1.24, 5 ms after."},
    {Metric::kApiserverRequestSloDuration,
     "Requests as apiserver_request_duration_seconds has them, without the time of webhooks.",
     "Total less this, of the same labels, is the time of webhooks for that resource."},
    {Metric::kApiserverRequestSliDuration,
     "Requests as apiserver_request_duration_seconds has them, without the time of webhooks, and "
     "from 1.27 on without the wait for a seat.",
     "A low one says nothing of what it leaves out. Total less this, of pods/binding, is the only "
     "figure of webhooks by resource."},
    {Metric::kApiserverRequest, "Requests by code, refused ones too.",
     "A binding's 201 is a success; 409 is a pod that was bound already."},
    {Metric::kApiserverAdmissionStepAdmissionDuration,
     "A whole phase of admission (admit or validate), by operation: built-in plugins and webhooks.",
     "Not by resource: all CREATEs together, bindings among them."},
    {Metric::kApiserverAdmissionControllerAdmissionDuration,
     "One built-in admission plugin, by operation.",
     "A binding gives a sample to plugins that return at once."},
    {Metric::kApiserverAdmissionWebhookAdmissionDuration,
     "Calls of one webhook, by operation: connection, the webhook itself, the answer.",
     "Not by resource: a webhook that is slow on pods may never see pods/binding. Equal counts "
     "prove nothing, since pods are created as often as they are bound. Buckets end at 2.5 s up to "
     "1.26."},
    {Metric::kApiserverAdmissionWebhookRequest, "Calls of one webhook by the code of its answer."},
    {Metric::kApiserverAdmissionWebhookRejectionCount,
     "Requests that a webhook refused, or that failed with it (failurePolicy Fail).",
     "error_type tells a webhook that said no from one that could not be called."},
    {Metric::kApiserverAdmissionWebhookFailOpenCount,
     "Calls that failed and were let pass (failurePolicy Ignore).",
     "Their time-outs were waited for all the same."},
    {Metric::kApiserverFlowcontrolRequestWaitDuration,
     "Waits for a seat, by flow schema and priority level; the first bucket holds those that did "
     "not wait.",
     "Which schema bindings fall into is in no metric: kube-scheduler on workload-high is only the "
     "default. The labels were flowSchema and priorityLevel up to 1.22."},
    {Metric::kApiserverFlowcontrolRequestExecution,
     "Time in a seat: authorization and the handler.", "type=\"watch\" is the start of watches."},
    {Metric::kApiserverFlowcontrolCurrentInqueueRequests, "Requests that wait for a seat now."},
    {Metric::kApiserverFlowcontrolCurrentInqueueSeats,
     "Seats that the waiting requests would take."},
    {Metric::kApiserverFlowcontrolCurrentExecutingRequests, "Requests in a seat now."},
    {Metric::kApiserverFlowcontrolCurrentExecutingSeats, "Seats taken now.",
     "A write holds its seats for its watchers after the answer."},
    {Metric::kApiserverFlowcontrolNominalLimitSeats, "Seats of a level by its shares.",
     "The limit in force is the current one: levels lend each other seats."},
    {Metric::kApiserverFlowcontrolCurrentLimitSeats,
     "Seats of a level after lending and borrowing: the limit in force."},
    {Metric::kApiserverFlowcontrolRequestConcurrencyLimit, "Seats of a level by its shares.",
     "Successor: apiserver_flowcontrol_nominal_limit_seats."},
    {Metric::kApiserverFlowcontrolRequestConcurrencyInUse, "Seats taken now.",
     "Successor: apiserver_flowcontrol_current_executing_seats."},
    {Metric::kApiserverFlowcontrolRejectedRequests,
     "Requests refused, by reason: queue-full, concurrency-limit, time-out."},
    {Metric::kApiserverFlowcontrolDispatchedRequests,
     "Requests that got a seat, by flow schema: the load by client."},
    {Metric::kApiserverAuditEvent, "Audit events made."},
    {Metric::kEtcdRequestDuration,
     "Calls of etcd as the API server sees them, by operation and resource: client, network, "
     "etcd's queue, log and apply.",
     "Bindings share pods' updates with status updates: no metric has theirs alone. A server "
     "without CPU shows slow calls of a quick etcd. Up to 1.33 the label is type."},
    {Metric::kEtcdRequests, "Calls of etcd, by operation and resource."},
    {Metric::kApiserverStorageObjects, "Objects in storage, by resource.",
     "-1 where counting failed. Counted about once a minute."},
    {Metric::kEtcdObjectCounts, "Objects in storage, by resource.",
     "Successor: apiserver_storage_objects."},
    {Metric::kApiserverResourceObjects, "Objects in storage, by group and resource."},
    {Metric::kApiserverStorageSizeBytes, "Size of the database as the API server sees it."},
    {Metric::kWorkqueueDepth, "Keys that wait in a controller's queue, by name."},
    {Metric::kKubernetesFeatureEnabled, "Whether each feature gate is on, by stage."},
    {Metric::kGoSchedLatencies,
     "How long a runnable goroutine waited for a processor: too little CPU, or too many "
     "goroutines.",
     "All goroutines together, not those of requests."},
    {Metric::kStorageOperationDuration,
     "Volume operations: attach and detach in kube-controller-manager, mount in kubelet.",
     "Attaching comes after the binding, not inside PreBind."},
    {Metric::kVolumeOperationTotal,
     "Provisioning and deleting volumes, from the request to the end, with retries."},
    {Metric::kNodeCollectorZoneSize, "Nodes, by zone."},
    {Metric::kCsiSidecarOperations,
     "Calls of a CSI driver by its sidecars (provisioner, attacher), by method.",
     "Absent until the first call. CreateVolume is what PreBind waits for with "
     "WaitForFirstConsumer."},
    {Metric::kEtcdDiskWalFsyncDuration,
     "Each fsync of the log: one for all writes that came while the one before ran.",
     "Its quantile is no request's latency: a write may wait for two in a row. Rounds, not writes, "
     "are counted. A slow follower costs nothing in a healthy group of three."},
    {Metric::kEtcdDiskBackendCommitDuration, "Commits of the database, about every 100 ms.",
     "A request waits for one only where it meets it."},
    {Metric::kEtcdNetworkPeerRoundTripTime, "Round trips between members, by the other member.",
     "Absent where a member stands alone."},
    {Metric::kEtcdServerHasLeader, "Whether a member knows a leader."},
    {Metric::kEtcdServerIsLeader, "Whether a member is the leader."},
    {Metric::kEtcdServerLeaderChangesSeen, "Elections that a member saw.",
     "Each member counts the same ones."},
    {Metric::kEtcdServerProposalsPending, "Writes that wait for consensus now."},
    {Metric::kEtcdServerProposalsFailed, "Writes that failed."},
    {Metric::kEtcdServerProposalsCommitted,
     "Writes that consensus was found on; by fsyncs of the leader, how many share one.",
     "A gauge that counts: it restarts from the log."},
    {Metric::kEtcdServerProposalsApplied, "Writes applied to the database.",
     "A gauge that counts. Far behind committed: applying is slow."},
    {Metric::kEtcdServerApplyDuration, "Applying one request: the wait for the lock and the write.",
     "Without consensus."},
    {Metric::kEtcdMvccDbTotalSizeInBytes, "Size of the database file."},
    {Metric::kEtcdMvccDbTotalSizeInUseInBytes,
     "Of the file, what is in use; the rest is free for new data."},
    {Metric::kEtcdServerVersion, "The release of a member, in a label."},
    {Metric::kKubePodCreated, "When each pod was created, in unix seconds.",
     "Whole seconds. A pod that came and went between two scrapes is never seen."},
    {Metric::kKubePodStatusScheduled, "Whether each pod is scheduled."},
    {Metric::kKubePodStatusScheduledTime, "When each pod was scheduled, in unix seconds.",
     "Whole seconds: less creation, a wait of d seconds is more than d - 1 and less than d + 1."},
    {Metric::kKubePodOwner,
     "Who owns each pod: a ReplicaSet stands for its Deployment, a Job for its CronJob."},
    {Metric::kKubePodInfo, "Node, addresses and owner of each pod.",
     "Replaced by a new series when the pod is bound."},
    {Metric::kKubeReplicasetOwner, "Who owns each ReplicaSet.",
     "Without it pods are told by their ReplicaSet."},
    {Metric::kKubeReplicasetCreated, "When each ReplicaSet was created: a new one is a roll-out."},
    {Metric::kKubeJobOwner, "Who owns each Job."},
    {Metric::kKubeDeploymentCreated, "When each Deployment was created."},
    {Metric::kKubeDeploymentMetadataGeneration,
     "Edits of each Deployment's spec: one more is a roll-out, or another size."},
    {Metric::kKubeDeploymentStatusObservedGeneration,
     "The last edit that the controller has seen."},
    {Metric::kKubeDeploymentSpecReplicas, "Replicas wanted."},
    {Metric::kKubeStatefulsetMetadataGeneration, "Edits of each StatefulSet's spec."},
    {Metric::kKubeDaemonsetMetadataGeneration, "Edits of each DaemonSet's spec."},
    {Metric::kKubeNodeCreated, "When each node was added."},
    {Metric::kKubeNodeInfo, "Release of kubelet and more of each node, in labels."},
    {Metric::kKubeNodeSpecUnschedulable, "Whether each node is cordoned."},
    {Metric::kKubeNodeStatusCondition,
     "Conditions of each node; condition=\"Ready\", status=\"true\" is 1 while it is ready."},
    {Metric::kKubeValidatingwebhookconfigurationCreated,
     "When each configuration of validating webhooks was created."},
    {Metric::kKubeValidatingwebhookconfigurationMetadataResourceVersion,
     "The version of each configuration: a new value is an edit.",
     "Injectors of certificates edit it too."},
    {Metric::kKubeValidatingwebhookconfigurationWebhookClientconfigService,
     "The Service behind each validating webhook: its owner.",
     "Not for webhooks that are called by URL."},
    {Metric::kKubeMutatingwebhookconfigurationCreated,
     "When each configuration of mutating webhooks was created."},
    {Metric::kKubeMutatingwebhookconfigurationMetadataResourceVersion,
     "The version of each configuration: a new value is an edit.",
     "Injectors of certificates edit it too."},
    {Metric::kKubeMutatingwebhookconfigurationWebhookClientconfigService,
     "The Service behind each mutating webhook: its owner.",
     "Not for webhooks that are called by URL."},
    {Metric::kKubeValidatingadmissionpolicyCreated,
     "When each ValidatingAdmissionPolicy was created."},
    {Metric::kKubeValidatingadmissionpolicybindingCreated, "When each binding of one was created."},
    {Metric::kKubeMutatingadmissionpolicyCreated, "When each MutatingAdmissionPolicy was created."},
    {Metric::kKubeMutatingadmissionpolicybindingCreated, "When each binding of one was created."},
};

}  // namespace

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const Row& row : kMetricRows) texts.push_back(TextOf(row));
    for (const std::string_view old : kInMicroseconds) texts.push_back(TextOf(old));
    for (const ControlPlaneText& row : kControlPlane) texts.push_back(TextOf(row));
    return texts;
  }();
  return all;
}

}  // namespace schedlens
