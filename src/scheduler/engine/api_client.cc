#include "scheduler/engine/api_client.h"

#include <algorithm>

namespace schedlens::sim {
namespace {

kube::CallType TypeOf(const ApiCall& call) {
  return call.request == Request::kBind ? kube::CallType::kPodBinding
                                        : kube::CallType::kPodStatusPatch;
}

// What a request is to the server, by Request; bindings go another way.
struct ServedAs {
  Cost cost;
  ApiOperation operation;
};
constexpr ServedAs kServedAs[] = {
    {Cost::kBindApi, ApiOperation::kPodStatus},     {Cost::kWriteApi, ApiOperation::kPodStatus},
    {Cost::kWriteApi, ApiOperation::kPodStatus},    {Cost::kWriteApi, ApiOperation::kClaimUpdate},
    {Cost::kEventsApi, ApiOperation::kEventCreate}, {Cost::kEventsApi, ApiOperation::kEventUpdate}};

}  // namespace

ApiClient::ApiClient(RunState& run, World& world, Replicas& replicas, ApiServer& server)
    : run_(run),
      world_(world),
      replicas_(replicas),
      server_(server),
      async_(run.scenario.AsyncApiCalls()) {}

// The client's side and the server's, of a request that is sent at `at`.
Nanos ApiClient::RequestTime(Request request, std::uint32_t pod_template, Random& from, Nanos at) {
  const ServedAs& row = kServedAs[static_cast<std::size_t>(request)];
  const Nanos client = run_.Sample(Cost::kBindClient, pod_template, from);
  const Nanos rest = run_.Sample(row.cost, pod_template, from);
  return client + (server_.on() ? server_.Serve(row.operation, at + client / 2, rest) : rest);
}

// CPU seconds of writing a request; the wire is on top where it is known.
void ApiClient::Charge(std::initializer_list<cost::Unit> work) {
  for (const cost::Unit unit : work) {
    replicas_.leader().cpu_seconds += run_.conditions->units[unit].hot_us * 1e-6;
  }
}

// A request that nobody waits for.
Nanos ApiClient::Send(Request request, std::uint32_t pod_template, TokenBucket& limiter, Nanos at) {
  ApiCall call;
  call.request = request;
  call.wait = limiter.Take(run_.now);
  call.total = call.wait + RequestTime(request, pod_template, run_.random.api, at + call.wait);
  run_.heap.Push(at + call.total, EventKind::kEventSent, calls_.Take(call), replicas_.life());
  return call.total;
}

void ApiClient::EndSent(std::uint32_t index, std::uint32_t life) {
  const ApiCall& call = calls_[index];
  const bool event = call.request == Request::kEventPost || call.request == Request::kEventPatch;
  if (replicas_.Current(life)) {
    replicas_.leader().ObserveRequest(call.request, event ? 201 : 200, call.wait, call.total);
  }
  calls_.Free(index);
}

Nanos ApiClient::Bind(std::uint32_t job, std::uint32_t job_life, PodNumber pod, bool failed) {
  SchedulerProcess& process = replicas_.leader();
  const std::uint32_t shape = world_.pod(pod).pod_template;
  process.cpu_seconds += 0.0015;  // TLS, HTTP/2, system calls
  Charge({"client.bind"});
  if (async_) {
    Dispatch({Request::kBind, failed, shape, job, job_life, pod, 0, 0, 0});
    return 0;
  }
  const Nanos wait = process.client.Take(run_.now);
  if (server_.on()) {
    server_.Send({EventKind::kBindDone, job, job_life, pod, failed, wait});
    return wait;
  }
  const Nanos total = wait + RequestTime(Request::kBind, shape, run_.random.bind, run_.now);
  run_.heap.Push(run_.now + total, EventKind::kBindDone, job, job_life);
  return wait;
}

bool ApiClient::EndBind(std::uint32_t job, std::uint32_t job_life, bool failed, Nanos wait,
                        Nanos total) {
  ++run_.counts.api_requests;
  if (async_) return !failed;
  if (server_.on() && !server_.End(EventKind::kBindDone, job, job_life, total)) failed = true;
  replicas_.leader().ObserveRequest(Request::kBind, failed ? 500 : 201, wait, total);
  return !failed;
}

Nanos ApiClient::PatchStatus(std::uint32_t pod_template, Nanos at) {
  Charge({"client.pod-status-patch-send"});
  if (!async_) return Send(Request::kStatusPatch, pod_template, replicas_.leader().client, at);
  ApiCall call;
  call.request = Request::kStatusPatch;
  Dispatch(call);
  return 0;
}

void ApiClient::SendEvent(PodNumber pod, bool scheduled) {
  SimulatedPod& p = world_.pod(pod);
  if (!scheduled && p.failure_events >= 3) return;
  const bool again = !scheduled && p.failure_events++ > 0;
  Charge({"client.event-whole", "client.event-post"});
  Send(again ? Request::kEventPatch : Request::kEventPost, p.pod_template,
       replicas_.leader().event_client, run_.now);
  ++run_.counts.api_requests;
}

Nanos ApiClient::DeleteVictim(std::uint32_t pod_template, bool patch) {
  SchedulerProcess& process = replicas_.leader();
  Charge({"client.pod-delete"});
  Nanos wait = process.client.Take(run_.now);
  Nanos total = wait + run_.Sample(Cost::kDeleteApi, pod_template, run_.random.api);
  if (patch) {
    Charge({"client.pod-status-patch-send"});
    process.ObserveRequest(Request::kStatusPatch, 200, wait, total);
    wait = process.client.Take(run_.now);
    total = std::max(total, wait) + run_.Sample(Cost::kDeleteApi, pod_template, run_.random.api);
  }
  process.ObserveRequest(Request::kDeletePod, 200, wait, total);
  run_.counts.api_requests += patch ? 2 : 1;
  return total;
}

Nanos ApiClient::HandleFailure(PodNumber pod, unsigned rejections, bool was_error, Nanos from) {
  SimulatedPod& p = world_.pod(pod);
  SchedulerProcess& process = replicas_.leader();
  Nanos done = from + run_.Sample(Cost::kFailure, p.pod_template, run_.random.loop);
  process.events.Done(pod);
  if (p.phase != PodPhase::kInFlight) return done;  // deleted meanwhile
  world_.PutBack(pod);
  if (!world_.TemplateOf(pod).once) process.queue.AddFailed(pod, rejections, was_error, run_.now);
  SendEvent(pod, false);
  if (!p.condition_set) {
    p.condition_set = true;
    done += PatchStatus(p.pod_template, done);
    process.events.Note(InformerEvent::kPodUpdate);
    process.events.Handled(InformerEvent::kPodUpdate);
  }
  return done;
}

// 1.34's dispatcher: at most `parallelism` calls at once, binds and patches in one line.
void ApiClient::Dispatch(const ApiCall& call) {
  ++replicas_.leader().dispatch_waiting[TypeOf(call)];
  replicas_.leader().dispatch_queue.push_back(calls_.Take(call));
  RunDispatched();
}

void ApiClient::RunDispatched() {
  SchedulerProcess& process = replicas_.leader();
  while (process.dispatched < run_.scenario.parallelism && !process.dispatch_queue.empty()) {
    const std::uint32_t index = process.dispatch_queue.front();
    process.dispatch_queue.pop_front();
    ++process.dispatched;
    ApiCall& call = calls_[index];
    --process.dispatch_waiting[TypeOf(call)];
    call.wait = process.client.Take(run_.now);
    call.sent = run_.now;
    if (call.request == Request::kBind && server_.on()) {
      server_.Send(
          {EventKind::kApiCallDone, index, replicas_.life(), call.pod, call.failed, call.wait});
      continue;
    }
    const Nanos total = call.wait + RequestTime(call.request, call.pod_template, run_.random.bind,
                                                run_.now + call.wait);
    run_.heap.Push(run_.now + total, EventKind::kApiCallDone, index, replicas_.life());
  }
}

ApiCall ApiClient::EndDispatched(std::uint32_t index) {
  SchedulerProcess& process = replicas_.leader();
  ApiCall& call = calls_[index];
  --process.dispatched;
  call.total = run_.now - call.sent;
  if (!server_.End(EventKind::kApiCallDone, index, replicas_.life(), call.total)) {
    call.failed = true;
  }
  const std::string_view type = ToString(TypeOf(call));
  const std::string_view result = call.failed ? "error" : "success";
  process.registry.Get(Metric::kAsyncCall, {type, result}).Observe(ToSeconds(call.total));
  process.registry.Get(Metric::kAsyncCallRuns, {type, result}).value += 1;
  process.ObserveRequest(call.request, call.request == Request::kBind ? 201 : 200, call.wait,
                         call.total);
  ++run_.counts.api_requests;
  return call;
}

}  // namespace schedlens::sim
