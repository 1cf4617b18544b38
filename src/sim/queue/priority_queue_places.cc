// How pods enter and leave activeQ, back-off and the unschedulable pods.

#include "sim/queue/priority_queue.h"

namespace schedlens::sim::queue {

RecordId PriorityQueue::NewRecord(const PodVersion& pod) {
  RecordId id;
  if (free_.empty()) {
    id = static_cast<RecordId>(records_.size());
    records_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    records_[id] = Record();
  }
  Record& record = records_[id];
  record.pod = pod;
  record.timestamp = now_;
  if (rules_.clock_from_add) record.initial_attempt = now_;
  Refresh(record);
  return id;
}

RecordId PriorityQueue::Adopt(const PodVersion& pod, int attempts, Nanos now) {
  now_ = now;
  const RecordId id = NewRecord(pod);
  records_[id].attempts = attempts;
  records_[id].held = true;
  return id;
}

void PriorityQueue::FreeIfUnused(RecordId id) {
  if (id == kNone) return;
  const Record& record = records_[id];
  if (record.held) return;
  for (const std::uint32_t position : record.position) {
    if (position != kNone) return;
  }
  free_.push_back(id);
}

void PriorityQueue::Release(RecordId id) {
  records_[id].held = false;
  FreeIfUnused(id);
}

RecordId PriorityQueue::Find(Place place, PodKey key) const {
  switch (place) {
    case Place::kActive:
      return active_.Find(key);
    case Place::kBackoff:
      return backoff_.Find(key);
    case Place::kErrorBackoff:
      return error_backoff_.Find(key);
    case Place::kUnschedulable:
      break;
  }
  return key < unschedulable_by_key_.size() ? unschedulable_by_key_[key] : kNone;
}

RecordId PriorityQueue::FindBackoff(PodKey key) const {
  const RecordId id = backoff_.Find(key);
  return id != kNone ? id : error_backoff_.Find(key);
}

void PriorityQueue::RemoveBackoff(PodKey key) {
  const RecordId id = FindBackoff(key);
  if (id == kNone) return;
  backoff_.Remove(key);
  error_backoff_.Remove(key);
  FreeIfUnused(id);
}

// From 1.34 the plugin that gated the pod last is asked first and stays in the sets afterwards.
void PriorityQueue::RunPreEnqueue(Record& record) {
  const PluginId by = host_.PreEnqueue(record.pod, record.gating_plugin);
  record.gated = by != kNoPlugin;
  if (rules_.has_gating_plugin) record.gating_plugin = by;
  if (!record.gated) return;
  if (!rules_.counts_gate_once || !Has(record.rejectors(), by)) {
    metrics_.CountRejection(SetOf(by), 1);
  }
  record.unschedulable |= SetOf(by);
}

void PriorityQueue::PutActive(RecordId id) {
  const RecordId replaced = active_.Put(id);
  if (replaced != id) FreeIfUnused(replaced);
}

void PriorityQueue::PutBackoff(RecordId id) {
  const bool error = rules_.error_queue && records_[id].rejectors() == 0;
  (error ? backoff_ : error_backoff_).Remove(records_[id].pod.key);
  FreeIfUnused((error ? error_backoff_ : backoff_).Put(id));
}

void PriorityQueue::PutUnschedulable(RecordId id, bool gated_before, LabelId label) {
  Record& record = records_[id];
  const PodKey key = record.pod.key;
  if (key >= unschedulable_by_key_.size()) unschedulable_by_key_.resize(key + 1, kNone);
  const RecordId known = unschedulable_by_key_[key];
  unschedulable_by_key_[key] = id;
  auto& position = record.position[static_cast<std::size_t>(Place::kUnschedulable)];
  if (known == kNone) {
    position = static_cast<std::uint32_t>(unschedulable_.size());
    unschedulable_.push_back(id);
    ++(record.gated ? metrics_.gated : metrics_.unschedulable);
    if (rules_.counts_unschedulable_entries) Entered(id, 2, label);
    return;
  }
  if (rules_.recounts_gated && record.gated != gated_before) {
    metrics_.gated += record.gated ? 1 : -1;
    metrics_.unschedulable -= record.gated ? 1 : -1;
  }
  if (known == id) return;
  auto& old = records_[known].position[static_cast<std::size_t>(Place::kUnschedulable)];
  position = old;
  old = kNone;
  unschedulable_[position] = id;
  FreeIfUnused(known);
}

// Returns the record, which is in no place any more unless it is in another queue as well.
RecordId PriorityQueue::RemoveUnschedulable(PodKey key, bool gated) {
  const RecordId id = Find(Place::kUnschedulable, key);
  if (id == kNone) return kNone;
  constexpr auto kSlot = static_cast<std::size_t>(Place::kUnschedulable);
  const std::uint32_t at = records_[id].position[kSlot];
  unschedulable_[at] = unschedulable_.back();
  records_[unschedulable_[at]].position[kSlot] = at;
  unschedulable_.pop_back();
  records_[id].position[kSlot] = kNone;
  unschedulable_by_key_[key] = kNone;
  --(gated ? metrics_.gated : metrics_.unschedulable);
  return id;
}

bool PriorityQueue::MoveToActive(RecordId id, LabelId label, bool from_backoff) {
  const bool gated_before = records_[id].gated;
  const bool skip = from_backoff && rules_.skip_pre_enqueue != SkipPreEnqueue::kNo;
  if (!skip) RunPreEnqueue(records_[id]);
  Record& record = records_[id];
  const PodKey key = record.pod.key;
  if (record.gated) {
    const bool elsewhere = active_.Find(key) != kNone || FindBackoff(key) != kNone;
    if (!elsewhere || !rules_.one_place) PutUnschedulable(id, gated_before, label);
    FreeIfUnused(id);
    return false;
  }
  if (record.initial_attempt == kNever) record.initial_attempt = now_;
  PutActive(id);
  if (label != kPodUpdated || rules_.update_by_events) Entered(id, 0, label);
  if (label != kBackoffComplete || rules_.one_place) {
    const RecordId waiting = RemoveUnschedulable(key, gated_before);
    if (waiting != id) FreeIfUnused(waiting);
  }
  RemoveBackoff(key);
  const bool activated = label == kForceActivate && rules_.nominates_anew;
  if (label == kPodAdded || label == kPodUpdated || activated) Nominate(record);
  return true;
}

bool PriorityQueue::MoveToBackoff(RecordId id, LabelId label) {
  const bool gated_before = records_[id].gated;
  if (rules_.gates.pop_from_backoff) {
    RunPreEnqueue(records_[id]);
    if (records_[id].gated) {
      PutUnschedulable(id, gated_before, label);
      return false;
    }
  }
  PutBackoff(id);
  Entered(id, 1, label);
  return true;
}

void PriorityQueue::Nominate(const Record& record) {
  if (record.pod.nominated == 0) {
    nominator_.Forget(record.pod.uid);
  } else {
    nominator_.Add(record.pod, host_.ListedWithoutNode(record.pod));
  }
}

}  // namespace schedlens::sim::queue
