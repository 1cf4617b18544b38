// The API server's storage and watch cache, and what every process may export.

#include "analysis/glossary/neighbour_texts.h"

namespace schedlens {
namespace {

using enum kube::Neighbour;

constexpr NeighbourText kStorageRows[] = {
    {kEtcdRequestDuration,
     "Calls of etcd as the API server sees them, by operation and resource: client, network, "
     "etcd's queue, log and apply.",
     "Bindings share pods' updates with status updates: no metric has theirs alone. A server "
     "without CPU shows slow calls of a quick etcd. Up to 1.33 the label is type."},
    {kEtcdRequests, "Calls of etcd, by operation and resource.", ""},
    {kEtcdRequestErrors, "Calls of etcd that failed.",
     "A conflict that is tried again is no error."},
    {kApiserverStorageObjects, "Objects in storage, by resource.",
     "-1 where counting failed. Counted about once a minute."},
    {kEtcdObjectCounts, "Objects in storage, by resource.",
     "Successor: apiserver_storage_objects."},
    {kApiserverResourceObjects, "Objects in storage, by group and resource.", ""},
    {kApiserverStorageList, "LISTs that storage served.", ""},
    {kApiserverStorageListFetchedObjects, "Objects that LISTs read from storage.", ""},
    {kApiserverStorageListEvaluatedObjects, "Objects that LISTs tested.", ""},
    {kApiserverStorageListReturnedObjects, "Objects that LISTs returned.",
     "Far fewer than evaluated: selectors that scan."},
    {kApiserverStorageTransformationDuration, "Encrypting to storage, decrypting from it.",
     "Outside the calls of etcd."},
    {kApiserverEnvelopeEncryptionKmsOperationsLatency, "Calls of the key management service.", ""},
    {kApiserverStorageSizeBytes, "Size of the database as the API server sees it.", ""},
    {kEtcdDbTotalSizeInBytes, "Size of the database as the API server sees it.",
     "Successor: apiserver_storage_db_total_size_in_bytes."},
    {kApiserverStorageDbTotalSizeInBytes, "Size of the database as the API server sees it.",
     "Successor: apiserver_storage_size_bytes."},
    {kApiserverWatchCacheEventsReceived, "Events that the watch cache took from etcd.", ""},
    {kApiserverWatchCacheEventsDispatched, "Events that the watch cache sent on.", ""},
    {kApiserverWatchCacheInitializations, "Times that a watch cache was filled anew.", ""},
    {kApiserverWatchCacheReadWait, "Reads that waited for the watch cache to catch up.", ""},
    {kApiserverWatchCacheConsistentRead,
     "Consistent reads from the watch cache, and those that fell back to etcd.", ""},
    {kApiserverCacheList, "LISTs that the watch cache served.", ""},
    {kApiserverCacheListFetchedObjects, "Objects that LISTs read from the watch cache.", ""},
    {kApiserverCacheListReturnedObjects, "Objects that LISTs from the watch cache returned.", ""},
    {kApiserverTerminatedWatchers, "Watchers closed since they were too slow.", ""},
    {kApiserverWatchListDuration, "Watches that begin with a list, until it is sent.", ""},
    {kRestClientRequestRetries, "Requests tried again by a client.", ""},
    {kRestClientDnsResolutionDuration, "Name look-ups of a client.", ""},
    {kRestClientExecPluginTtl, "Time left to a credential of an exec plugin.", ""},
    {kWorkqueueDepth, "Keys that wait in a controller's queue, by name.", ""},
    {kWorkqueueAdds, "Keys put into a controller's queue, by name.",
     "In kube-controller-manager a rise of deployment or replicaset is a roll-out."},
    {kWorkqueueQueueDuration, "How long keys waited in a controller's queue.", ""},
    {kWorkqueueWorkDuration, "How long a controller worked on a key.", ""},
    {kWorkqueueUnfinishedWork, "Seconds of work in progress, all together.", ""},
    {kWorkqueueLongestRunningProcessor, "Seconds of the longest work in progress.", ""},
    {kWorkqueueRetries, "Keys put back after a failure.", ""},
    {kLeaderElectionSlowpath, "Renewals of a lease that had to read it first.", ""},
    {kKubernetesFeatureEnabled, "Whether each feature gate is on, by stage.", ""},
    {kVersionInfo, "Binary, emulation and least compatible version.", ""},
    {kInformerProcessingLatency, "An informer's time with one event.", ""},
    {kInformerStoreResourceVersion, "How far an informer's store has come.", ""},
    {kProcessResidentMemoryBytes, "Resident memory.", ""},
    {kGoGcDuration, "Pauses of garbage collection.",
     "A summary: its quantiles cannot be added up or averaged."},
    {kGoSchedLatencies,
     "How long a runnable goroutine waited for a processor: too little CPU, or too many "
     "goroutines.",
     "All goroutines together, not those of requests."},
    {kGoGoroutines, "Goroutines now.", ""},
    {kGoMemstatsHeapInuseBytes, "Bytes of the heap in use.", ""},
    {kStorageOperationDuration,
     "Volume operations: attach and detach in kube-controller-manager, mount in kubelet.",
     "Attaching comes after the binding, not inside PreBind."},
    {kVolumeOperationTotal,
     "Provisioning and deleting volumes, from the request to the end, with retries.", ""},
    {kVolumeOperationTotalErrors, "Provisioning and deleting that failed.",
     "Successor: volume_operation_errors_total."},
    {kVolumeOperationErrors, "Provisioning and deleting that failed.", ""},
    {kCsiOperations, "Calls of a CSI driver by kubelet and kube-controller-manager.", ""},
    {kNodeCollectorEvictions, "Nodes whose pods were evicted.", ""},
    {kNodeCollectorUnhealthyNodesInZone, "Nodes not ready, by zone.", ""},
    {kNodeCollectorZoneHealth, "Percentage of the nodes that are ready, by zone.", ""},
    {kNodeCollectorZoneSize, "Nodes, by zone.", ""},
    {kTaintEvictionControllerPodDeletions, "Pods deleted for a taint.", ""},
    {kTaintEvictionControllerPodDeletionDuration, "From a taint to the deletion of a pod.", ""},
    {kAttachdetachControllerTotalVolumes, "Volumes in the attach controller, wanted and actual.",
     ""},
    {kCsiSidecarOperations,
     "Calls of a CSI driver by its sidecars (provisioner, attacher), by method.",
     "Absent until the first call. CreateVolume is what PreBind waits for with "
     "WaitForFirstConsumer."},
};

}  // namespace

std::span<const NeighbourText> StorageTexts() { return kStorageRows; }

}  // namespace schedlens
