#include "sim/queue/priority_queue.h"

namespace schedlens::sim::queue {

PriorityQueue::PriorityQueue(const QueueRules& rules, const PriorityQueueSettings& settings,
                             const Registrations& registrations, QueueHost& host)
    : rules_(rules),
      settings_(settings),
      registrations_(registrations),
      host_(host),
      backoff_rule_(rules, settings.backoff),
      active_(records_, Place::kActive, ActiveLess),
      backoff_(records_, Place::kBackoff,
               rules.backoff_by_priority ? ExpiryThenActiveLess : ExpiryLess),
      error_backoff_(records_, Place::kErrorBackoff, ExpiryLess) {}

void PriorityQueue::Add(const PodVersion& pod, Nanos now) {
  now_ = now;
  MoveToActive(NewRecord(pod), kPodAdded, false);
}

bool PriorityQueue::UpdateInHeaps(const PodVersion& old, const PodVersion& pod) {
  for (PodHeap* heap : {&active_, &backoff_, &error_backoff_}) {
    const RecordId id = heap->Find(old.key);
    if (id == kNone) continue;
    records_[id].pod = pod;
    UpdateNominatedPod(old, pod);
    heap->Fix(id);
    return true;
  }
  return false;
}

void PriorityQueue::UpdateUnschedulable(RecordId id, const PodVersion& old, const PodVersion& pod,
                                        std::span<const EventInstance> events) {
  records_[id].pod = pod;
  UpdateNominatedPod(old, pod);
  const bool gated = records_[id].gated;
  if (!rules_.update_by_events) {
    if (!host_.Differs(old, pod)) return;
    if (backoff_rule_.BacksOff(records_[id], now_)) {
      PutBackoff(id);
      RemoveUnschedulable(pod.key, gated);
    } else {
      MoveToActive(id, kNoLabel, false);
    }
    return;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Strategy strategy = Judge(records_[id], events[i], i);
    const LabelId label = events[i].event.label;
    if (Requeue(id, strategy, label) == Destination::kUnschedulable) continue;
    RemoveUnschedulable(pod.key, gated);
    return;
  }
}

void PriorityQueue::Update(const PodVersion& old, const PodVersion& pod,
                           std::span<const EventInstance> events, Nanos now) {
  now_ = now;
  if (rules_.gates.queueing_hints && rules_.update_by_events && in_flight_.Knows(pod.uid)) {
    for (const EventInstance& event : events) in_flight_.AddEvent(event);
    return;
  }
  if (UpdateInHeaps(old, pod)) return;
  const RecordId id = Find(Place::kUnschedulable, pod.key);
  if (id != kNone) {
    UpdateUnschedulable(id, old, pod, events);
  } else {
    MoveToActive(NewRecord(pod), kPodUpdated, false);
  }
}

void PriorityQueue::Delete(const PodVersion& pod) {
  nominator_.Forget(pod.uid);
  const RecordId active = active_.Remove(pod.key);
  if (active != kNone) {
    FreeIfUnused(active);
    return;
  }
  if (FindBackoff(pod.key) != kNone) {
    RemoveBackoff(pod.key);
    if (rules_.one_place) return;
  }
  const RecordId id = Find(Place::kUnschedulable, pod.key);
  if (id == kNone) return;
  if (rules_.delete_lowers_gauge) metrics_.CountRejection(records_[id].rejectors(), -1);
  RemoveUnschedulable(pod.key, records_[id].gated);
  FreeIfUnused(id);
}

// A popped record becomes the scheduler's; kNone if it is thrown away.
RecordId PriorityQueue::TakeUp(RecordId id) {
  Record& record = records_[id];
  ++record.attempts;
  if (rules_.backoff_count != BackoffCount::kOutcomes) Refresh(record);
  if (rules_.gates.queueing_hints) {
    if (rules_.pop_drops_known_uid && in_flight_.Knows(record.pod.uid)) {
      FreeIfUnused(id);
      return kNone;
    }
    in_flight_.AddPod(record.pod);
  }
  ++scheduling_cycle_;
  record.held = true;
  if (rules_.pop_lowers_gauge) metrics_.CountRejection(record.rejectors(), -1);
  if (rules_.pop_clears_plugins) {
    record.unschedulable = record.pending = 0;
    record.gating_plugin = kNoPlugin;
  }
  return id;
}

RecordId PriorityQueue::Pop(Nanos now) {
  now_ = now;
  for (;;) {
    RecordId id;
    if (!active_.empty()) {
      id = active_.Pop();
    } else if (rules_.gates.pop_from_backoff && !backoff_.empty()) {
      id = backoff_.Pop();
      Entered(id, 0, kPopFromBackoff);
    } else {
      return kNone;
    }
    const RecordId taken = TakeUp(id);
    if (taken != kNone) return taken;
  }
}

RecordId PriorityQueue::PopSpecificPod(const PodVersion& pod, Nanos now) {
  now_ = now;
  if (active_.Find(pod.key) != kNone) return TakeUp(active_.Remove(pod.key));
  const RecordId waiting = FindBackoff(pod.key);
  if (waiting != kNone) {
    backoff_.Remove(pod.key);
    error_backoff_.Remove(pod.key);
    Entered(waiting, 0, kForceActivate);
    return TakeUp(waiting);
  }
  const RecordId id = Find(Place::kUnschedulable, pod.key);
  if (id == kNone || records_[id].gated) return kNone;
  if (!MoveToActive(id, kForceActivate, false)) return kNone;
  return TakeUp(active_.Remove(pod.key));
}

Refusal PriorityQueue::WhereElse(PodKey key) const {
  if (Find(Place::kUnschedulable, key) != kNone) return Refusal::kInUnschedulable;
  if (active_.Find(key) != kNone) return Refusal::kInActive;
  return FindBackoff(key) != kNone ? Refusal::kInBackoff : Refusal::kAccepted;
}

// Without hints: a move request since the last Pop of any pod sends it to back-off.
void PriorityQueue::ReturnByCycle(RecordId id, std::int64_t cycle) {
  const bool error = records_[id].rejectors() == 0 && rules_.errors_go == ErrorsGo::kToBackoff;
  if (error || move_request_cycle_ >= cycle) {
    PutBackoff(id);
    Entered(id, 1, kAttemptFailure);
    return;
  }
  PutUnschedulable(id, records_[id].gated, kAttemptFailure);
  if (!rules_.counts_unschedulable_entries) Entered(id, 2, kAttemptFailure);
}

Refusal PriorityQueue::AddUnschedulableIfNotPresent(RecordId id, const PodVersion& pod,
                                                    PluginSet rejected_by, PluginSet pending,
                                                    std::int64_t cycle, Nanos now) {
  now_ = now;
  Record& record = records_[id];
  record.pod = pod;
  record.unschedulable = rejected_by;
  record.pending = pending;
  record.held = false;
  const Refusal refusal = WhereElse(pod.key);
  if (refusal != Refusal::kAccepted) {
    in_flight_.Done(pod.uid);
    FreeIfUnused(id);
    return refusal;
  }
  if (record.rejectors() == 0) {
    ++record.consecutive_errors;
  } else {
    ++record.unschedulable_count;
    record.consecutive_errors = 0;
  }
  record.timestamp = now;
  record.was_flushed = false;
  Refresh(record);
  metrics_.CountRejection(record.rejectors(), 1);
  if (rules_.gates.queueing_hints) {
    Requeue(id, JudgeFlight(record), kAttemptFailure);
  } else {
    ReturnByCycle(id, cycle);
  }
  if (rules_.nominates_anew) Nominate(records_[id]);
  in_flight_.Done(pod.uid);
  return Refusal::kAccepted;
}

bool PriorityQueue::ActivateOne(const PodVersion& pod) {
  RecordId id = Find(Place::kUnschedulable, pod.key);
  const bool from_backoff = id == kNone;
  if (from_backoff) id = FindBackoff(pod.key);
  if (id == kNone || active_.Find(pod.key) != kNone) return false;
  const bool skip = from_backoff && rules_.skip_pre_enqueue == SkipPreEnqueue::kFromBackoff;
  if (from_backoff && rules_.one_place) {
    records_[id].held = true;  // not unused, though in no queue for a moment
    RemoveBackoff(pod.key);
    records_[id].held = false;
  }
  return MoveToActive(id, kForceActivate, skip);
}

void PriorityQueue::Activate(std::span<const PodVersion> pods, Nanos now) {
  now_ = now;
  for (const PodVersion& pod : pods) {
    if (ActivateOne(pod) || !rules_.activate_notes_in_flight) continue;
    if (rules_.gates.queueing_hints && in_flight_.Knows(pod.uid)) {
      in_flight_.AddEvent({settings_.force_activate, 0, pod.object, pod.uid});
    }
    move_request_cycle_ = scheduling_cycle_;
  }
}

void PriorityQueue::AddNominatedPod(const PodVersion& pod, std::optional<NodeName> override_node) {
  const bool listed = host_.ListedWithoutNode(pod);
  if (override_node) {
    nominator_.Override(pod, *override_node, listed);
  } else {
    nominator_.Add(pod, listed);
  }
}

void PriorityQueue::UpdateNominatedPod(const PodVersion& old, const PodVersion& pod) {
  if (pod.nominated == 0 && old.nominated == 0 && !nominator_.NodeOf(old.uid)) return;
  nominator_.Update(old, pod, host_.ListedWithoutNode(pod));
}

}  // namespace schedlens::sim::queue
