// A pod group's cycle (GenericWorkload and GangScheduling, from 1.36): all its queued members are
// tried one after the other on one snapshot, and are bound together or not at all. Each member has
// an algorithm clock of its own; its e2e clock is set back to begin that much before the group is
// decided. Reserve and Permit run twice, and one PATCH of the group follows.

#include <algorithm>
#include <utility>

#include "sim/engine/scheduling_loop.h"

namespace schedlens::sim {

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
  process.GroupAlgorithmLater(time, time - group_.start);
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
  const Search found = Algorithm();
  cycle_.result = found.result;
  cycle_.rejections = found.rejections;
  if (found.result != AttemptResult::kScheduled) {
    cycle_.record.algorithm = cycle_.time - cycle_.record.start;
    return false;
  }
  Found(found.decision.node);
  if (Reserve()) {
    const bool last = gang.bound + gang.binding + fit + 1 >= gang.size;
    Permit(last ? Status::kSuccess : Status::kWait);
    if (!cycle_.refused) return true;
  }
  cycle_.result = cycle_.refused ? AttemptResult::kUnschedulable : AttemptResult::kError;
  cycle_.rejections = cycle_.refused ? kRejectedByOther : kRejectedByNobody;
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
    costs_.Begin(TemplateIndex(), 1);
    const bool reserved = Reserve();
    if (reserved) Permit(Status::kSuccess);
    at = cycle_.time;
    if (!reserved || cycle_.refused) {
      cycle_.result = cycle_.refused ? AttemptResult::kUnschedulable : AttemptResult::kError;
      cycle_.rejections = cycle_.refused ? kRejectedByOther : kRejectedByNobody;
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
    replicas_.leader().GroupLater(at, kube::ToString(group_.result), group_.pod_template,
                                  at - group_.start);
    at += api_.PatchStatus(group_.pod_template, at);
    group_ = {};
  }
  run_.heap.Push(at, EventKind::kLoop, 0, replicas_.life());
}

}  // namespace schedlens::sim
