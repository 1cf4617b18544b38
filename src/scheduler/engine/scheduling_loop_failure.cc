// The way of an attempt that fails: preemption, and the failure handler on the loop.

#include <algorithm>
#include <utility>

#include "scheduler/engine/scheduling_loop.h"

namespace schedlens::sim {

// The attempt fails on the loop, now + what it has taken so far.
void SchedulingLoop::Fail() {
  AttemptRecord& record = cycle_.record;
  if (!record.algorithm_done) record.algorithm = cycle_.time - record.start;
  cycle_.post_filter_start = cycle_.time;
  if (cycle_.post_filter != PostFilter::kNone && run_.scenario.preemption) {
    PreemptionPlan plan = Plan();
    record[AttemptStage::kPostFilter] += Spend(Cost::kPostFilter, record.evaluated, 1,
                                               [&] { return Steps().Preemption(plan.work); });
    record[AttemptStage::kPostFilter] += RunPlugins(ExtensionPoint::kPostFilter);
    MetricRegistry& registry = replicas_.leader().registry;
    registry.Get(Metric::kPreemptionAttempts, {}).value += 1;
    registry.Get(Metric::kPreemptionAttemptsOld, {}).value += 1;
    if (Preempt(std::move(plan))) {
      run_.heap.Push(cycle_.time, EventKind::kVictims, 0, replicas_.life());
      return;
    }
    ObservePreemption(Status::kUnschedulable);
  }
  run_.heap.Push(cycle_.time, EventKind::kAttemptFailed, 0, replicas_.life());
}

// Who would have to go, if that helps.
PreemptionPlan SchedulingLoop::Plan() {
  const PodNumber pod = cycle_.record.pod;
  const bool waits_for_victims = world_.pod(pod).victims_left > 0;
  if (cycle_.post_filter != PostFilter::kPreempts || waits_for_victims) return {};
  PreemptionPlan plan = world_.placement().Preempt(pod, TemplateIndex());
  cycle_.record[AttemptStage::kPostFilter] += SpendPlugins(ExtensionPoint::kFilter, 1);
  if (Watched()) run_.watch->Preempted(world_.placement().ExplainPreemption(TemplateIndex()));
  return plan;
}

// Nominates the pod to the node of its victims. False: there is nothing to gain.
bool SchedulingLoop::Preempt(PreemptionPlan plan) {
  const PodNumber pod = cycle_.record.pod;
  if (plan.node < 0) return false;
  const std::vector<Extender>& extenders = run_.scenario.extenders;
  if (std::any_of(extenders.begin(), extenders.end(),
                  [](const Extender& extender) { return extender.preempt; })) {
    cycle_.record[AttemptStage::kPostFilter] += Wait(Cost::kExtPreempt);
  }
  cycle_.victims = std::move(plan.victims);
  world_.Nominate(pod, plan.node);
  for (const PodNumber other : plan.outranked) world_.Nominate(other, -1);
  world_.pod(pod).condition_set = false;
  ++run_.counts.preemptions;
  run_.counts.victims += cycle_.victims.size();
  return true;
}

void SchedulingLoop::ObservePreemption(Status status) {
  const Nanos d = cycle_.record[AttemptStage::kPostFilter];
  // In 1.18 preemption is no plugin.
  if (run_.scenario.release.minor >= 19) {
    Observe({.point = ExtensionPoint::kPostFilter, .status = status, .duration = d});
  }
  MetricRegistry& registry = replicas_.leader().registry;
  if (status == Status::kSuccess) {
    const auto victims = static_cast<double>(cycle_.victims.size());
    registry.Get(Metric::kVictims, {}).Observe(victims);
    registry.Get(Metric::kVictimsOld, {}).Observe(victims);
  }
  registry.Get(Metric::kPreemptionEvaluation, {}).Observe(ToSeconds(d));
}

// One DELETE after the other up to 1.25, all at once from 1.26, by a goroutine after PostFilter has
// returned from 1.33.
void SchedulingLoop::DeleteVictims() {
  const Release& release = run_.scenario.release;
  const bool parallel = release.parallel_victim_deletes();
  Nanos end = run_.now;
  while (cycle_.next_victim < cycle_.victims.size()) {
    const PodNumber victim = cycle_.victims[cycle_.next_victim++];
    // Each victim's status is patched first where they are deleted at once.
    Nanos total = api_.DeleteVictim(world_.pod(victim).pod_template, parallel);
    const bool last = cycle_.next_victim == cycle_.victims.size();
    const bool goes = world_.pod(victim).phase != PodPhase::kGone && !world_.pod(victim).deleting;
    if (release.async_preemption() && last && goes) {
      // The last one goes when the others are gone; until then the pod may not come back.
      world_.pod(cycle_.record.pod).preempting_until = end;
      total += end - run_.now;
    }
    world_.Evict(victim, cycle_.record.pod, total);
    end = std::max(end, run_.now + total);
    if (!parallel) {
      run_.heap.Push(end, EventKind::kVictims, 0, replicas_.life());
      return;
    }
  }
  cycle_.time = run_.now;
  if (release.async_preemption()) {
    // Up to 1.35 the goroutine's clock is read too early: it always shows about 0 and success.
    MetricRegistry& registry = replicas_.leader().registry;
    registry.Get(Metric::kPreemptionGoroutines, {"success"}).Observe(2e-7);
    registry.Get(Metric::kPreemptionGoroutineRuns, {"success"}).value += 1;
  } else if (parallel) {
    cycle_.time = end;
  }
  cycle_.record[AttemptStage::kPostFilter] = cycle_.time - cycle_.post_filter_start;
  ObservePreemption(Status::kSuccess);
  run_.heap.Push(cycle_.time, EventKind::kAttemptFailed, 0, replicas_.life());
}

void SchedulingLoop::AttemptFailed() {
  SchedulerProcess& process = replicas_.leader();
  process.CatchUp(run_.now);
  AttemptRecord& record = cycle_.record;
  const std::uint32_t shape = TemplateIndex();
  Nanos cleanup = 0;
  if (cycle_.assumed) {
    const core::PointAnswer undone =
        world_.placement().RunPlugins(ExtensionPoint::kUnreserve, record.pod, shape, record.node);
    cleanup = run_.Sample(Cost::kUnreserve, shape, run_.random.loop) + FromSeconds(undone.seconds);
    process.ObservePoint(ExtensionPoint::kUnreserve, Status::kSuccess, shape, cleanup);
    world_.Unassume(record.pod);
  } else if (run_.scenario.release.algorithm_counts_failures()) {
    process.registry.Get(Metric::kAlgorithm, {})
        .Observe(ToSeconds(record.algorithm + record[AttemptStage::kPostFilter]));
  }
  record.result = cycle_.result;
  process.cpu_seconds += run_.conditions->units["queue.AddUnschedulable"].hot_us * 1e-6;
  ChargeRest({cost::FixedStep::kFailure, cost::FixedStep::kEvent});
  record.e2e = run_.now - record.start;
  if (run_.scenario.release.failure_after_cleanup()) {
    record[AttemptStage::kUnreserve] = cleanup;
    record.e2e += cleanup;
  }
  process.ObserveAttempt(kube::ToString(record.result), shape, record.e2e);
  run_.Keep(record);
  const Nanos done = api_.HandleFailure(record.pod, cycle_.rejections,
                                        record.result == AttemptResult::kError, run_.now + cleanup);
  GoOn(done);
}

// A pod group's cycle (GenericWorkload and GangScheduling, from 1.36): all its queued members are
// tried one after the other on one snapshot, and are bound together or not at all. Each member has
// an algorithm clock of its own; its e2e clock is set back to begin that much before the group is
// decided. Reserve and Permit run twice, and one PATCH of the group follows.

void SchedulingLoop::TryGroup(PodNumber first, Gang& gang) {
  SchedulerProcess& process = replicas_.leader();
  std::vector<PodNumber> pods = {first};
  for (const PodNumber member : gang.members) {
    if (process.queue.PopSpecific(member, run_.now)) pods.push_back(member);
  }
  group_.start = run_.now;
  group_.pod_template = world_.pods()[first].pod_template;
  group_.open = true;
  std::vector<Cycle> members;
  Nanos time = run_.now;
  int fit = 0;
  for (const PodNumber pod : pods) {
    Begin(pod, time);
    if (pod == first) TakeSnapshot();
    if (TryMember(gang, fit)) ++fit;
    time = cycle_.time;
    members.push_back(std::move(cycle_));
  }
  process.Later(time, process.registry.Get(Metric::kPodGroupAlgorithm, {}),
                ToSeconds(time - group_.start));
  for (Cycle& member : members) member.record.start = time - member.record.algorithm;
  if (fit > 0 && gang.bound + gang.binding + fit >= gang.size) {
    BindMembers(std::move(members), gang, time);
    return;
  }
  const bool error = std::any_of(members.begin(), members.end(), [](const Cycle& member) {
    return member.result == AttemptResult::kError;
  });
  group_.result = error ? AttemptResult::kError : AttemptResult::kUnschedulable;
  FailMembers(std::move(members), time);
}

// The current attempt, until the group is decided. False if it has ended.
bool SchedulingLoop::TryMember(const Gang& gang, int fit) {
  const int node = Algorithm();
  if (node < 0) {
    cycle_.record.algorithm = cycle_.time - cycle_.record.start;
    return false;
  }
  Found(node);
  const bool last = gang.bound + gang.binding + fit + 1 >= gang.size;
  if (Pass(last ? Status::kSuccess : Status::kWait)) return true;
  cycle_.Undo();
  return false;
}

// Those that found a node; the others fail.
void SchedulingLoop::BindMembers(std::vector<Cycle> members, Gang& gang, Nanos at) {
  std::vector<Cycle> failed;
  for (Cycle& member : members) {
    if (member.result != AttemptResult::kScheduled) {
      failed.push_back(std::move(member));
      continue;
    }
    cycle_ = std::move(member);
    cycle_.time = at;
    cycle_.noise = 1;
    const bool passed = Pass(Status::kSuccess);
    at = cycle_.time;
    if (!passed) {
      cycle_.Undo();
      failed.push_back(std::move(cycle_));
      continue;
    }
    ++gang.permitted;
    ++gang.binding;
    StartBinding();
  }
  FailMembers(std::move(failed), at);
}

void SchedulingLoop::FailMembers(std::vector<Cycle> members, Nanos at) {
  for (Cycle& member : members) {
    if (member.result == AttemptResult::kScheduled) {
      member.result = AttemptResult::kUnschedulable;
      member.rejections = kRejectedByGang;
    }
  }
  std::reverse(members.begin(), members.end());
  group_.failed = std::move(members);
  GoOn(at);
}

// After an attempt: the group's next failure, the end of the group, or the next pod.
void SchedulingLoop::GoOn(Nanos at) {
  if (!group_.failed.empty()) {
    cycle_ = std::move(group_.failed.back());
    group_.failed.pop_back();
    cycle_.time = at;
    run_.heap.Push(at, EventKind::kAttemptFailed, 0, replicas_.life());
    return;
  }
  if (group_.open) {
    SchedulerProcess& process = replicas_.leader();
    const std::string_view result = kube::ToString(group_.result);
    const std::string& profile = process.ProfileOf(group_.pod_template);
    process.Later(at, process.registry.Get(Metric::kPodGroupAttempt, {result, profile}),
                  ToSeconds(at - group_.start));
    process.Later(at, process.registry.Get(Metric::kPodGroupAttempts, {result, profile}), 1);
    at += api_.PatchStatus(group_.pod_template, at);
    group_ = {};
  }
  run_.heap.Push(at, EventKind::kLoop, 0, replicas_.life());
}

}  // namespace schedlens::sim
