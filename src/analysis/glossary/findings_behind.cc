// The causes behind a cause: past the scheduler's door, and who sends it work.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<FindingText>& BehindTexts() {
  static const std::vector<FindingText> all = {
      {"apiserver.webhook",
       "An admission webhook that pods/binding meets: every bind waits for its answer. Validating "
       "webhooks are called together, mutating ones one after the other.",
       "Of bindings alone, request duration less its service level indicator has grown by what "
       "only this webhook can have taken.",
       2,
       "apiserver_admission_webhook_admission_duration_seconds by name; the webhook's own logs."},
      {"apiserver.flowcontrol",
       "Bindings wait for a seat of their priority level, which others fill.",
       "Of bindings alone, request duration less its indicator (1.27 and later) has grown by more "
       "than all webhooks took, and the waits of a priority level have grown alike.",
       2, "apiserver_flowcontrol_request_wait_duration_seconds by flow_schema."},
      {"etcd.disk",
       "etcd writes its log to the disk before it answers: a binding waits for the fsync that runs "
       "when it comes, and then for its own.",
       "What the API servers spend on bindings besides webhooks has grown, and the fsyncs of "
       "etcd's log predict that growth.",
       2, "etcd_disk_wal_fsync_duration_seconds; the disk's own latency."},
      {"etcd.peer",
       "A write is answered once most members of etcd have it: the network between them is part of "
       "every binding.",
       "Storage has grown, and the round trips between etcd's members predict it.", 2,
       "etcd_network_peer_round_trip_time_seconds."},
      {"etcd.leader",
       "While etcd elects a new leader no write is answered, a binding neither; clients try again.",
       "Storage has grown, and the leader changed in the window.", 2,
       "etcd_server_leader_changes_seen_total."},
      {"etcd.slow",
       "The API servers wait for etcd; why, etcd's own metrics would say, which are not here.",
       "etcd_request_duration_seconds of pods has grown by more than other requests took.", 2,
       "etcd_disk_wal_fsync_duration_seconds of etcd."},
      {"apiserver.cpu",
       "The API server has too little CPU for what it is asked: every part of every request waits "
       "for a processor, its storage and the way to it seem slow too.",
       "Goroutines of the API server wait longer to run, about a hundred times in a request.", 2,
       "go_sched_latencies_seconds of the API server, and its CPU limit."},
      {"apiserver.audit",
       "A blocking audit backend is called before the answer is sent, after the server's own clock "
       "has stopped.",
       "The client's time has grown, the server's has not, and the API server's own calls that no "
       "webhook accounts for have grown alike.",
       2, "rest_client_request_duration_seconds of the API server, by host."},
      {"bind.network", "The way between scheduler and API server: wire, load balancer, TLS.",
       "The bind call has grown by more than the API servers' own time for bindings.", 2,
       "The API server's own calls: were they slow too, its audit backend would be."},
      {"apiserver.unknown",
       "The API servers take longer for bindings, and no part that has a metric explains it.",
       "The remainder after webhooks, flow control, storage and disk.", 2,
       "A trace or a CPU profile of the API server."},
      {"apiserver.instance",
       "One API server is slow where the others are not. The scheduler keeps its connection to one "
       "of them, so all bindings may meet it while other clients notice little.",
       "The same requests on pods take at least twice as long there as on the others, and by more "
       "than before.",
       2, "The other findings behind this one: why it is slow."},
      {"unschedulable.plugin",
       "One plugin rejects most of the pods that find no node; the scheduler tries them again "
       "whenever something changes that might help.",
       "scheduler_unschedulable_pods: the pods that wait because of this plugin have become more "
       "by "
       "more than chance, and half as many again. A pod that several plugins rejected counts for "
       "each of them.",
       2, "the events of a waiting pod: `kubectl describe pod` lists nodes by reason."},
      {"load.workload",
       "One workload creates more pods than before, or the same number in bursts: they wait for "
       "the scheduling loop, or for its client's limiter.",
       "kube_pod_created by owner: more pods a second than before by more than chance, half as "
       "many "
       "again even if every pod that was missed before was one of its own; or seconds with more of "
       "them at once than the baseline ever had.",
       2, "a roll-out, a job or an autoscaler of that workload at that time."},
      {"csi.driver",
       "A pod with a claim that is bound late waits in PreBind until its volume exists: the CSI "
       "driver's provisioner asks the storage for it with CreateVolume.",
       "csi_sidecar_operations_seconds of CreateVolume has grown by half and more, and by a tenth "
       "of PreBind's growth at least. Attaching and mounting come after the binding.",
       2, "csi_sidecar_operations_seconds by driver_name, of the sidecar beside the driver."},
      {"volume.controller",
       "Between the claim and the driver's call stand kube-controller-manager's volume controller "
       "and the provisioner's own queue: PreBind waits for them too.",
       "volume_operation_total_seconds of provision has grown by more than all calls of "
       "CreateVolume.",
       2, "volume_operation_total_seconds of kube-controller-manager, operation provision."},
  };
  return all;
}

}  // namespace schedlens
