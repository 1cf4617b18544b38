#include "sim/engine/api_client.h"

#include <algorithm>

namespace schedlens::sim {
namespace {

kube::CallType TypeOf(const ApiCall& call) {
  return call.kind == ApiCall::Kind::kBind ? kube::CallType::kPodBinding
                                           : kube::CallType::kPodStatusPatch;
}

Cost CostOf(Request request) {
  switch (request) {
    case Request::kBind:
      return Cost::kBindApi;
    case Request::kEventPost:
    case Request::kEventPatch:
      return Cost::kEventsApi;
    default:
      return Cost::kWriteApi;
  }
}

ApiOperation OperationOf(Request request) {
  switch (request) {
    case Request::kClaimUpdate:
      return ApiOperation::kClaimUpdate;
    case Request::kEventPost:
      return ApiOperation::kEventCreate;
    case Request::kEventPatch:
      return ApiOperation::kEventUpdate;
    default:
      return ApiOperation::kPodStatus;
  }
}

}  // namespace

ApiClient::ApiClient(RunState& run, World& world, Replicas& replicas, ApiServer& server)
    : run_(run),
      world_(world),
      replicas_(replicas),
      server_(server),
      async_(run.scenario.AsyncApiCalls()) {}

// The client's side and the server's, of a request that is sent at `at`.
Nanos ApiClient::RequestTime(Request request, std::uint32_t pod_template, Random& from, Nanos at) {
  const Nanos client = run_.Sample(Cost::kBindClient, pod_template, from);
  const Nanos rest = run_.Sample(CostOf(request), pod_template, from);
  return client +
         (server_.on() ? server_.Serve(OperationOf(request), at + client / 2, rest) : rest);
}

// CPU seconds of writing a request; the wire is on top where it is known.
void ApiClient::Charge(std::initializer_list<cost::Unit> work) {
  for (const cost::Unit unit : work) {
    replicas_.leader().cpu_seconds += run_.conditions->units[unit].hot_us * 1e-6;
  }
}

Nanos ApiClient::Bind(std::uint32_t job, std::uint32_t job_life, PodNumber pod, bool failed) {
  SchedulerProcess& process = replicas_.leader();
  process.cpu_seconds += 0.0015;  // TLS, HTTP/2, system calls
  Charge({cost::Unit::kClientBind});
  if (async_) {
    DispatchBind(job, job_life, pod, failed);
    return 0;
  }
  const Nanos wait = process.client.Take(run_.now);
  if (server_.on()) {
    server_.Send({EventKind::kBindDone, job, job_life, pod, failed, wait});
    return wait;
  }
  const Nanos total =
      wait + RequestTime(Request::kBind, world_.pod(pod).pod_template, run_.random.bind, run_.now);
  run_.heap.Push(run_.now + total, EventKind::kBindDone, job, job_life);
  return wait;
}

bool ApiClient::EndBind(std::uint32_t job, std::uint32_t job_life, bool failed, Nanos wait,
                        Nanos total) {
  ++run_.counts.api_requests;
  if (async_) return !failed;
  if (server_.on() && !server_.End(EventKind::kBindDone, job, job_life, total)) failed = true;
  replicas_.leader().rest.Observe(Request::kBind, failed ? 500 : 201, wait, total);
  return !failed;
}

void ApiClient::DispatchBind(std::uint32_t job, std::uint32_t job_life, PodNumber pod,
                             bool failed) {
  ApiCall call;
  call.kind = ApiCall::Kind::kBind;
  call.request = Request::kBind;
  call.failed = failed;
  call.pod_template = world_.pod(pod).pod_template;
  call.pod = pod;
  call.job = job;
  call.job_life = job_life;
  Dispatch(call);
}

Nanos ApiClient::PatchStatus(std::uint32_t pod_template, Nanos at) {
  Charge({cost::Unit::kClientStatusPatch});
  ApiCall call;
  call.request = Request::kStatusPatch;
  if (async_) {
    call.kind = ApiCall::Kind::kPatch;
    Dispatch(call);
    return 0;
  }
  call.wait = replicas_.leader().client.Take(run_.now);
  call.total = call.wait + RequestTime(call.request, pod_template, run_.random.api, at + call.wait);
  run_.heap.Push(at + call.total, EventKind::kEventSent, NewCall(call), replicas_.life());
  return call.total;
}

void ApiClient::SendEvent(PodNumber pod, bool scheduled) {
  SimulatedPod& p = world_.pod(pod);
  ApiCall call;
  if (!scheduled) {
    if (p.failure_events >= 3) return;
    if (p.failure_events++ > 0) call.request = Request::kEventPatch;
  }
  Charge({cost::Unit::kClientEvent, cost::Unit::kClientEventPost});
  call.wait = replicas_.leader().event_client.Take(run_.now);
  call.total =
      call.wait + RequestTime(call.request, p.pod_template, run_.random.api, run_.now + call.wait);
  ++run_.counts.api_requests;
  run_.heap.Push(run_.now + call.total, EventKind::kEventSent, NewCall(call), replicas_.life());
}

Nanos ApiClient::UpdateClaim(std::uint32_t pod_template) {
  ApiCall call;
  call.request = Request::kClaimUpdate;
  call.wait = replicas_.leader().client.Take(run_.now);
  call.total =
      call.wait + RequestTime(call.request, pod_template, run_.random.api, run_.now + call.wait);
  ++run_.counts.api_requests;
  run_.heap.Push(run_.now + call.total, EventKind::kEventSent, NewCall(call), replicas_.life());
  return call.total;
}

Nanos ApiClient::DeleteVictim(std::uint32_t pod_template, bool patch) {
  SchedulerProcess& process = replicas_.leader();
  Charge({cost::Unit::kClientDelete});
  Nanos wait = process.client.Take(run_.now);
  Nanos total = wait + run_.Sample(Cost::kDeleteApi, pod_template, run_.random.api);
  if (patch) {
    Charge({cost::Unit::kClientStatusPatch});
    process.rest.Observe(Request::kStatusPatch, 200, wait, total);
    wait = process.client.Take(run_.now);
    total = std::max(total, wait) + run_.Sample(Cost::kDeleteApi, pod_template, run_.random.api);
  }
  process.rest.Observe(Request::kDeletePod, 200, wait, total);
  run_.counts.api_requests += patch ? 2 : 1;
  return total;
}

std::uint32_t ApiClient::NewCall(const ApiCall& call) {
  if (free_.empty()) {
    calls_.push_back(call);
    return static_cast<std::uint32_t>(calls_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  calls_[index] = call;
  return index;
}

// 1.34's dispatcher: at most `parallelism` calls at once, binds and patches in one line.
void ApiClient::Dispatch(const ApiCall& call) {
  ++replicas_.leader().dispatch_waiting[TypeOf(call)];
  replicas_.leader().dispatch_queue.push_back(NewCall(call));
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
    if (call.kind == ApiCall::Kind::kBind && server_.on()) {
      server_.Send(
          {EventKind::kApiCallDone, index, replicas_.life(), call.pod, call.failed, call.wait});
      continue;
    }
    call.total = call.wait + RequestTime(call.request, call.pod_template, run_.random.bind,
                                         run_.now + call.wait);
    run_.heap.Push(run_.now + call.total, EventKind::kApiCallDone, index, replicas_.life());
  }
}

const ApiCall& ApiClient::EndDispatched(std::uint32_t index) {
  SchedulerProcess& process = replicas_.leader();
  ApiCall& call = calls_[index];
  --process.dispatched;
  call.total = run_.now - call.sent;
  if (!server_.End(EventKind::kApiCallDone, index, replicas_.life(), call.total)) {
    call.failed = true;
  }
  const bool bind = call.kind == ApiCall::Kind::kBind;
  const std::string_view type = ToString(TypeOf(call));
  const std::string_view result = call.failed ? "error" : "success";
  process.registry.Get(Metric::kAsyncCall, {type, result}).Observe(ToSeconds(call.total));
  process.registry.Get(Metric::kAsyncCallRuns, {type, result}).value += 1;
  process.rest.Observe(call.request, bind ? 201 : 200, call.wait, call.total);
  ++run_.counts.api_requests;
  return call;
}

void ApiClient::EndSent(std::uint32_t index) {
  const ApiCall& call = calls_[index];
  const bool created = call.request == Request::kEventPost || call.request == Request::kEventPatch;
  replicas_.leader().rest.Observe(call.request, created ? 201 : 200, call.wait, call.total);
}

}  // namespace schedlens::sim
