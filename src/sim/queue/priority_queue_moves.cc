// Events: whom they concern, how they are judged, and where the pods go.

#include <algorithm>

#include "sim/queue/priority_queue.h"

namespace schedlens::sim::queue {

PriorityQueue::Strategy PriorityQueue::Judge(const Record& record, const EventInstance& event,
                                             std::size_t ordinal) {
  if (record.rejectors() == 0 || !rules_.asks_plugins) return Strategy::kAfterBackoff;
  if (event.event.wildcard) {
    const bool for_another =
        rules_.wildcard_for_one_pod && event.new_object != 0 && event.new_pod != record.pod.uid;
    return for_another ? Strategy::kSkip : Strategy::kAfterBackoff;
  }
  Strategy strategy = Strategy::kSkip;
  // Pending plugins first: what they say settles the matter.
  for (const PluginSet set : {record.pending, record.unschedulable & ~record.pending}) {
    ForEachPlugin(set, [&](PluginId plugin) {
      if (strategy != Strategy::kSkip) return;
      for (const Registration& registration : registrations_.Of(plugin)) {
        if (!registrations_.Matches(registration, event.event)) continue;
        if (!host_.HintQueues(record.pod, plugin, registration, event, ordinal)) continue;
        strategy = Has(record.pending, plugin) ? Strategy::kNow : Strategy::kAfterBackoff;
        return;
      }
    });
  }
  return strategy;
}

// By every event since the pod was taken up.
PriorityQueue::Strategy PriorityQueue::JudgeFlight(const Record& record) {
  if (!in_flight_.Knows(record.pod.uid)) {
    const bool forgotten = rules_.unknown_flight_by_list && record.rejectors() == 0 &&
                           in_flight_.size() <= in_flight_.pods();
    return forgotten ? Strategy::kSkip : Strategy::kAfterBackoff;
  }
  if (record.rejectors() == 0) return Strategy::kAfterBackoff;
  Strategy best = Strategy::kSkip;
  std::size_t ordinal = 0;
  for (std::uint32_t id = in_flight_.Next(in_flight_.EntryOf(record.pod.uid)); id != kNone;
       id = in_flight_.Next(id)) {
    const InFlightList::Entry& entry = in_flight_.At(id);
    if (entry.is_pod) continue;
    const Strategy strategy = Judge(record, entry.event, ordinal++);
    if (strategy == Strategy::kNow) return strategy;
    if (strategy == Strategy::kSkip) continue;
    if (record.pending == 0) return strategy;
    best = strategy;
  }
  return best;
}

Destination PriorityQueue::Requeue(RecordId id, Strategy strategy, LabelId label) {
  const Record& record = records_[id];
  if (strategy == Strategy::kSkip) {
    PutUnschedulable(id, record.gated, label);
    if (!rules_.counts_unschedulable_entries) Entered(id, 2, label);
    return Destination::kUnschedulable;
  }
  if (strategy == Strategy::kAfterBackoff && backoff_rule_.BacksOff(record, now_)) {
    return MoveToBackoff(id, label) ? Destination::kBackoff : Destination::kUnschedulable;
  }
  return MoveToActive(id, label, false) ? Destination::kActive : Destination::kUnschedulable;
}

bool PriorityQueue::LeftOut(const Record& record, const ClusterEvent& event) const {
  if (!record.gated) return false;
  switch (rules_.gated_in_moves) {
    case GatedInMoves::kNobody:
      return false;
    case GatedInMoves::kAll:
      return true;
    case GatedInMoves::kBySchedulingGates:
      return settings_.scheduling_gates != kNoPlugin &&
             Has(record.unschedulable, settings_.scheduling_gates);
    case GatedInMoves::kUnlessItsPluginMatches:
      break;
  }
  return !registrations_.MatchesAny(record.gating_plugin, event);
}

// Up to 1.27 a pod is put into its new queue first; one that is gated now just stays.
void PriorityQueue::MoveInPlace(RecordId id, LabelId label) {
  const Record& record = records_[id];
  if (!backoff_rule_.BacksOff(record, now_)) {
    MoveToActive(id, label, false);
    return;
  }
  PutBackoff(id);
  Entered(id, 1, label);
  RemoveUnschedulable(record.pod.key, record.gated);
}

void PriorityQueue::MovePods(std::vector<RecordId>& pods, const EventInstance& event) {
  if (!rules_.every_move_counts && !registrations_.OfInterest(event.event)) return;
  host_.Shuffle(records_, pods);
  for (const RecordId id : pods) {
    if (LeftOut(records_[id], event.event)) continue;
    const Strategy strategy = Judge(records_[id], event, 0);
    if (strategy == Strategy::kSkip) continue;
    if (rules_.leaves_before_move) {
      RemoveUnschedulable(records_[id].pod.key, records_[id].gated);
      Requeue(id, strategy, event.event.label);
    } else {
      MoveInPlace(id, event.event.label);
    }
  }
  move_request_cycle_ = scheduling_cycle_;
  if (rules_.gates.queueing_hints && in_flight_.pods() > 0) in_flight_.AddEvent(event);
}

void PriorityQueue::Move(const EventInstance& event, const PreCheck& pre_check, Nanos now) {
  now_ = now;
  scratch_.clear();
  for (const RecordId id : unschedulable_) {
    if (!pre_check || pre_check(records_[id].pod)) scratch_.push_back(id);
  }
  MovePods(scratch_, event);
}

std::vector<RecordId> PriorityQueue::Concerned(const PodVersion& assigned) {
  std::vector<RecordId> out;
  for (const RecordId id : unschedulable_) {
    const Record& record = records_[id];
    if ((rules_.spread_follows_pods && host_.SpreadConcerns(record, assigned)) ||
        host_.AffinitySelects(record.pod, assigned, rules_.anti_affinity_follows)) {
      out.push_back(id);
    }
  }
  return out;
}

void PriorityQueue::AssignedPodAdded(const PodVersion& pod, Nanos now) {
  now_ = now;
  std::vector<RecordId> pods = Concerned(pod);
  MovePods(pods, {settings_.assigned_pod_add, 0, pod.object, pod.uid});
}

void PriorityQueue::AssignedPodUpdated(const PodVersion& pod, const EventInstance& event,
                                       Nanos now) {
  now_ = now;
  if ((event.event.bits & settings_.scale_down) != 0 && event.event.resource == kAssignedPod) {
    Move(event, nullptr, now);
    return;
  }
  std::vector<RecordId> pods = Concerned(pod);
  MovePods(pods, event);
}

void PriorityQueue::FlushUnschedulableLeftover(Nanos now) {
  now_ = now;
  scratch_.clear();
  for (const RecordId id : unschedulable_) {
    Record& record = records_[id];
    if (now - record.timestamp <= settings_.leftover_after) continue;
    if (rules_.marks_flushed) record.was_flushed = true;
    scratch_.push_back(id);
  }
  if (!scratch_.empty()) MovePods(scratch_, {settings_.leftover, 0, 0, kNone});
}

void PriorityQueue::FlushBackoffCompleted(Nanos now) {
  now_ = now;
  const bool from_backoff = rules_.gates.pop_from_backoff;
  const auto next = [&](PodHeap& heap) {
    const bool done = !heap.empty() && !backoff_rule_.BacksOff(records_[heap.Peek()], now);
    return done ? heap.Pop() : kNone;
  };
  scratch_.clear();
  for (PodHeap* heap : {&backoff_, &error_backoff_}) {
    for (RecordId id = next(*heap); id != kNone; id = next(*heap)) {
      if (rules_.flush_at_once) {
        scratch_.push_back(id);
      } else {
        MoveToActive(id, kBackoffComplete, false);
      }
    }
  }
  for (const RecordId id : scratch_) MoveToActive(id, kBackoffComplete, from_backoff);
}

}  // namespace schedlens::sim::queue
