// The stages of an attempt, in its own order. Top-level stages add up to the time of all attempts.

#include "analysis/glossary/glossary.h"
#include "kube/stage.h"

namespace schedlens {
namespace {

using kube::Stage;

std::string Id(Stage stage) { return std::string(ToString(stage)); }

}  // namespace

const std::vector<StageText>& StageTexts() {
  static const std::vector<StageText> all = {
      {Id(Stage::kAlgorithm), "Finding a node",
       "From taking the pod off the queue to having chosen its node, failed searches included; "
       "preemption is counted apart. Runs on the single scheduling loop.",
       "scheduling_algorithm_duration plus the time of failed attempts (up to 1.29), less "
       "PostFilter "
       "(from 1.30)"},
      {Id(Stage::kPreFilter), "PreFilter plugins", "Once an attempt, one plugin after the other.",
       "framework_extension_point_duration{extension_point=\"PreFilter\"}, all statuses"},
      {Id(Stage::kFilter), "Filter plugins",
       "All filter plugins on node after node, up to 16 nodes at a time, until enough nodes fit.",
       "framework_extension_point_duration{extension_point=\"Filter\"}, all statuses"},
      {Id(Stage::kPreScore), "PreScore plugins",
       "Once an attempt with more than one feasible node, one plugin after the other.",
       "framework_extension_point_duration{extension_point=\"PreScore\"}, all statuses"},
      {Id(Stage::kScore), "Score plugins",
       "All score plugins on the feasible nodes, normalising and weights included.",
       "framework_extension_point_duration{extension_point=\"Score\"}, all statuses"},
      {Id(Stage::kAlgorithmUnmeasured), "The rest of the algorithm",
       "What no extension point covers: the snapshot of the cluster, extenders' filter and "
       "prioritize "
       "calls, picking the host, and waiting for a processor.",
       "algorithm less PreFilter, Filter, PreScore and Score, by sums"},
      {Id(Stage::kPostFilter), "Preemption",
       "After a search without a node: finding victims, and up to 1.32 deleting them.",
       "framework_extension_point_duration{extension_point=\"PostFilter\"}, all statuses"},
      {Id(Stage::kReserve), "Reserve plugins",
       "Bookkeeping after a node was chosen; on the scheduling loop.",
       "framework_extension_point_duration{extension_point=\"Reserve\"}, all statuses"},
      {Id(Stage::kPermit), "Permit plugins",
       "The decision only; the waiting that it may ask for is permit-wait.",
       "framework_extension_point_duration{extension_point=\"Permit\"}, all statuses"},
      {Id(Stage::kPermitWait), "Waiting at Permit",
       "A pod waits until a Permit plugin lets it go, in a goroutine of its own.",
       "permit_wait_duration"},
      {Id(Stage::kPreBind), "PreBind plugins",
       "One plugin after the other before the bind: volumes, resource claims.",
       "framework_extension_point_duration{extension_point=\"PreBind\"}, all statuses"},
      {Id(Stage::kBind), "Binding the pod",
       "The Bind plugins or an extender's bind, and telling the cache. Runs in a goroutine of its "
       "own.",
       "binding_duration (up to 1.20); from 1.21 on the Bind extension point, and the remainder "
       "where an "
       "extender is proven to bind"},
      {Id(Stage::kBindPlugins), "Bind plugins",
       "DefaultBinder's POST to the API server, waiting in the client's rate limiter included.",
       "framework_extension_point_duration{extension_point=\"Bind\"}, all statuses"},
      {Id(Stage::kBindThrottle), "Waiting in the client's rate limiter",
       "The part of the bind plugins' time before the request is sent: clientConnection.qps and "
       "burst.",
       "rest_client_rate_limiter_duration of the binding requests, or bounds from how evenly binds "
       "leave"},
      {Id(Stage::kBindRequest), "The bind request itself",
       "Network, API server, admission, etcd: the bind plugins' time less the rate limiter's.",
       "bind.plugins less bind.throttle"},
      {"bind.network", "The way to the API server and back",
       "Connection, wire, load balancer, flush of the answer, and the last call of a blocking "
       "audit "
       "backend: all that is outside the API server's own clock.",
       "bind.request less apiserver"},
      {"apiserver", "Inside the API server",
       "From receipt of the binding's headers to its answer; its parts follow and add up to it.",
       "apiserver_request_duration{verb=\"POST\",resource=\"pods\",subresource=\"binding\"}"},
      {"apiserver.flowcontrol", "Waiting for a seat",
       "Priority and fairness queues requests whose level has no free seat.",
       "from 1.27 on total less SLI of pods/binding, less webhooks; at most the waits of all "
       "requests"},
      {"apiserver.webhook", "An admission webhook",
       "The API server calls it before it stores the binding. Mutating ones follow each other, of "
       "validating ones only the slowest counts.",
       "its part of total less SLI of pods/binding, at most its own histogram"},
      {"apiserver.admission", "Built-in admission",
       "Admission plugins of the API server itself, policies included.",
       "admission_step less webhooks, of all resources: an upper bound"},
      {"apiserver.storage", "Storage",
       "etcd as the API server sees it: its client, the network, the log's fsync, the apply.",
       "etcd_request_duration of pods, less what other requests on pods may have had"},
      {"apiserver.rest", "The rest of the API server",
       "CPU, authentication, authorization, decoding and encoding, locks.",
       "SLI of pods/binding less storage and built-in admission"},
      {Id(Stage::kBindUnmeasured), "Binding without a metric",
       "An extender's bind call, and about a tenth of a millisecond for finishing the bind in the "
       "cache.",
       "binding_duration less Bind (up to 1.20); from 1.21 on e2e less all other stages, where "
       "PostBind - Bind{status=\"Success\"} proves binds by an extender"},
      {Id(Stage::kUnmeasured), "The rest of the attempt",
       "Copying and assuming the pod, starting its goroutine, waiting for a processor.",
       "e2e less all other stages, by sums"},
  };
  return all;
}

}  // namespace schedlens
