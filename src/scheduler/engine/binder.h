#pragma once

// Binds: the leader's requests to the API server (rate limiter, latencies, from 1.34 the dispatcher
// of asynchronous calls), and the goroutines that send them.

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"

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
      : run_(run), world_(world), replicas_(replicas), server_(server) {}

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
    Dispatch({.request = Request::kStatusPatch});
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

  /// A failed attempt ends, `cleanup` before all is undone.
  void EndFailed(AttemptRecord* attempt, Nanos cleanup) {
    attempt->e2e = run_.now - attempt->start;
    if (run_.scenario.release.failure_after_cleanup()) {
      (*attempt)[AttemptStage::kUnreserve] = cleanup;
      attempt->e2e += cleanup;
    }
    replicas_.leader().ObserveAttempt(kube::ToString(attempt->result),
                                      world_.pod(attempt->pod).pod_template, attempt->e2e);
    run_.Keep(*attempt);
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
  // What a request is to the server, by Request; bindings go another way where the server is on.
  static constexpr std::pair<Cost, ApiOperation> kServedAs[] = {
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
    const Nanos wait = limiter.Take(run_.now);
    const Nanos total = wait + RequestTime(request, pod_template, run_.random.api, at + wait);
    run_.heap.Push(at + total, EventKind::kEventSent,
                   calls_.Take({.request = request, .wait = wait, .total = total}),
                   replicas_.life());
    return total;
  }

  // The client's side and the server's, of a request that is sent at `at`.
  Nanos RequestTime(Request request, std::uint32_t pod_template, Random& from, Nanos at) {
    const auto& [cost, operation] = kServedAs[static_cast<std::size_t>(request)];
    const Nanos client = run_.Sample(Cost::kBindClient, pod_template, from);
    const Nanos rest = run_.Sample(cost, pod_template, from);
    return client + (server_.on() ? server_.Serve(operation, at + client / 2, rest) : rest);
  }

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiServer& server_;
  // Binds and status patches go through the dispatcher.
  const bool async_ = run_.scenario.AsyncApiCalls();
  Slots<ApiCall> calls_;
};

/// The binding goroutines: WaitOnPermit, PreBind, a bind, FinishBinding.
class Binder {
 public:
  Binder(RunState& run, World& world, Replicas& replicas, ApiClient& api)
      : run_(run), world_(world), replicas_(replicas), api_(api) {}

  /// Starts a goroutine for an attempt past Permit at `ready`. `sampled`: its plugins are measured.
  void Start(const AttemptRecord& attempt, Nanos ready, bool sampled, Nanos permit_wait) {
    const std::uint32_t index = jobs_.Take();
    Job& j = jobs_[index];
    j.index = index;
    j.life = ++lives_;
    j.attempt = attempt;
    j.pod_template = world_.pod(attempt.pod).pod_template;
    j.ready = ready;
    j.sampled = sampled;
    j.permit_wait = permit_wait;
    ++replicas_.leader().bindings;
    replicas_.leader().bound = true;
    const Nanos spawn = run_.Sample(Cost::kSpawn, j.pod_template, run_.random.bind);
    run_.heap.Push(ready + spawn, EventKind::kBindStart, j.index, j.life);
  }

  /// The leader died, and its goroutines with it.
  void Drop() {
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
      if (jobs_[job].life != 0) FreeJob(jobs_[job]);
    }
  }
  std::size_t running() const { return jobs_.used(); }
  /// An event of a goroutine; dropped if that one has ended.
  void Handle(EventKind kind, std::uint32_t job, std::uint32_t life) {
    if (!Live(job, life)) return;
    Job& j = jobs_[job];
    if (kind == EventKind::kPermitOver) return PermitOver(j);
    if (kind == EventKind::kFinished) return Finished(j);
    if (PutOff(j, kind)) return;
    if (kind == EventKind::kBindStart) return Run(j);
    if (kind == EventKind::kNominated) {
      j.attempt[AttemptStage::kNominate] = run_.now - j.step;
      j.step = run_.now;
      return WaitOnPermit(j);
    }
    if (kind == EventKind::kPreBindDone) return PreBindDone(j);
    BindDone(j);
  }

  /// The dispatcher's call has ended; does nothing if it was not a bind.
  void EndDispatched(const ApiCall& call) {
    if (call.request != Request::kBind || !Live(call.job, call.job_life)) return;
    jobs_[call.job].attempt.throttle = call.wait;
    jobs_[call.job].failed = call.failed;
    Handle(EventKind::kBindDone, call.job, call.job_life);
  }

 private:
  struct Job {
    std::uint32_t index = 0;
    std::uint32_t life = 0;  // 0: it has ended
    AttemptRecord attempt;
    std::uint32_t pod_template = 0;
    bool waiting = false;  // on Permit
    bool woken = false;    // it has waited for the processor at this step
    bool by_extender = false, failed = false;
    bool rejected = false;  // unschedulable rather than error
    bool sampled = false;
    bool requested = false;                // the bind's request has ended, own_bind has begun
    Nanos ready = 0;                       // when the loop was done with it
    Nanos step = 0;                        // when the current step began
    Nanos wait = 0;                        // of PreBind, what a plugin waits for
    Nanos permit_wait = 0;                 // of a plugin from outside the tree
    Nanos own_bind = 0;                    // what such plugins take at Bind
    std::vector<core::OwnTime> plugins{};  // what they take at the current step
  };

  bool Live(std::uint32_t job, std::uint32_t life) const {
    return replicas_.has_leader() && jobs_[job].life == life;
  }
  void Later(const Job& j, Nanos after, EventKind kind) {
    run_.heap.Push(run_.now + after, kind, j.index, j.life);
  }
  void FreeJob(Job& j) {
    j.life = 0;
    jobs_.Free(j.index);
    if (replicas_.has_leader()) --replicas_.leader().bindings;
  }
  // A goroutine that wakes up may have to wait for the processor. True: it was put off.
  bool PutOff(Job& j, EventKind kind) {
    const Nanos delay = j.woken ? 0 : ProcessorDelay();
    j.woken = delay > 0;
    if (j.woken) Later(j, delay, kind);
    return j.woken;
  }
  // How long a goroutine that becomes runnable now waits for the loop's processor.
  Nanos ProcessorDelay() {
    const Conditions& c = *run_.conditions;
    const LoopWork& loop = replicas_.leader().work;
    if (c.cores <= 0 || !loop.busy) return 0;
    const LoopWork::Segment segment = loop.At(run_.now);
    if (segment.workers == 0) return 0;
    const int ahead = (segment.workers + c.cores - 1) / c.cores;
    const Nanos turn = FromSeconds(run_.random.bind.Uniform() * c.slice * ahead);
    return std::min(segment.end - run_.now, turn);
  }

  // The steps, in their order.
  void Run(Job& j) {
    j.attempt[AttemptStage::kSpawn] = run_.now - j.ready;
    j.step = run_.now;
    const bool gang = world_.WaitingGang(j.attempt.pod) != nullptr;
    if (!gang) j.permit_wait += run_.Sample(Cost::kPermitWait, j.pod_template, run_.random.bind);
    const bool work =
        world_.TemplateOf(j.attempt.pod).claim || world_.pod(j.attempt.pod).has_to_bind;
    replicas_.leader().PreFlight(j.pod_template, work);
    const bool told = work || gang || j.permit_wait > 0;
    if (told && run_.scenario.release.writes_nominated_node()) {
      const Nanos written = api_.PatchStatus(j.pod_template, run_.now);
      if (written > 0) return Later(j, written, EventKind::kNominated);
    }
    WaitOnPermit(j);
  }

  void WaitOnPermit(Job& j) {
    Gang* const gang = world_.WaitingGang(j.attempt.pod);
    if (gang == nullptr && j.permit_wait <= 0) return PreBind(j);
    j.waiting = true;
    if (gang == nullptr) return Later(j, j.permit_wait, EventKind::kPermitOver);
    gang->waiting.push_back(j.index);
    if (gang->bound + static_cast<int>(gang->waiting.size()) + gang->binding >= gang->size) {
      return ReleaseGang(*gang, true);
    }
    // The plugin's clock started at Permit, a moment before the goroutine's.
    run_.heap.Push(j.ready + FromSeconds(run_.scenario.permit_timeout), EventKind::kPermitOver,
                   j.index, j.life);
  }

  void ReleaseGang(Gang& gang, bool allowed) {
    const std::vector<std::uint32_t> waiting = std::move(gang.waiting);
    gang.waiting.clear();
    for (const std::uint32_t job : waiting) {
      if (allowed) ++gang.binding;
      PermitWaited(jobs_[job], allowed);
    }
  }

  void PermitOver(Job& j) {
    if (!j.waiting) return;
    if (Gang* gang = world_.WaitingGang(j.attempt.pod)) return ReleaseGang(*gang, false);
    PermitWaited(j, true);
  }
  void PermitWaited(Job& j, bool allowed) {
    j.waiting = false;
    j.attempt[AttemptStage::kPermitWait] = run_.now - j.step;
    replicas_.leader()
        .registry
        .Get(Metric::kPermitWait,
             {kube::ToString(allowed ? Status::kSuccess : Status::kUnschedulable)})
        .Observe(ToSeconds(run_.now - j.step));
    if (allowed) return PreBind(j);
    j.rejected = true;
    Fail(j);
  }

  void PreBind(Job& j) {
    // Before, events concern a pod until it is bound.
    if (run_.scenario.release.minor >= 31) {
      replicas_.leader().queue.EndFlight(j.attempt.pod);
      replicas_.leader().events.Done(j.attempt.pod);
    }
    j.wait = run_.Sample(Cost::kPreBindWait, j.pod_template, run_.random.bind);
    Nanos d = run_.Sample(Cost::kPreBind, j.pod_template, run_.random.bind) + j.wait;
    if (world_.TemplateOf(j.attempt.pod).claim) {
      // The claim is updated, then looked at once a second, not at once.
      const Nanos update = api_.UpdateClaim(j.pod_template);
      const Nanos bound = run_.Sample(Cost::kClaimBind, j.pod_template, run_.random.api);
      const Nanos polls = std::max<Nanos>(1, (bound + kSecond - 1) / kSecond);
      d += update + polls * kSecond;
    }
    j.step = run_.now;
    j.failed = run_.random.bind.Chance(run_.conditions->costs.prebind_error);
    const core::PointAnswer answer = RunPlugins(ExtensionPoint::kPreBind, j);
    d += FromSeconds(answer.seconds);
    j.failed |= answer.refused;
    Later(j, d, EventKind::kPreBindDone);
  }

  void PreBindDone(Job& j) {
    j.attempt[AttemptStage::kPreBind] = run_.now - j.step;
    ObserveStep(j, ExtensionPoint::kPreBind, j.wait);
    if (j.failed) return Fail(j);
    Bind(j);
  }
  void Bind(Job& j) {
    const Costs& costs = run_.conditions->costs;
    j.step = run_.now;
    for (const Extender& extender : run_.scenario.extenders) {
      if (!extender.bind || !extender.IsInterested(world_.TemplateOf(j.attempt.pod))) continue;
      const Nanos timeout = FromSeconds(extender.timeout);
      const Nanos d = run_.Sample(Cost::kExtBind, j.pod_template, run_.random.extender);
      j.by_extender = true;
      api_.Charge({"extender.bind-call"});
      j.failed = d > timeout || run_.random.extender.Chance(costs.ext_bind_error);
      return Later(j, std::min(d, timeout), EventKind::kBindDone);
    }
    j.failed = run_.random.bind.Chance(costs.bind_error);
    j.own_bind = FromSeconds(RunPlugins(ExtensionPoint::kBind, j).seconds);
    j.attempt.throttle = api_.Bind(j.index, j.life, j.attempt.pod, j.failed);
  }

  void BindDone(Job& j) {
    if (j.own_bind > 0 && !j.requested) {
      j.requested = true;
      return Later(j, j.own_bind, EventKind::kBindDone);
    }
    // The API server knows neither a deleted pod nor a deleted node.
    if (world_.pod(j.attempt.pod).phase == PodPhase::kGone) j.failed = true;
    const Nanos d = run_.now - j.step;
    if (j.by_extender) {
      j.attempt[AttemptStage::kExtBind] = d;
    } else {
      j.attempt[AttemptStage::kBind] = d;
      j.failed = !api_.EndBind(j.index, j.life, j.failed, j.attempt.throttle, d - j.own_bind);
      ObserveStep(j, ExtensionPoint::kBind, 0);
    }
    if (j.failed) return Fail(j);
    j.step = run_.now;
    Later(j, run_.Sample(Cost::kFinish, j.pod_template, run_.random.bind), EventKind::kFinished);
  }

  void Finished(Job& j) {
    const PodNumber pod = j.attempt.pod;
    // Deleted between its bind and now.
    if (world_.pod(pod).phase == PodPhase::kGone) return Fail(j);
    AttemptRecord& a = j.attempt;
    a[AttemptStage::kFinish] = run_.now - j.step;
    a.result = AttemptResult::kScheduled;
    a.e2e = run_.now - a.start;
    SchedulerProcess& process = replicas_.leader();
    a.since_added = run_.now - process.queue.first_added(pod);
    const Nanos binding =
        a[AttemptStage::kExtBind] + a[AttemptStage::kBind] + a[AttemptStage::kFinish];
    process.ObserveScheduled(pod, j.pod_template, binding, a.e2e, run_.now);
    const Nanos post = run_.Sample(Cost::kPostBind, j.pod_template, run_.random.bind) +
                       FromSeconds(RunPlugins(ExtensionPoint::kPostBind, j).seconds);
    process.ObservePoint(ExtensionPoint::kPostBind, Status::kSuccess, j.pod_template, post);
    process.queue.Remove(pod);
    process.events.Done(pod);
    run_.Keep(a);
    if (Gang* gang = world_.GangOf(pod)) {
      --gang->permitted;
      --gang->binding;
    }
    FreeJob(j);
    api_.SendEvent(pod, true);
    world_.Bound(pod);
  }

  // Permit, PreBind or the bind failed: everything is undone and the pod goes back to the queue.
  void Fail(Job& j) {
    SchedulerProcess& process = replicas_.leader();
    AttemptRecord& a = j.attempt;
    const PodNumber pod = a.pod;
    const bool rejected = j.rejected;
    const Nanos cleanup = run_.Sample(Cost::kUnreserve, j.pod_template, run_.random.bind) +
                          FromSeconds(RunPlugins(ExtensionPoint::kUnreserve, j).seconds);
    process.ObservePoint(ExtensionPoint::kUnreserve, Status::kSuccess, j.pod_template, cleanup);
    a.result = rejected ? AttemptResult::kUnschedulable : AttemptResult::kError;
    api_.EndFailed(&a, cleanup);
    if (Gang* gang = world_.GangOf(pod)) {
      --gang->permitted;
      if (!rejected) --gang->binding;
    }
    FreeJob(j);
    world_.Unassume(pod);
    // What the pod had held is free again, as if an assigned pod had been deleted (from 1.23).
    if (run_.scenario.release.minor >= 23) {
      replicas_.Move(PodEvent::kAssignedPodDelete, {j.pod_template + 1, pod});
    }
    api_.HandleFailure(pod, rejected ? kRejectedByGang : 0U, !rejected, run_.now);
    replicas_.Wake();
  }

  core::PointAnswer RunPlugins(ExtensionPoint point, Job& j) {
    core::PointAnswer answer =
        world_.placement().RunPlugins(point, j.attempt.pod, j.pod_template, j.attempt.node);
    j.plugins = answer.times;
    return answer;
  }
  // The step that ends now, at one extension point.
  void ObserveStep(const Job& j, ExtensionPoint point, Nanos waited) {
    const Status status = j.failed ? Status::kError : Status::kSuccess;
    const Nanos d = run_.now - j.step;
    replicas_.leader().ObservePoint(point, status, j.pod_template, d);
    if (!j.sampled || !replicas_.leader().MeasuresPlugins()) return;
    double seconds = ToSeconds(d - waited);
    for (const core::OwnTime& time : j.plugins) seconds -= time.seconds;
    replicas_.leader().ObserveCall({.point = point,
                                    .status = status,
                                    .pod_template = j.pod_template,
                                    .worker_seconds = std::max(0.0, seconds),
                                    .custom_seconds = ToSeconds(waited),
                                    .plugins = j.plugins});
  }

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiClient& api_;
  Slots<Job> jobs_;
  std::uint32_t lives_ = 0;
};

}  // namespace schedlens::sim
