#include "kube/public_words.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "kube/metrics.h"
#include "kube/neighbour_metrics.h"
#include "kube/words.h"
#include "model/digit.h"
#include "model/family.h"
#include "model/text.h"

namespace schedlens::kube {
namespace {

using Words = std::unordered_set<std::string_view>;

// Views into this file's own text, so that a set can hold them.
constexpr std::string_view kBounds = "le quantile";
constexpr std::string_view kSmallNumbers = "attempts code rejection_code";
constexpr std::string_view kVersions =
    "version git_version gitVersion go_version goVersion kubelet_version kubeproxy_version "
    "kernel_version container_runtime_version server_version cluster_version major minor "
    "client_api_version emulation min_compat binary";

/// Labels whose values are words; with an `exported_` in front too.
constexpr std::string_view kWordLabels =
    "__name__ job container namespace component profile severity alertstate result status plugin "
    "extension_point queue event type work verb method operation call_type hint hinted reason "
    "resource group subresource scope kind owner_kind created_by_kind phase condition effect "
    "priority_level priorityLevel flow_schema flowSchema request_kind requestKind execute name "
    "level decision state stage filter rejected success error_type mode operation_name "
    "grpc_type grpc_service grpc_method grpc_code grpc_status_code plugin_name "
    "enforcement_action fallback op source index owner_is_controller host_network compiler "
    "platform code rejection_code transformation_type volume_plugin";

/// Labels whose values are names. Their own names are public.
constexpr std::string_view kNameLabels =
    "instance pod node host hostname nodename node_name pod_name host_name pod_ip host_ip "
    "internal_ip service endpoint address server cluster cluster_name region zone environment env "
    "alertname alertgroup prometheus prometheus_replica replica app uid url deployment replicaset "
    "statefulset daemonset owner_name created_by_kind created_by_name job_name lease lease_holder "
    "git_commit git_tree_state build_date policy policy_binding binding driver driver_name "
    "provisioner metrics_path method_name storage_cluster_id validatingwebhookconfiguration "
    "mutatingwebhookconfiguration resourcequota key value username target ip fqdn tenant";

/// Names of metrics that nothing here reads.
constexpr std::string_view kMoreMetrics =
    "apiserver_request_post_timeout_total apiserver_request_filter_duration_seconds "
    "apiserver_selfrequest_total apiserver_watch_events_total "
    "apiserver_admission_match_condition_evaluation_seconds "
    "apiserver_validating_admission_policy_check_duration_seconds "
    "apiserver_validating_admission_policy_check_total "
    "apiserver_mutating_admission_policy_check_duration_seconds "
    "apiserver_flowcontrol_lower_limit_seats apiserver_flowcontrol_upper_limit_seats "
    "apiserver_flowcontrol_target_seats "
    "apiserver_flowcontrol_request_dispatch_no_accommodation_total "
    "apiserver_flowcontrol_request_queue_length_after_enqueue "
    "apiserver_flowcontrol_work_estimated_seats apiserver_audit_level_total "
    "apiserver_authorization_decisions_total apiserver_authorization_webhook_duration_seconds "
    "apiserver_authorization_webhook_evaluations_total "
    "apiserver_authorization_webhook_evaluations_fail_open_total "
    "apiserver_delegated_authn_request_duration_seconds "
    "apiserver_delegated_authz_request_duration_seconds "
    "apiserver_impersonation_attempts_duration_seconds apiserver_storage_list_total "
    "apiserver_storage_list_fetched_objects_total apiserver_storage_list_evaluated_objects_total "
    "apiserver_storage_list_returned_objects_total "
    "apiserver_storage_transformation_duration_seconds "
    "apiserver_envelope_encryption_kms_operations_latency_seconds "
    "apiserver_watch_cache_events_received_total apiserver_watch_cache_events_dispatched_total "
    "apiserver_watch_cache_initializations_total apiserver_watch_cache_read_wait_seconds "
    "apiserver_watch_cache_consistent_read_total apiserver_cache_list_total "
    "apiserver_cache_list_fetched_objects_total apiserver_cache_list_returned_objects_total "
    "apiserver_terminated_watchers_total apiserver_watch_list_duration_seconds "
    "rest_client_request_retries_total rest_client_dns_resolution_duration_seconds "
    "rest_client_exec_plugin_ttl_seconds leader_election_slowpath_total version_info "
    "informer_processing_latency_seconds informer_store_resource_version "
    "node_collector_evictions_total node_collector_unhealthy_nodes_in_zone "
    "node_collector_zone_health taint_eviction_controller_pod_deletions_total "
    "taint_eviction_controller_pod_deletion_duration_seconds "
    "attachdetach_controller_total_volumes etcd_disk_wal_write_duration_seconds "
    "etcd_debugging_disk_backend_commit_rebalance_duration_seconds "
    "etcd_debugging_disk_backend_commit_spill_duration_seconds "
    "etcd_debugging_disk_backend_commit_write_duration_seconds etcd_disk_defrag_inflight "
    "etcd_snap_fsync_duration_seconds etcd_snap_db_save_total_duration_seconds "
    "etcd_debugging_snap_save_total_duration_seconds etcd_server_range_duration_seconds "
    "etcd_server_request_duration_seconds etcd_mvcc_db_open_read_transactions "
    "etcd_debugging_mvcc_keys_total etcd_debugging_mvcc_watcher_total "
    "etcd_debugging_mvcc_slow_watcher_total etcd_debugging_mvcc_pending_events_total "
    "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds "
    "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds "
    "etcd_debugging_mvcc_index_compaction_pause_duration_milliseconds "
    "etcd_debugging_mvcc_db_compaction_keys_total etcd_debugging_mvcc_db_compaction_last "
    "etcd_cluster_version kube_pod_status_initialized_time kube_pod_status_container_ready_time "
    "kube_pod_scheduler kube_pod_deletion_timestamp kube_deployment_owner "
    "kube_statefulset_created kube_daemonset_created kube_node_deletion_timestamp "
    "kube_mutatingwebhookconfiguration_info kube_lease_renew_time";

constexpr std::string_view kProcesses =
    "kube-scheduler scheduler kube-apiserver apiserver kubernetes-apiservers etcd kube-etcd "
    "kube-controller-manager kube-state-metrics kubelet kube-proxy coredns csi-sidecar kube-system "
    "kube-public kube-node-lease default default-scheduler monitoring prometheus";

constexpr std::string_view kStates =
    "true false unknown yes no none Unknown Pending Running Succeeded Failed Ready True False ok "
    "error success failure skip firing pending inactive critical page warning info debug ALPHA "
    "BETA DEPRECATED GA Metadata Request RequestResponse None NoSchedule NoExecute "
    "PreferNoSchedule OK Unavailable allow deny no-opinion dropped hit miss hinted no_hint "
    "Allocatable MemoryPressure DiskPressure PIDPressure NetworkUnavailable master other";

constexpr std::string_view kCalls =
    "GET LIST WATCH WATCHLIST POST PUT PATCH DELETE DELETECOLLECTION CONNECT APPLY HEAD OPTIONS "
    "get "
    "list watch create update patch delete deletecollection listWithCount CREATE UPDATE admit "
    "validate validating regular readOnly mutating watch cluster namespace resource unary "
    "client_stream server_stream bidi_stream Range Txn Put DeleteRange Compact Watch "
    "LeaseGrant LeaseKeepAlive LeaseRevoke LeaseTimeToLive etcdserverpb.KV etcdserverpb.Watch "
    "etcdserverpb.Lease etcdserverpb.Maintenance etcdserverpb.Cluster etcdserverpb.Auth binding "
    "bindings status scale log exec eviction approval finalize proxy token ephemeralcontainers "
    "resize predicates prioritizing prioritizing_extender predicates_extender e2e gc linux/amd64 "
    "linux/arm64 assumed_pods api apis provision attach detach mount volume_provision "
    "volume_attach volume_mount pod_not_batchable authentication authorization audit "
    "impersonation priorityandfairness cors timeout";

constexpr std::string_view kFlows =
    "exempt catch-all global-default workload-high workload-low system system-leader-election "
    "system-nodes system-node-high node-high leader-election service-accounts probes endpoint-"
    "controller kube-system-service-accounts workload-leader-election";

constexpr std::string_view kResources =
    "pods nodes leases events endpoints services secrets configmaps namespaces persistentvolumes "
    "persistentvolumeclaims replicationcontrollers replicasets deployments statefulsets daemonsets "
    "jobs cronjobs poddisruptionbudgets storageclasses csinodes csidrivers csistoragecapacities "
    "volumeattachments volumeattributesclasses resourceclaims resourceclaimtemplates "
    "resourceslices deviceclasses serviceaccounts podtemplates limitranges resourcequotas "
    "endpointslices ingresses ingressclasses networkpolicies runtimeclasses priorityclasses roles "
    "rolebindings clusterroles clusterrolebindings flowschemas prioritylevelconfigurations "
    "controllerrevisions horizontalpodautoscalers customresourcedefinitions apiservices "
    "certificatesigningrequests validatingwebhookconfigurations mutatingwebhookconfigurations "
    "validatingadmissionpolicies validatingadmissionpolicybindings mutatingadmissionpolicies "
    "mutatingadmissionpolicybindings servicecidrs ipaddresses tokenreviews subjectaccessreviews "
    "workloads podgroups fieldSelector labelSelector resourceVersion limit watch timeout core apps "
    "batch policy autoscaling storage.k8s.io events.k8s.io coordination.k8s.io resource.k8s.io "
    "scheduling.k8s.io node.k8s.io discovery.k8s.io networking.k8s.io rbac.authorization.k8s.io "
    "authorization.k8s.io authentication.k8s.io admissionregistration.k8s.io "
    "apiextensions.k8s.io apiregistration.k8s.io certificates.k8s.io "
    "flowcontrol.apiserver.k8s.io Pod Node Service Namespace ReplicaSet Deployment StatefulSet "
    "DaemonSet Job CronJob ReplicationController PersistentVolume PersistentVolumeClaim "
    "StorageClass "
    "CSINode CSIDriver Lease v1.Pod *v1.Pod";

constexpr std::string_view kPlugins =
    "AzureDiskLimits CinderLimits DefaultBinder DefaultPreemption DynamicResources EBSLimits "
    "GCEPDLimits ImageLocality InterPodAffinity NodeAffinity NodeDeclaredFeatures NodeName "
    "NodePorts "
    "NodePreferAvoidPods NodeResourcesBalancedAllocation NodeResourcesFit "
    "NodeResourcesLeastAllocated NodeResourcesMostAllocated NodeUnschedulable NodeVolumeLimits "
    "PodTopologySpread PrioritySort RequestedToCapacityRatio SchedulingGates SelectorSpread "
    "TaintToleration VolumeBinding VolumeRestrictions VolumeZone GangScheduling Priority "
    "NamespaceLifecycle LimitRanger ServiceAccount ValidatingAdmissionWebhook "
    "MutatingAdmissionWebhook ValidatingAdmissionPolicy MutatingAdmissionPolicy RuntimeClass "
    "ResourceQuota PodSecurity DefaultTolerationSeconds TaintNodesByCondition NodeRestriction "
    "StorageObjectInUseProtection PersistentVolumeClaimResize DefaultStorageClass "
    "DefaultIngressClass CertificateApproval CertificateSigning CertificateSubjectRestriction "
    "PodTopologyLabels UnschedulablePodAdd UnschedulablePodUpdate UnschedulablePodDelete "
    "UnscheduledPodAdd UnscheduledPodUpdate UnscheduledPodDelete AssignedPodAdd "
    "AssignedPodUpdate AssignedPodDelete PodPopped PersistentVolumeClaimAdd "
    "PersistentVolumeAdd NodeAdd NodeUpdate NodeDelete storage.k8s.io/StorageClassAdd "
    "storage.k8s.io/CSINodeAdd NodeAllocatableChange NodeLabelChange NodeTaintChange "
    "NodeConditionChange resource.k8s.io/ResourceClaimUpdate "
    "UnschedulablePodUpdatePodGeneratedResourceClaim";

/// Of the names of metrics about a process and about Go's runtime.
constexpr std::string_view kRuntimeWords =
    "cpu seconds total max fds open resident virtual memory bytes start time network receive "
    "transmit gc duration goroutines info threads memstats alloc buck hash sys frees heap idle "
    "inuse objects released last lookups mallocs mcache mspan next other stack stacks fraction "
    "sched latencies gomaxprocs pauses stopping stw sync mutex wait classes free unused os "
    "profiling buckets metadata cycles automatic forced gogc gomemlimit percent limiter enabled "
    "live goal tiny allocs by size scan globals scannable cgo to c calls assist dedicated mark "
    "pause scavenge background eager user overflow finalizers cleanups queued executed created "
    "running runnable waiting not in sum count bucket";

void Add(std::string_view text, Words* words) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words->insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <typename Enum>
void AddSpellings(Words* words) {
  for (const std::string_view word : kSpellings<Enum>) {
    if (!word.empty()) words->insert(word);
  }
}

Words ListOf(std::string_view text) {
  Words words;
  Add(text, &words);
  return words;
}

Words MakeVocabulary() {
  Words words;
  for (const std::string_view text :
       {kProcesses, kStates, kCalls, kFlows, kResources, kPlugins, kWordLabels}) {
    Add(text, &words);
  }
  AddSpellings<ExtensionPoint>(&words);
  AddSpellings<AttemptResult>(&words);
  AddSpellings<StatusCode>(&words);
  AddSpellings<CallType>(&words);
  AddSpellings<QueueName>(&words);
  AddSpellings<PodEvent>(&words);
  AddSpellings<Gate>(&words);
  AddSpellings<Component>(&words);
  return words;
}

const Words& Vocabulary() {
  static const Words words = MakeVocabulary();
  return words;
}

Words MakeLabels() {
  Words labels;
  for (const std::string_view text :
       {kBounds, kSmallNumbers, kVersions, kWordLabels, kNameLabels}) {
    Add(text, &labels);
  }
  const auto add = [&labels](const auto& table) {
    for (const auto& row : table) {
      for (const MetricEra& era : row.eras) labels.insert(era.labels.begin(), era.labels.end());
    }
  };
  add(MetricTable());
  add(NeighbourTable());
  return labels;
}

std::string_view WithoutExported(std::string_view label) {
  constexpr std::string_view kExported = "exported_";
  if (label.starts_with(kExported)) label.remove_prefix(kExported.size());
  return label;
}

bool IsListed(std::string_view label, std::string_view text) {
  return ListOf(text).contains(WithoutExported(label));
}

/// A status of HTTP, how many attempts there were (`15+`); longer ones may be an account's.
bool IsSmallNumber(std::string_view text) {
  if (text.ends_with('+')) text.remove_suffix(1);
  return !text.empty() && text.size() <= 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c); });
}

/// `go_...` and `process_...` of Prometheus' client libraries: their words, not any application's.
bool IsOfARuntime(std::string_view name) {
  static const Words words = ListOf(kRuntimeWords);
  if (!name.starts_with("go_") && !name.starts_with("process_")) return false;
  for (std::size_t at = name.find('_') + 1; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    if (!words.contains(name.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

/// `a.b/c`: each part must be known where the whole is not.
bool AllKnown(std::string_view value) {
  if (Vocabulary().contains(value)) return true;
  const std::size_t dot = value.find('.');
  return dot != std::string_view::npos && Vocabulary().contains(value.substr(0, dot)) &&
         Vocabulary().contains(value.substr(dot + 1));
}

}  // namespace

bool IsPublicMetric(std::string_view name) {
  constexpr std::string_view kOwn[] = {"up",
                                       "ALERTS",
                                       "ALERTS_FOR_STATE",
                                       "schedlens_webhooks_total",
                                       "schedlens_reports_total",
                                       "schedlens_groups"};
  if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)) return true;
  if (IsOfARuntime(name)) return true;
  if (FindMetric(name) != nullptr || FindNeighbour(name) != nullptr) return true;
  const std::string counter = std::string(name) + "_total";  // a family as OpenMetrics names it
  if (FindMetric(counter) != nullptr || FindNeighbour(counter) != nullptr) return true;
  static const Words more = ListOf(kMoreMetrics);
  return more.contains(name) || more.contains(counter) || more.contains(FamilyOf(name));
}

bool IsPublicLabel(std::string_view name) {
  static const Words labels = MakeLabels();
  return labels.contains(name) || labels.contains(WithoutExported(name));
}

bool IsPublicValue(std::string_view label, std::string_view value) {
  static const Words bounds = ListOf(kBounds);
  static const Words numbers = ListOf(kSmallNumbers);
  static const Words words = ListOf(kWordLabels);
  if (bounds.contains(label) && ParseNumber(value)) return true;
  if (numbers.contains(label) && IsSmallNumber(value)) return true;
  if (label == kMetricName) return IsPublicMetric(value);
  return words.contains(WithoutExported(label)) && AllKnown(value);
}

bool IsPublicWord(std::string_view word) { return AllKnown(word); }

bool IsVersionLabel(std::string_view label) { return IsListed(label, kVersions); }

}  // namespace schedlens::kube
