// Groups of pods: those that wait for their PodGroup, or for their group in flight, and the group
// as one entity of the queue.

#include "scheduler/queue/priority_queue.h"

namespace schedlens::sim::queue {

RecordId PriorityQueue::FindIn(const std::vector<RecordId>& list, PodKey key) const {
  const auto at = std::ranges::find(list, key, [&](RecordId id) { return records_[id].pod.key; });
  return at == list.end() ? kNone : *at;
}

// Returns the record taken out; kNone if the pod is not there.
RecordId PriorityQueue::TakeFrom(std::vector<RecordId>& list, PodKey key) {
  const RecordId id = FindIn(list, key);
  std::erase(list, id);
  return id;
}

// In the order of activeQ, behind its equals. A copy of the pod is replaced.
void PriorityQueue::Insert(std::vector<RecordId>& members, RecordId id) {
  FreeIfUnused(TakeFrom(members, records_[id].pod.key));
  const auto less = [&](RecordId a, RecordId b) { return ActiveLess(records_[a], records_[b]); };
  members.insert(std::ranges::upper_bound(members, id, less), id);
}

// Takes the group's entity out, changes its pods and puts it back where it was, without asking any
// plugin; its pods are counted as new entries, it is not. False: it is in no queue.
template <typename Change>
bool PriorityQueue::Reform(PodKey group, const Change& change) {
  PodHeap* heap = active_.Find(group) != kNone ? &active_ : &error_backoff_;
  RecordId id = heap->Remove(group);
  const bool in_heap = id != kNone;
  if (!in_heap) id = Find(Place::kUnschedulable, group);
  if (id == kNone) return false;
  Record& record = records_[id];
  if (!in_heap) RemoveUnschedulable(group, record.gated);
  change(record.members);
  if (!record.IsGroup()) {
    FreeIfUnused(id);
  } else if (in_heap) {
    heap->Put(id);
    Entered(id, heap == &active_ ? 0 : 1, kPodAdded, true);
  } else {
    PutUnschedulable(id, record.gated, kPodAdded, true);
  }
  return true;
}

// The pod becomes part of its group, or waits for it.
void PriorityQueue::Join(RecordId id) {
  const PodKey group = records_[id].pod.group;
  const auto known = pod_groups_.find(group);
  if (known == pod_groups_.end() || Flies(group)) {
    FreeIfUnused(TakeFrom(waiting_, records_[id].pod.key));
    waiting_.push_back(id);
  } else if (Reform(group, [&](auto& members) { Insert(members, id); })) {
    if (active_.Find(group) != kNone) StartFirst(records_[id]);
  } else {
    const RecordId entity = NewRecord(known->second);
    records_[entity].timestamp = records_[id].timestamp;
    records_[entity].initial_attempt = records_[id].initial_attempt;
    records_[entity].members = {id};
    MoveToActive(entity, kPodAdded, false);
  }
}

// Even if the pod was no part of it, its group's entity is put back anew.
void PriorityQueue::DeleteMember(const PodVersion& pod) {
  RecordId gone = TakeFrom(waiting_, pod.key);
  if (gone == kNone) {
    Reform(pod.group, [&](auto& members) { gone = TakeFrom(members, pod.key); });
  }
  if (gone == kNone) return;
  metrics_.CountRejection(records_[gone].rejectors(), -1);
  FreeIfUnused(gone);
}

void PriorityQueue::PutPodGroup(const PodVersion& group, Nanos now) {
  now_ = now;
  pod_groups_[group.key] = group;
  for (Record& record : records_) {
    if (record.IsGroup() && record.pod.key == group.key) record.pod = group;
  }
  for (const RecordId id : std::exchange(waiting_, {})) Join(id);
}

void PriorityQueue::DeletePodGroup(const PodVersion& group) {
  pod_groups_.erase(group.key);
  Reform(group.key, [&](auto& members) {
    waiting_.insert(waiting_.end(), members.begin(), members.end());
    members.clear();
  });
}

void PriorityQueue::AddAttemptedPodGroupIfNeeded(PodKey group, GroupOutcome outcome, Nanos now) {
  if (!Flies(group)) return;
  now_ = now;
  const RecordId id = std::exchange(flying_group_, kNone);
  Record& record = records_[id];
  record.held = false;
  record.members.clear();
  for (const RecordId pod : std::exchange(waiting_, {})) {
    const bool returns = records_[pod].pod.group == group && Knows(group);
    returns ? Insert(record.members, pod) : waiting_.push_back(pod);
  }
  if (!record.IsGroup()) return FreeIfUnused(id);
  const bool failed = outcome != GroupOutcome::kSuccess;
  if (failed) CountOutcome(record, outcome == GroupOutcome::kError);
  const bool waits = failed && backoff_rule_.BacksOff(record, now);
  waits ? MoveToBackoff(id, kAttemptFailure, false) : MoveToActive(id, kAttemptFailure, false);
}

}  // namespace schedlens::sim::queue
