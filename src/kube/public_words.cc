#include "kube/public_words.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "kube/metrics.h"
#include "kube/neighbour_metrics.h"
#include "kube/words.h"
#include "model/digit.h"
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
    "NodeConditionChange";

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
  return FindMetric(counter) != nullptr || FindNeighbour(counter) != nullptr;
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
