#include "analysis/doctor/neighbour_needs.h"

namespace schedlens {
namespace {

using kube::Component;

std::string Name(kube::Neighbour metric) { return std::string(NameOf(metric)); }

}  // namespace

const std::vector<NeighbourNeed>& NeighbourNeeds() {
  using enum kube::Metric;
  static const std::vector<NeighbourNeed> all = {
      {Component::kApiServer,
       "bindings",
       {Name(kApiserverRequestDuration)},
       "doctor.cost.bindings"},
      {Component::kApiServer,
       "bindings",
       {Name(kApiserverRequestSliDuration), Name(kApiserverRequestSloDuration)},
       "doctor.cost.indicator",
       false,
       RowOf(kApiserverRequestSloDuration).first},
      {Component::kApiServer,
       "admission",
       {Name(kApiserverAdmissionWebhookAdmissionDuration)},
       "doctor.cost.webhooks",
       true},
      {Component::kApiServer, "etcd_requests", {Name(kEtcdRequestDuration)}, "doctor.cost.storage"},
      {Component::kApiServer,
       "flowcontrol",
       {Name(kApiserverFlowcontrolRequestWaitDuration)},
       "doctor.cost.flowcontrol",
       false,
       RowOf(kApiserverFlowcontrolRequestWaitDuration).first},
      {Component::kApiServer,
       "admission",
       {Name(kApiserverAdmissionStepAdmissionDuration)},
       "doctor.cost.admission"},
      {Component::kApiServer,
       "processes",
       {Name(kGoSchedLatencies)},
       "doctor.cost.cpu",
       false,
       RowOf(kGoSchedLatencies).first},
      {Component::kApiServer,
       "processes",
       {std::string(NameOf(kube::Metric::kRestRequest))},
       "doctor.cost.own_calls"},
      {Component::kEtcd, "etcd", {Name(kEtcdDiskWalFsyncDuration)}, "doctor.cost.fsync"},
      {Component::kEtcd, "etcd", {Name(kEtcdDiskBackendCommitDuration)}, "doctor.cost.commit"},
      {Component::kEtcd, "etcd", {Name(kEtcdServerLeaderChangesSeen)}, "doctor.cost.leader"},
      {Component::kEtcd, "etcd", {Name(kEtcdNetworkPeerRoundTripTime)}, "doctor.cost.peer", true},
      {Component::kKubeStateMetrics, "pods", {Name(kKubePodCreated)}, "doctor.cost.pods"},
      {Component::kKubeStateMetrics,
       "pods",
       {Name(kKubePodStatusScheduledTime)},
       "doctor.cost.scheduled_time"},
      {Component::kKubeStateMetrics, "pod_owners", {Name(kKubePodOwner)}, "doctor.cost.owners"},
      {Component::kKubeStateMetrics,
       "pod_owners",
       {Name(kKubeReplicasetOwner)},
       "doctor.cost.deployments",
       true},
      {Component::kKubeStateMetrics,
       "objects",
       {Name(kKubeDeploymentMetadataGeneration), Name(kKubeStatefulsetMetadataGeneration),
        Name(kKubeDaemonsetMetadataGeneration)},
       "doctor.cost.roll_outs",
       true},
      {Component::kKubeStateMetrics, "objects", {Name(kKubeNodeCreated)}, "doctor.cost.nodes"},
      {Component::kKubeStateMetrics,
       "objects",
       {Name(kKubeValidatingwebhookconfigurationMetadataResourceVersion),
        Name(kKubeMutatingwebhookconfigurationMetadataResourceVersion)},
       "doctor.cost.webhook_changes",
       true},
      {Component::kControllerManager,
       kVolumesQuestion,
       {Name(kVolumeOperationTotal)},
       "doctor.cost.volume_controller",
       true},
      {Component::kCsiSidecar,
       kVolumesQuestion,
       {Name(kCsiSidecarOperations)},
       "doctor.cost.csi",
       true},
  };
  return all;
}

const std::vector<ComponentNeed>& ComponentNeeds() {
  static const std::vector<ComponentNeed> all = {
      {Component::kApiServer, "doctor.cost.apiserver", "doctor.scrape.apiserver"},
      {Component::kEtcd, "doctor.cost.etcd", "doctor.scrape.etcd"},
      {Component::kKubeStateMetrics, "doctor.cost.objects", "doctor.scrape.objects"},
      {Component::kControllerManager, "doctor.cost.volume_controller",
       "doctor.scrape.volume_controller"},
      {Component::kCsiSidecar, "doctor.cost.csi", "doctor.scrape.csi"},
  };
  return all;
}

}  // namespace schedlens
