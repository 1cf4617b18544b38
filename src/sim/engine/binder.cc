#include "sim/engine/binder.h"

#include <algorithm>
#include <utility>

namespace schedlens::sim {

std::uint32_t Binder::NewJob() {
  std::uint32_t job = 0;
  if (free_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    job = free_.back();
    free_.pop_back();
  }
  const std::uint32_t life = jobs_[job].life + 1;
  jobs_[job] = Job();
  jobs_[job].life = life;
  jobs_[job].used = true;
  ++replicas_.leader().bindings;
  replicas_.leader().bound = true;
  return job;
}

void Binder::FreeJob(std::uint32_t job) {
  jobs_[job].used = false;
  ++jobs_[job].life;
  free_.push_back(job);
  if (replicas_.has_leader()) --replicas_.leader().bindings;
}

void Binder::Drop() {
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    if (jobs_[job].used) FreeJob(job);
  }
}

bool Binder::Live(std::uint32_t job, std::uint32_t life) const {
  return replicas_.has_leader() && jobs_[job].used && jobs_[job].life == life;
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
bool Binder::PutOff(std::uint32_t job, EventKind kind) {
  Job& j = jobs_[job];
  if (j.woken) {
    j.woken = false;
    return false;
  }
  const Nanos delay = ProcessorDelay();
  if (delay <= 0) return false;
  j.woken = true;
  run_.heap.Push(run_.now + delay, kind, job, j.life);
  return true;
}

void Binder::Start(const AttemptRecord& attempt, Nanos ready, bool sampled, Nanos permit_wait) {
  const std::uint32_t job = NewJob();
  Job& j = jobs_[job];
  j.attempt = attempt;
  j.ready = ready;
  j.sampled = sampled;
  j.permit_wait = permit_wait;
  const Nanos spawn = run_.Sample(Cost::kSpawn, TemplateOf(j), run_.random.bind);
  run_.heap.Push(ready + spawn, EventKind::kBindStart, job, j.life);
}

void Binder::Run(std::uint32_t job) {
  if (PutOff(job, EventKind::kBindStart)) return;
  Job& j = jobs_[job];
  const std::uint32_t shape = TemplateOf(j);
  j.attempt[AttemptStage::kSpawn] = run_.now - j.ready;
  j.step = run_.now;
  const bool gang = world_.WaitingGang(j.attempt.pod) != nullptr;
  if (!gang) j.permit_wait += run_.Sample(Cost::kPermitWait, shape, run_.random.bind);
  const bool work = run_.scenario.templates[shape].claim || world_.pod(j.attempt.pod).has_to_bind;
  replicas_.leader().PreFlight(shape, work);
  const bool told = work || gang || j.permit_wait > 0;
  if (told && run_.scenario.release.nominates_before_binding()) {
    const Nanos written = api_.PatchStatus(shape, run_.now);
    if (written > 0) {
      run_.heap.Push(run_.now + written, EventKind::kNominated, job, j.life);
      return;
    }
  }
  WaitOnPermit(job);
}

void Binder::Nominated(std::uint32_t job) {
  if (PutOff(job, EventKind::kNominated)) return;
  Job& j = jobs_[job];
  j.attempt[AttemptStage::kNominate] = run_.now - j.step;
  j.step = run_.now;
  WaitOnPermit(job);
}

void Binder::PreBind(std::uint32_t job) {
  Job& j = jobs_[job];
  const std::uint32_t shape = TemplateOf(j);
  if (run_.scenario.release.flight_ends_at_prebind()) {
    replicas_.leader().queue.EndFlight(j.attempt.pod);
    replicas_.leader().events.Done(j.attempt.pod);
  }
  j.wait = run_.Sample(Cost::kPreBindWait, shape, run_.random.bind);
  Nanos d = run_.Sample(Cost::kPreBind, shape, run_.random.bind) + j.wait;
  if (run_.scenario.templates[shape].claim) {
    // The claim is updated, then looked at once a second, not at once.
    const Nanos update = api_.UpdateClaim(shape);
    const Nanos bound = run_.Sample(Cost::kClaimBind, shape, run_.random.api);
    const Nanos polls = std::max<Nanos>(1, (bound + kSecond - 1) / kSecond);
    d += update + polls * kSecond;
  }
  j.step = run_.now;
  j.failed = run_.random.bind.Chance(run_.conditions->costs.prebind_error);
  const core::PointAnswer answer = RunPlugins(ExtensionPoint::kPreBind, j);
  d += FromSeconds(answer.seconds);
  j.failed |= answer.refused;
  run_.heap.Push(run_.now + d, EventKind::kPreBindDone, job, j.life);
}

// The step that ends now, at one extension point.
void Binder::ObserveStep(const Job& job, ExtensionPoint point, Nanos waited) {
  const Status status = job.failed ? Status::kError : Status::kSuccess;
  const Nanos d = run_.now - job.step;
  replicas_.leader().ObservePoint(point, status, TemplateOf(job), d);
  if (!job.sampled || !replicas_.leader().MeasuresPlugins()) return;
  PointCall call;
  call.point = point;
  call.status = status;
  call.pod_template = TemplateOf(job);
  call.custom_seconds = ToSeconds(waited);
  call.worker_seconds = ToSeconds(d - waited);
  for (const core::OwnTime& time : job.plugins) call.worker_seconds -= time.seconds;
  call.worker_seconds = std::max(0.0, call.worker_seconds);
  call.plugins = job.plugins;
  replicas_.leader().ObserveCall(call);
}

void Binder::PreBindDone(std::uint32_t job) {
  if (PutOff(job, EventKind::kPreBindDone)) return;
  Job& j = jobs_[job];
  j.attempt[AttemptStage::kPreBind] = run_.now - j.step;
  ObserveStep(j, ExtensionPoint::kPreBind, j.wait);
  if (j.failed) {
    Fail(job);
  } else {
    Bind(job);
  }
}

void Binder::Bind(std::uint32_t job) {
  Job& j = jobs_[job];
  const std::uint32_t shape = TemplateOf(j);
  const Costs& costs = run_.conditions->costs;
  j.step = run_.now;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.bind || !extender.IsInterested(run_.scenario.templates[shape])) continue;
    const Nanos timeout = FromSeconds(extender.timeout);
    const Nanos d = run_.Sample(Cost::kExtBind, shape, run_.random.extender);
    j.by_extender = true;
    api_.Charge({cost::Unit::kExtBind});
    j.failed = d > timeout || run_.random.extender.Chance(costs.ext_bind_error);
    run_.heap.Push(run_.now + std::min(d, timeout), EventKind::kBindDone, job, j.life);
    return;
  }
  j.failed = run_.random.bind.Chance(costs.bind_error);
  j.own_bind = FromSeconds(RunPlugins(ExtensionPoint::kBind, j).seconds);
  j.attempt.throttle = api_.Bind(job, j.life, j.attempt.pod, j.failed);
}

void Binder::DispatchedBindDone(std::uint32_t job, Nanos throttle, bool failed) {
  jobs_[job].attempt.throttle = throttle;
  jobs_[job].failed = failed;
  BindDone(job);
}

void Binder::BindDone(std::uint32_t job) {
  if (PutOff(job, EventKind::kBindDone)) return;
  Job& j = jobs_[job];
  if (j.own_bind > 0 && !j.requested) {
    j.requested = true;
    run_.heap.Push(run_.now + j.own_bind, EventKind::kBindDone, job, j.life);
    return;
  }
  // The API server knows neither a deleted pod nor a deleted node.
  if (world_.pod(j.attempt.pod).phase == PodPhase::kGone) j.failed = true;
  const Nanos d = run_.now - j.step;
  if (j.by_extender) {
    j.attempt[AttemptStage::kExtBind] = d;
  } else {
    j.attempt[AttemptStage::kBind] = d;
    j.failed = !api_.EndBind(job, j.life, j.failed, j.attempt.throttle, d - j.own_bind);
    ObserveStep(j, ExtensionPoint::kBind, 0);
  }
  if (j.failed) {
    Fail(job);
    return;
  }
  j.step = run_.now;
  const Nanos finish = run_.Sample(Cost::kFinish, TemplateOf(j), run_.random.bind);
  run_.heap.Push(run_.now + finish, EventKind::kFinished, job, j.life);
}

void Binder::Finished(std::uint32_t job) {
  Job& j = jobs_[job];
  const PodNumber pod = j.attempt.pod;
  if (world_.pod(pod).phase == PodPhase::kGone) {  // deleted between its bind and now
    Fail(job);
    return;
  }
  AttemptRecord& a = j.attempt;
  a[AttemptStage::kFinish] = run_.now - j.step;
  a.result = AttemptResult::kScheduled;
  a.e2e = run_.now - a.start;
  SchedulerProcess& process = replicas_.leader();
  a.since_added = run_.now - process.queue.first_added(pod);
  const std::uint32_t shape = TemplateOf(j);
  const Nanos binding =
      a[AttemptStage::kExtBind] + a[AttemptStage::kBind] + a[AttemptStage::kFinish];
  process.ObserveScheduled(pod, shape, binding, a.e2e, run_.now);
  const Nanos post = run_.Sample(Cost::kPostBind, shape, run_.random.bind) +
                     FromSeconds(RunPlugins(ExtensionPoint::kPostBind, j).seconds);
  process.ObservePoint(ExtensionPoint::kPostBind, Status::kSuccess, shape, post);
  process.queue.Remove(pod);
  process.events.Done(pod);
  run_.Keep(a);
  if (Gang* gang = world_.GangOf(pod)) {
    --gang->permitted;
    --gang->binding;
  }
  FreeJob(job);
  api_.SendEvent(pod, true);
  world_.Bound(pod);
}

// Permit, PreBind or the bind failed: everything is undone and the pod goes back to the queue.
void Binder::Fail(std::uint32_t job) {
  SchedulerProcess& process = replicas_.leader();
  Job& j = jobs_[job];
  AttemptRecord& a = j.attempt;
  const PodNumber pod = a.pod;
  const bool rejected = j.rejected;
  const std::uint32_t shape = TemplateOf(j);
  const Nanos cleanup = run_.Sample(Cost::kUnreserve, shape, run_.random.bind) +
                        FromSeconds(RunPlugins(ExtensionPoint::kUnreserve, j).seconds);
  process.ObservePoint(ExtensionPoint::kUnreserve, Status::kSuccess, shape, cleanup);
  a.result = rejected ? AttemptResult::kUnschedulable : AttemptResult::kError;
  a.e2e = run_.now - a.start;
  if (run_.scenario.release.failure_after_cleanup()) {
    a[AttemptStage::kUnreserve] = cleanup;
    a.e2e += cleanup;
  }
  process.ObserveAttempt(kube::ToString(a.result), shape, a.e2e);
  run_.Keep(a);
  if (Gang* gang = world_.GangOf(pod)) {
    --gang->permitted;
    if (!rejected) --gang->binding;
  }
  FreeJob(job);
  world_.Unassume(pod);
  // What the pod had held is free again, as if an assigned pod had been deleted (from 1.23).
  if (run_.scenario.release.minor >= 23) {
    process.events.Note(InformerEvent::kAssignedPodDelete);
    replicas_.Move(PodEvent::kAssignedPodDelete, {shape + 1, pod});
  }
  failures_.Handle(pod, rejected ? kRejectedByGang : 0U, !rejected, run_.now);
  replicas_.Wake();
}

// Waiting on Permit, and what plugins from outside the tree add.

core::PointAnswer Binder::RunPlugins(ExtensionPoint point, Job& job) {
  if (!world_.placement().has_plugins()) return {};
  core::PointAnswer answer =
      world_.placement().RunPlugins(point, job.attempt.pod, TemplateOf(job), job.attempt.node);
  job.plugins = answer.times;
  return answer;
}

void Binder::WaitOnPermit(std::uint32_t job) {
  Job& j = jobs_[job];
  if (Gang* gang = world_.WaitingGang(j.attempt.pod)) {
    WaitForGang(job, *gang);
    return;
  }
  if (j.permit_wait <= 0) {
    PreBind(job);
    return;
  }
  j.waiting = true;
  run_.heap.Push(run_.now + j.permit_wait, EventKind::kPermitOver, job, j.life);
}

void Binder::WaitForGang(std::uint32_t job, Gang& gang) {
  Job& j = jobs_[job];
  gang.waiting.push_back(job);
  j.waiting = true;
  if (gang.bound + static_cast<int>(gang.waiting.size()) + gang.binding >= gang.size) {
    ReleaseGang(gang, true);
    return;
  }
  // The plugin's clock started at Permit, a moment before the goroutine's.
  run_.heap.Push(j.ready + FromSeconds(run_.scenario.permit_timeout), EventKind::kPermitOver, job,
                 j.life);
}

void Binder::ReleaseGang(Gang& gang, bool allowed) {
  const std::vector<std::uint32_t> waiting = std::move(gang.waiting);
  gang.waiting.clear();
  for (std::uint32_t job : waiting) {
    if (allowed) ++gang.binding;
    PermitWaited(job, allowed);
  }
}

void Binder::PermitOver(std::uint32_t job) {
  if (!jobs_[job].waiting) return;
  if (Gang* gang = world_.WaitingGang(jobs_[job].attempt.pod)) {
    ReleaseGang(*gang, false);
  } else {
    PermitWaited(job, true);
  }
}

void Binder::PermitWaited(std::uint32_t job, bool allowed) {
  Job& j = jobs_[job];
  j.waiting = false;
  j.attempt[AttemptStage::kPermitWait] = run_.now - j.step;
  replicas_.leader()
      .registry
      .Get(Metric::kPermitWait,
           {kube::ToString(allowed ? Status::kSuccess : Status::kUnschedulable)})
      .Observe(ToSeconds(run_.now - j.step));
  if (allowed) {
    PreBind(job);
  } else {
    j.rejected = true;
    Fail(job);
  }
}

}  // namespace schedlens::sim
