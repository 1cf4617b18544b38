// The binding goroutines: WaitOnPermit, PreBind, the extender's or the API server's bind,
// FinishBinding; and the API client behind them.

#include <algorithm>

#include "sim/engine/engine.h"

namespace schedlens::sim {

std::uint32_t Simulation::Engine::NewJob() {
  std::uint32_t job = 0;
  if (free_jobs_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    job = free_jobs_.back();
    free_jobs_.pop_back();
  }
  const std::uint32_t life = jobs_[job].life + 1;
  jobs_[job] = Job();
  jobs_[job].life = life;
  jobs_[job].used = true;
  ++leader().bindings;
  leader().bound = true;
  return job;
}

void Simulation::Engine::FreeJob(std::uint32_t job) {
  jobs_[job].used = false;
  ++jobs_[job].life;
  free_jobs_.push_back(job);
  if (has_leader()) --leader().bindings;
}

bool Simulation::Engine::Live(const HeapEvent& event) const {
  const Job& job = jobs_[event.subject];
  return has_leader() && job.used && job.life == event.life;
}

// A goroutine that wakes up may have to wait for the processor. True: it was put off.
bool Simulation::Engine::PutOff(std::uint32_t job, EventKind kind) {
  Job& j = jobs_[job];
  if (j.woken) {
    j.woken = false;
    return false;
  }
  const Nanos delay = ProcessorDelay();
  if (delay <= 0) return false;
  j.woken = true;
  heap_.Push(now_ + delay, kind, job, j.life);
  return true;
}

void Simulation::Engine::BindStart(std::uint32_t job) {
  if (PutOff(job, EventKind::kBindStart)) return;
  Job& j = jobs_[job];
  j.attempt[Stage::kSpawn] = now_ - j.ready;
  j.step = now_;
  const std::int32_t gang = pods_[j.attempt.pod].gang;
  if (gang >= 0) {
    WaitOnPermit(job);
    return;
  }
  const Nanos wait =
      SampleCost(Cost::kPermitWait, pods_[j.attempt.pod].pod_template, bind_random_, 0, 1);
  if (wait <= 0) {
    PermitDone(job, true);
    return;
  }
  j.waiting = true;
  heap_.Push(now_ + wait, EventKind::kPermitOver, job, j.life);
}

void Simulation::Engine::WaitOnPermit(std::uint32_t job) {
  Job& j = jobs_[job];
  Gang& gang = gangs_[static_cast<std::size_t>(pods_[j.attempt.pod].gang)];
  gang.waiting.push_back(job);
  j.waiting = true;
  if (gang.bound + static_cast<int>(gang.waiting.size()) + gang.binding >= gang.size) {
    ReleaseGang(gang, true);
    return;
  }
  // The plugin's clock started at Permit, a moment before the goroutine's.
  heap_.Push(j.ready + FromSeconds(scenario_.permit_timeout), EventKind::kPermitOver, job, j.life);
}

void Simulation::Engine::ReleaseGang(Gang& gang, bool allowed) {
  const std::vector<std::uint32_t> waiting = std::move(gang.waiting);
  gang.waiting.clear();
  for (std::uint32_t job : waiting) {
    if (allowed) ++gang.binding;
    PermitWaited(job, allowed);
  }
}

void Simulation::Engine::PermitWaited(std::uint32_t job, bool allowed) {
  Job& j = jobs_[job];
  j.waiting = false;
  j.attempt[Stage::kPermitWait] = now_ - j.step;
  leader()
      .registry.Get(Metric::kPermitWait, {allowed ? "Success" : "Unschedulable"})
      .Observe(ToSeconds(now_ - j.step));
  PermitDone(job, allowed);
}

void Simulation::Engine::PermitDone(std::uint32_t job, bool allowed) {
  Job& j = jobs_[job];
  if (!allowed) {
    j.rejected = true;
    BindingFailed(job);
    return;
  }
  const Pod& pod = pods_[j.attempt.pod];
  const PodTemplate& shape = scenario_.templates[pod.pod_template];
  j.wait = SampleCost(Cost::kPreBindWait, pod.pod_template, bind_random_, 0, 1);
  Nanos d = SampleCost(Cost::kPreBind, pod.pod_template, bind_random_, 0, 1) + j.wait;
  if (shape.claim) {
    // The claim is updated, then looked at once a second, not at once.
    ApiCall call;
    call.request = Request::kClaimUpdate;
    call.wait = leader().client.Take(now_);
    call.total = call.wait + SampleCost(Cost::kBindClient, pod.pod_template, api_random_, 0, 1) +
                 SampleCost(Cost::kWriteApi, pod.pod_template, api_random_, 0, 1);
    ++counts_.api_requests;
    heap_.Push(now_ + call.total, EventKind::kEventSent, NewCall(call), process_life_);
    const Nanos bound = SampleCost(Cost::kClaimBind, pod.pod_template, api_random_, 0, 1);
    const Nanos polls = std::max<Nanos>(1, (bound + kSecond - 1) / kSecond);
    d += call.total + polls * kSecond;
  }
  j.step = now_;
  j.failed = bind_random_.Chance(conditions_->costs.prebind_error);
  heap_.Push(now_ + d, EventKind::kPreBindDone, job, j.life);
}

void Simulation::Engine::PreBindDone(std::uint32_t job) {
  if (PutOff(job, EventKind::kPreBindDone)) return;
  Job& j = jobs_[job];
  const std::uint32_t shape = pods_[j.attempt.pod].pod_template;
  j.attempt[Stage::kPreBind] = now_ - j.step;
  const Status status = j.failed ? Status::kError : Status::kSuccess;
  leader().ObservePoint(Point::kPreBind, status, shape, now_ - j.step);
  if (j.sampled) {
    PointCall call;
    call.point = Point::kPreBind;
    call.status = status;
    call.pod_template = shape;
    call.custom_seconds = ToSeconds(j.wait);
    call.worker_seconds = ToSeconds(now_ - j.step - j.wait);
    leader().ObserveCall(call);
  }
  if (j.failed) {
    BindingFailed(job);
    return;
  }
  SendBind(job);
}

const Extender* Simulation::Engine::BinderFor(PodId pod) const {
  const PodTemplate& shape = scenario_.templates[pods_[pod].pod_template];
  for (const Extender& extender : scenario_.extenders) {
    if (!extender.bind) continue;
    if (extender.managed.empty() || shape.extended.contains(extender.managed)) return &extender;
  }
  return nullptr;
}

void Simulation::Engine::SendBind(std::uint32_t job) {
  Job& j = jobs_[job];
  const std::uint32_t shape = pods_[j.attempt.pod].pod_template;
  j.step = now_;
  if (const Extender* binder = BinderFor(j.attempt.pod); binder != nullptr) {
    const Nanos timeout = FromSeconds(binder->timeout);
    const Nanos d = SampleCost(Cost::kExtBind, shape, extender_random_, 0, 1);
    j.by_extender = true;
    j.failed = d > timeout || extender_random_.Chance(conditions_->costs.ext_bind_error);
    heap_.Push(now_ + std::min(d, timeout), EventKind::kBindDone, job, j.life);
    return;
  }
  j.failed = bind_random_.Chance(conditions_->costs.bind_error);
  if (async_api_) {
    ApiCall call;
    call.kind = CallKind::kBind;
    call.request = Request::kBind;
    call.job = job;
    call.job_life = j.life;
    Dispatch(NewCall(call));
    return;
  }
  j.attempt.throttle = leader().client.Take(now_);
  j.wait = j.attempt.throttle + SampleCost(Cost::kBindClient, shape, bind_random_, 0, 1) +
           SampleCost(Cost::kBindApi, shape, bind_random_, 0, 1);
  leader().cpu_seconds += 0.0015;
  heap_.Push(now_ + j.wait, EventKind::kBindDone, job, j.life);
}

void Simulation::Engine::BindDone(std::uint32_t job) {
  if (PutOff(job, EventKind::kBindDone)) return;
  Job& j = jobs_[job];
  const Pod& pod = pods_[j.attempt.pod];
  const std::uint32_t shape = pod.pod_template;
  // The API server knows neither a deleted pod nor a deleted node.
  if (pod.phase == PodPhase::kGone) j.failed = true;
  const Nanos d = now_ - j.step;
  if (j.by_extender) {
    j.attempt[Stage::kExtBind] = d;
  } else {
    j.attempt[Stage::kBind] = d;
    const Status status = j.failed ? Status::kError : Status::kSuccess;
    ++counts_.api_requests;
    if (!async_api_) {
      leader().ObserveRequest(Request::kBind, j.failed ? 500 : 201, j.attempt.throttle, d);
    }
    leader().ObservePoint(Point::kBind, status, shape, d);
    if (j.sampled) {
      PointCall call;
      call.point = Point::kBind;
      call.status = status;
      call.pod_template = shape;
      call.worker_seconds = ToSeconds(d);
      leader().ObserveCall(call);
    }
  }
  if (j.failed) {
    BindingFailed(job);
    return;
  }
  j.step = now_;
  const Nanos finish = SampleCost(Cost::kFinish, shape, bind_random_, 0, 1);
  heap_.Push(now_ + finish, EventKind::kFinished, job, j.life);
}

void Simulation::Engine::Finished(std::uint32_t job) {
  Job& j = jobs_[job];
  const PodId pod = j.attempt.pod;
  if (pods_[pod].phase == PodPhase::kGone) {  // deleted between its bind and now
    BindingFailed(job);
    return;
  }
  SchedulerProcess& process = leader();
  const std::uint32_t shape = pods_[pod].pod_template;
  AttemptRecord& a = j.attempt;
  a[Stage::kFinish] = now_ - j.step;
  a.result = AttemptResult::kScheduled;
  a.e2e = now_ - a.start;
  process.registry.Get(Metric::kBinding, {})
      .Observe(ToSeconds(a[Stage::kExtBind] + a[Stage::kBind] + a[Stage::kFinish]));
  process.ObserveAttempt("scheduled", shape, a.e2e);
  const int attempts = process.queue.attempts(pod);
  const double waited = ToSeconds(now_ - process.queue.first_added(pod));
  const std::string label = attempts >= 15 ? "15+" : std::to_string(attempts);
  process.registry.Get(Metric::kPodDuration, {label}).Observe(waited);
  process.registry.Get(Metric::kPodSli, {label}).Observe(waited);
  process.registry.Get(Metric::kPodAttempts, {}).Observe(attempts);
  const Nanos post = SampleCost(Cost::kPostBind, shape, bind_random_, 0, 1);
  process.ObservePoint(Point::kPostBind, Status::kSuccess, shape, post);
  process.queue.Remove(pod);
  EndAttempt(a);
  const std::int32_t gang = pods_[pod].gang;
  if (gang >= 0) {
    --gangs_[static_cast<std::size_t>(gang)].permitted;
    --gangs_[static_cast<std::size_t>(gang)].binding;
  }
  FreeJob(job);
  SendEvent(pod, true);
  PodBound(pod);
}

// Permit, PreBind or the bind failed: everything is undone and the pod goes back to the queue.
void Simulation::Engine::BindingFailed(std::uint32_t job) {
  SchedulerProcess& process = leader();
  Job& j = jobs_[job];
  const PodId pod = j.attempt.pod;
  const std::uint32_t shape = pods_[pod].pod_template;
  const Nanos cleanup = SampleCost(Cost::kUnreserve, shape, bind_random_, 0, 1);
  process.ObservePoint(Point::kUnreserve, Status::kSuccess, shape, cleanup);
  AttemptRecord& a = j.attempt;
  a.result = j.rejected ? AttemptResult::kUnschedulable : AttemptResult::kError;
  a.e2e = now_ - a.start;
  if (scenario_.release.failure_after_cleanup()) {
    a[Stage::kUnreserve] = cleanup;
    a.e2e += cleanup;
  }
  process.ObserveAttempt(ResultName(a.result), shape, a.e2e);
  EndAttempt(a);
  const std::int32_t gang = pods_[pod].gang;
  if (gang >= 0) {
    Gang& g = gangs_[static_cast<std::size_t>(gang)];
    --g.permitted;
    if (!j.rejected) --g.binding;
  }
  const bool rejected = j.rejected;
  FreeJob(job);
  placement_.Remove(pod);
  if (pods_[pod].phase == PodPhase::kInFlight) --assumed_;
  pods_[pod].node = -1;
  // What the pod had held is free again, as if an assigned pod had been deleted (from 1.23).
  if (scenario_.release.minor >= 23)
    process.queue.MoveOnEvent(QueueEvent::kAssignedPodDelete, now_);
  FailureTail(pod, rejected ? kRejectedByGang : 0u, !rejected, false);
  WakeLoop();
}

void Simulation::Engine::EndAttempt(const AttemptRecord& attempt) {
  if (options_.keep_attempts) attempts_.push_back(attempt);
}

// "Scheduled", or "FailedScheduling": a new event first, then two updates of the series.
void Simulation::Engine::SendEvent(PodId pod, bool scheduled) {
  Pod& p = pods_[pod];
  ApiCall call;
  if (!scheduled) {
    if (p.failure_events >= 3) return;
    if (p.failure_events++ > 0) call.request = Request::kEventPatch;
  }
  call.wait = leader().event_client.Take(now_);
  call.total = call.wait + SampleCost(Cost::kBindClient, p.pod_template, api_random_, 0, 1) +
               SampleCost(Cost::kEventsApi, p.pod_template, api_random_, 0, 1);
  ++counts_.api_requests;
  heap_.Push(now_ + call.total, EventKind::kEventSent, NewCall(call), process_life_);
}

std::uint32_t Simulation::Engine::NewCall(const ApiCall& call) {
  std::uint32_t index = 0;
  if (free_calls_.empty()) {
    index = static_cast<std::uint32_t>(calls_.size());
    calls_.emplace_back();
  } else {
    index = free_calls_.back();
    free_calls_.pop_back();
  }
  calls_[index] = call;
  return index;
}

// 1.34's dispatcher: at most `parallelism` calls at once, binds and patches in one line.
void Simulation::Engine::Dispatch(std::uint32_t call) {
  leader().dispatch_queue.push_back(call);
  RunDispatched();
}

void Simulation::Engine::RunDispatched() {
  SchedulerProcess& process = leader();
  while (process.dispatched < scenario_.parallelism && !process.dispatch_queue.empty()) {
    const std::uint32_t index = process.dispatch_queue.front();
    process.dispatch_queue.pop_front();
    ++process.dispatched;
    ApiCall& call = calls_[index];
    const bool bind = call.kind == CallKind::kBind;
    call.wait = process.client.Take(now_);
    const std::uint32_t shape = bind ? pods_[jobs_[call.job].attempt.pod].pod_template : 0;
    call.total = call.wait + SampleCost(Cost::kBindClient, shape, bind_random_, 0, 1) +
                 SampleCost(bind ? Cost::kBindApi : Cost::kWriteApi, shape, bind_random_, 0, 1);
    heap_.Push(now_ + call.total, EventKind::kApiCallDone, index, process_life_);
  }
}

void Simulation::Engine::ApiCallDone(std::uint32_t index) {
  SchedulerProcess& process = leader();
  const ApiCall call = calls_[index];
  --process.dispatched;
  const bool bind = call.kind == CallKind::kBind;
  const bool live = bind && jobs_[call.job].used && jobs_[call.job].life == call.job_life;
  const bool failed = live && jobs_[call.job].failed;
  const std::string_view type = bind ? "pod_binding" : "pod_status_patch";
  const std::string_view result = failed ? "error" : "success";
  process.registry.Get(Metric::kAsyncCall, {type, result}).Observe(ToSeconds(call.total));
  process.registry.Get(Metric::kAsyncCallRuns, {type, result}).value += 1;
  process.ObserveRequest(call.request, bind ? 201 : 200, call.wait, call.total);
  ++counts_.api_requests;
  if (live) {
    jobs_[call.job].attempt.throttle = call.wait;
    BindDone(call.job);
  }
  RunDispatched();
}

}  // namespace schedlens::sim
