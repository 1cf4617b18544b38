// Waiting on Permit, and what plugins from outside the tree add.

#include <utility>

#include "sim/engine/binder.h"

namespace schedlens::sim {

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
