#pragma once

// The leader's requests to the API server: rate limiter, latencies, and from 1.34 the dispatcher of
// asynchronous calls.

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"
#include "scheduler/engine/world.h"

namespace schedlens::sim {

/// A request that ends with an event of its own.
struct ApiCall {
  Request request = Request::kEventPost;
  bool failed = false;
  std::uint32_t pod_template = 0;
  std::uint32_t job = 0;  ///< of a bind: the binder's job, its life, and the pod
  std::uint32_t job_life = 0;
  PodNumber pod = 0;
  Nanos sent = 0;  ///< by the dispatcher
  Nanos wait = 0;  ///< in the rate limiter
  Nanos total = 0;

  kube::CallType type() const {
    return request == Request::kBind ? kube::CallType::kPodBinding
                                     : kube::CallType::kPodStatusPatch;
  }
};

class ApiClient {
 public:
  ApiClient(RunState& run, World& world, Replicas& replicas, ApiServer& server)
      : run_(run),
        world_(world),
        replicas_(replicas),
        server_(server),
        async_(run.scenario.AsyncApiCalls()) {}

  /// Adds the CPU time of writing requests to the process's; the wire is on top where it is known.
  void Charge(std::initializer_list<cost::Unit> work) {
    for (const cost::Unit unit : work) {
      replicas_.leader().cpu_seconds += run_.conditions->units[unit].hot_us * 1e-6;
    }
  }
  /// A bind that starts now: blocking, kBindDone follows, or by the dispatcher, kApiCallDone
  /// follows. Returns a blocking one's wait in the rate limiter.
  Nanos Bind(std::uint32_t job, std::uint32_t job_life, PodNumber pod, bool failed) {
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

  /// A bind has ended, `total` after its start; `failed` if that is known already. Counts a
  /// blocking one; a dispatched one is counted by EndDispatched. False if it failed.
  bool EndBind(std::uint32_t job, std::uint32_t job_life, bool failed, Nanos wait, Nanos total) {
    ++run_.counts.api_requests;
    if (async_) return !failed;
    if (server_.on() && !server_.End(EventKind::kBindDone, job, job_life, total)) failed = true;
    replicas_.leader().ObserveRequest(Request::kBind, failed ? 500 : 201, wait, total);
    return !failed;
  }
  /// Patches a pod's status, beginning at `at`. Returns how long the caller waits for it.
  Nanos PatchStatus(std::uint32_t pod_template, Nanos at) {
    Charge({"client.pod-status-patch-send"});
    if (!async_) return Send(Request::kStatusPatch, pod_template, replicas_.leader().client, at);
    ApiCall call;
    call.request = Request::kStatusPatch;
    Dispatch(call);
    return 0;
  }

  /// "Scheduled", or "FailedScheduling": a new event first, then two updates of the series.
  void SendEvent(PodNumber pod, bool scheduled) {
    SimulatedPod& p = world_.pod(pod);
    if (!scheduled && p.failure_events >= 3) return;
    const bool again = !scheduled && p.failure_events++ > 0;
    Charge({"client.event-whole", "client.event-post"});
    Send(again ? Request::kEventPatch : Request::kEventPost, p.pod_template,
         replicas_.leader().event_client, run_.now);
    ++run_.counts.api_requests;
  }

  /// Updates a claim. Returns how long that takes.
  Nanos UpdateClaim(std::uint32_t pod_template) {
    ++run_.counts.api_requests;
    return Send(Request::kClaimUpdate, pod_template, replicas_.leader().client, run_.now);
  }
  /// Deletes a victim, with or without a patch of its status before. Returns how long that takes.
  Nanos DeleteVictim(std::uint32_t pod_template, bool patch) {
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

  /// What follows a failed attempt, from `from` on: the pod is queued again, an event and a status
  /// PATCH are sent. Returns when the handler is done. `rejections` are bits of Rejection.
  Nanos HandleFailure(PodNumber pod, unsigned rejections, bool was_error, Nanos from) {
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

  /// The dispatched call has ended: counts it. Its number is in use until Free.
  ApiCall EndDispatched(std::uint32_t index) {
    SchedulerProcess& process = replicas_.leader();
    ApiCall& call = calls_[index];
    --process.dispatched;
    call.total = run_.now - call.sent;
    if (!server_.End(EventKind::kApiCallDone, index, replicas_.life(), call.total)) {
      call.failed = true;
    }
    const std::string_view type = ToString(call.type());
    const std::string_view result = call.failed ? "error" : "success";
    process.registry.Get(Metric::kAsyncCall, {type, result}).Observe(ToSeconds(call.total));
    process.registry.Get(Metric::kAsyncCallRuns, {type, result}).value += 1;
    process.ObserveRequest(call.request, call.request == Request::kBind ? 201 : 200, call.wait,
                           call.total);
    ++run_.counts.api_requests;
    return call;
  }

  /// Sends what the dispatcher has room for.
  void RunDispatched() {
    SchedulerProcess& process = replicas_.leader();
    while (process.dispatched < run_.scenario.parallelism && !process.dispatch_queue.empty()) {
      const std::uint32_t index = process.dispatch_queue.front();
      process.dispatch_queue.pop_front();
      ++process.dispatched;
      ApiCall& call = calls_[index];
      --process.dispatch_waiting[call.type()];
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

  void Free(std::uint32_t call) { calls_.Free(call); }
  /// A request that nobody waited for has ended: counts it if that leader still leads.
  void EndSent(std::uint32_t index, std::uint32_t life) {
    const ApiCall& call = calls_[index];
    const bool event = call.request == Request::kEventPost || call.request == Request::kEventPatch;
    if (replicas_.Current(life)) {
      replicas_.leader().ObserveRequest(call.request, event ? 201 : 200, call.wait, call.total);
    }
    calls_.Free(index);
  }

 private:
  // What a request is to the server; bindings go another way where the server is on.
  struct ServedAs {
    Cost cost;
    ApiOperation operation;
  };
  static constexpr ServedAs kServedAs[] = {  // by Request
      {Cost::kBindApi, ApiOperation::kPodStatus},
      {Cost::kWriteApi, ApiOperation::kPodStatus},
      {Cost::kWriteApi, ApiOperation::kPodStatus},
      {Cost::kWriteApi, ApiOperation::kClaimUpdate},
      {Cost::kEventsApi, ApiOperation::kEventCreate},
      {Cost::kEventsApi, ApiOperation::kEventUpdate}};

  // 1.34's dispatcher: at most `parallelism` calls at once, binds and patches in one line.
  void Dispatch(const ApiCall& call) {
    ++replicas_.leader().dispatch_waiting[call.type()];
    replicas_.leader().dispatch_queue.push_back(calls_.Take(call));
    RunDispatched();
  }
  // A request that nobody waits for.
  Nanos Send(Request request, std::uint32_t pod_template, TokenBucket& limiter, Nanos at) {
    ApiCall call;
    call.request = request;
    call.wait = limiter.Take(run_.now);
    call.total = call.wait + RequestTime(request, pod_template, run_.random.api, at + call.wait);
    run_.heap.Push(at + call.total, EventKind::kEventSent, calls_.Take(call), replicas_.life());
    return call.total;
  }

  // The client's side and the server's, of a request that is sent at `at`.
  Nanos RequestTime(Request request, std::uint32_t pod_template, Random& from, Nanos at) {
    const ServedAs& row = kServedAs[static_cast<std::size_t>(request)];
    const Nanos client = run_.Sample(Cost::kBindClient, pod_template, from);
    const Nanos rest = run_.Sample(row.cost, pod_template, from);
    return client + (server_.on() ? server_.Serve(row.operation, at + client / 2, rest) : rest);
  }

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiServer& server_;
  const bool async_;  // binds and status patches go through the dispatcher
  Slots<ApiCall> calls_;
};

}  // namespace schedlens::sim
