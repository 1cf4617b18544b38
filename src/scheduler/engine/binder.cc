#include "scheduler/engine/binder.h"

#include <algorithm>
#include <utility>

namespace schedlens::sim {

void Binder::FreeJob(Job& j) {
  j.life = 0;
  jobs_.Free(j.index);
  if (replicas_.has_leader()) --replicas_.leader().bindings;
}

void Binder::Drop() {
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    if (jobs_[job].life != 0) FreeJob(jobs_[job]);
  }
}

void Binder::Handle(EventKind kind, std::uint32_t job, std::uint32_t life) {
  if (!Live(job, life)) return;
  Job& j = jobs_[job];
  if (kind == EventKind::kPermitOver) return PermitOver(j);
  if (kind == EventKind::kFinished) return Finished(j);
  if (PutOff(j, kind)) return;
  if (kind == EventKind::kBindStart) return Run(j);
  if (kind == EventKind::kNominated) return Nominated(j);
  if (kind == EventKind::kPreBindDone) return PreBindDone(j);
  BindDone(j);
}

void Binder::EndDispatched(const ApiCall& call) {
  if (call.request != Request::kBind || !Live(call.job, call.job_life)) return;
  jobs_[call.job].attempt.throttle = call.wait;
  jobs_[call.job].failed = call.failed;
  Handle(EventKind::kBindDone, call.job, call.job_life);
}

// How long a goroutine that becomes runnable now waits for the processor the loop's work occupies.
Nanos Binder::ProcessorDelay() {
  const Conditions& c = *run_.conditions;
  const LoopWork& loop = replicas_.leader().work;
  if (c.cores <= 0 || !loop.busy) return 0;
  const LoopWork::Segment segment = loop.At(run_.now);
  if (segment.workers == 0) return 0;
  const int ahead = (segment.workers + c.cores - 1) / c.cores;
  const Nanos turn = FromSeconds(run_.random.bind.Uniform() * c.slice * ahead);
  return std::min(segment.end - run_.now, turn);
}

// A goroutine that wakes up may have to wait for the processor. True: it was put off.
bool Binder::PutOff(Job& j, EventKind kind) {
  const Nanos delay = j.woken ? 0 : ProcessorDelay();
  j.woken = delay > 0;
  if (j.woken) Later(j, delay, kind);
  return j.woken;
}

void Binder::Start(const AttemptRecord& attempt, Nanos ready, bool sampled, Nanos permit_wait) {
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

void Binder::Run(Job& j) {
  j.attempt[AttemptStage::kSpawn] = run_.now - j.ready;
  j.step = run_.now;
  const bool gang = world_.WaitingGang(j.attempt.pod) != nullptr;
  if (!gang) j.permit_wait += run_.Sample(Cost::kPermitWait, j.pod_template, run_.random.bind);
  const bool work =
      run_.scenario.templates[j.pod_template].claim || world_.pod(j.attempt.pod).has_to_bind;
  replicas_.leader().PreFlight(j.pod_template, work);
  const bool told = work || gang || j.permit_wait > 0;
  if (told && run_.scenario.release.nominates_before_binding()) {
    const Nanos written = api_.PatchStatus(j.pod_template, run_.now);
    if (written > 0) {
      Later(j, written, EventKind::kNominated);
      return;
    }
  }
  WaitOnPermit(j);
}

void Binder::Nominated(Job& j) {
  j.attempt[AttemptStage::kNominate] = run_.now - j.step;
  j.step = run_.now;
  WaitOnPermit(j);
}

void Binder::PreBind(Job& j) {
  if (run_.scenario.release.flight_ends_at_prebind()) {
    replicas_.leader().queue.EndFlight(j.attempt.pod);
    replicas_.leader().events.Done(j.attempt.pod);
  }
  j.wait = run_.Sample(Cost::kPreBindWait, j.pod_template, run_.random.bind);
  Nanos d = run_.Sample(Cost::kPreBind, j.pod_template, run_.random.bind) + j.wait;
  if (run_.scenario.templates[j.pod_template].claim) {
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

// The step that ends now, at one extension point.
void Binder::ObserveStep(const Job& j, ExtensionPoint point, Nanos waited) {
  const Status status = j.failed ? Status::kError : Status::kSuccess;
  const Nanos d = run_.now - j.step;
  replicas_.leader().ObservePoint(point, status, j.pod_template, d);
  if (!j.sampled || !replicas_.leader().MeasuresPlugins()) return;
  PointCall call;
  call.point = point;
  call.status = status;
  call.pod_template = j.pod_template;
  call.custom_seconds = ToSeconds(waited);
  call.worker_seconds = ToSeconds(d - waited);
  for (const core::OwnTime& time : j.plugins) call.worker_seconds -= time.seconds;
  call.worker_seconds = std::max(0.0, call.worker_seconds);
  call.plugins = j.plugins;
  replicas_.leader().ObserveCall(call);
}

void Binder::PreBindDone(Job& j) {
  j.attempt[AttemptStage::kPreBind] = run_.now - j.step;
  ObserveStep(j, ExtensionPoint::kPreBind, j.wait);
  if (j.failed) {
    Fail(j);
  } else {
    Bind(j);
  }
}

void Binder::Bind(Job& j) {
  const Costs& costs = run_.conditions->costs;
  j.step = run_.now;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.bind || !extender.IsInterested(run_.scenario.templates[j.pod_template])) continue;
    const Nanos timeout = FromSeconds(extender.timeout);
    const Nanos d = run_.Sample(Cost::kExtBind, j.pod_template, run_.random.extender);
    j.by_extender = true;
    api_.Charge({"extender.bind-call"});
    j.failed = d > timeout || run_.random.extender.Chance(costs.ext_bind_error);
    Later(j, std::min(d, timeout), EventKind::kBindDone);
    return;
  }
  j.failed = run_.random.bind.Chance(costs.bind_error);
  j.own_bind = FromSeconds(RunPlugins(ExtensionPoint::kBind, j).seconds);
  j.attempt.throttle = api_.Bind(j.index, j.life, j.attempt.pod, j.failed);
}

void Binder::BindDone(Job& j) {
  if (j.own_bind > 0 && !j.requested) {
    j.requested = true;
    Later(j, j.own_bind, EventKind::kBindDone);
    return;
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
  if (j.failed) {
    Fail(j);
    return;
  }
  j.step = run_.now;
  const Nanos finish = run_.Sample(Cost::kFinish, j.pod_template, run_.random.bind);
  Later(j, finish, EventKind::kFinished);
}

void Binder::Finished(Job& j) {
  const PodNumber pod = j.attempt.pod;
  if (world_.pod(pod).phase == PodPhase::kGone) {  // deleted between its bind and now
    Fail(j);
    return;
  }
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
void Binder::Fail(Job& j) {
  SchedulerProcess& process = replicas_.leader();
  AttemptRecord& a = j.attempt;
  const PodNumber pod = a.pod;
  const bool rejected = j.rejected;
  const Nanos cleanup = run_.Sample(Cost::kUnreserve, j.pod_template, run_.random.bind) +
                        FromSeconds(RunPlugins(ExtensionPoint::kUnreserve, j).seconds);
  process.ObservePoint(ExtensionPoint::kUnreserve, Status::kSuccess, j.pod_template, cleanup);
  a.result = rejected ? AttemptResult::kUnschedulable : AttemptResult::kError;
  a.e2e = run_.now - a.start;
  if (run_.scenario.release.failure_after_cleanup()) {
    a[AttemptStage::kUnreserve] = cleanup;
    a.e2e += cleanup;
  }
  process.ObserveAttempt(kube::ToString(a.result), j.pod_template, a.e2e);
  run_.Keep(a);
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

// Waiting on Permit, and what plugins from outside the tree add.

core::PointAnswer Binder::RunPlugins(ExtensionPoint point, Job& j) {
  if (!world_.placement().has_plugins()) return {};
  core::PointAnswer answer =
      world_.placement().RunPlugins(point, j.attempt.pod, j.pod_template, j.attempt.node);
  j.plugins = answer.times;
  return answer;
}

void Binder::WaitOnPermit(Job& j) {
  if (Gang* gang = world_.WaitingGang(j.attempt.pod)) {
    WaitForGang(j, *gang);
    return;
  }
  if (j.permit_wait <= 0) {
    PreBind(j);
    return;
  }
  j.waiting = true;
  Later(j, j.permit_wait, EventKind::kPermitOver);
}

void Binder::WaitForGang(Job& j, Gang& gang) {
  gang.waiting.push_back(j.index);
  j.waiting = true;
  if (gang.bound + static_cast<int>(gang.waiting.size()) + gang.binding >= gang.size) {
    ReleaseGang(gang, true);
    return;
  }
  // The plugin's clock started at Permit, a moment before the goroutine's.
  run_.heap.Push(j.ready + FromSeconds(run_.scenario.permit_timeout), EventKind::kPermitOver,
                 j.index, j.life);
}

void Binder::ReleaseGang(Gang& gang, bool allowed) {
  const std::vector<std::uint32_t> waiting = std::move(gang.waiting);
  gang.waiting.clear();
  for (const std::uint32_t job : waiting) {
    if (allowed) ++gang.binding;
    PermitWaited(jobs_[job], allowed);
  }
}

void Binder::PermitOver(Job& j) {
  if (!j.waiting) return;
  if (Gang* gang = world_.WaitingGang(j.attempt.pod)) {
    ReleaseGang(*gang, false);
  } else {
    PermitWaited(j, true);
  }
}

void Binder::PermitWaited(Job& j, bool allowed) {
  j.waiting = false;
  j.attempt[AttemptStage::kPermitWait] = run_.now - j.step;
  replicas_.leader()
      .registry
      .Get(Metric::kPermitWait,
           {kube::ToString(allowed ? Status::kSuccess : Status::kUnschedulable)})
      .Observe(ToSeconds(run_.now - j.step));
  if (allowed) {
    PreBind(j);
  } else {
    j.rejected = true;
    Fail(j);
  }
}

}  // namespace schedlens::sim
