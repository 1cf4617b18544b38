#include "scheduler/queue/priority_queue.h"

#include <iterator>

namespace schedlens::sim::queue {

PriorityQueue::PriorityQueue(const QueueRules& rules, const PriorityQueueSettings& settings,
                             QueueHost& host)
    : rules_(rules),
      settings_(settings),
      host_(host),
      backoff_rule_(rules, settings.backoff),
      active_(records_, Place::kActive, ActiveLess),
      backoff_(records_, Place::kBackoff,
               rules.backoff_by_priority() ? ExpiryThenActiveLess : ExpiryLess),
      error_backoff_(records_, Place::kErrorBackoff, ExpiryLess) {}

void PriorityQueue::UpdateUnschedulable(RecordId id, const PodVersion& old, const PodVersion& pod,
                                        std::span<const EventInstance> events) {
  const RecordId member = MemberOf(id, pod.key);
  records_[member].pod = pod;
  host_.UpdateNomination(old, pod);
  const bool gated = records_[id].gated;
  if (!rules_.update_by_events()) {
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
    const Strategy strategy = Judge(records_[member], events[i], i);
    const LabelId label = events[i].event.label;
    if (!Requeue(id, strategy, label)) continue;
    RemoveUnschedulable(EntityOf(pod), gated);
    return;
  }
}

void PriorityQueue::Update(const PodVersion& old, const PodVersion& pod,
                           std::span<const EventInstance> events, Nanos now) {
  now_ = now;
  if (rules_.gates.queueing_hints && rules_.update_by_events() && in_flight_.Knows(pod.uid)) {
    for (const EventInstance& event : events) in_flight_.AddEvent(event);
    return;
  }
  const auto replace = [&](RecordId id) {
    if (id == kNone) return false;
    records_[id].pod = pod;
    host_.UpdateNomination(old, pod);
    return true;
  };
  if (replace(FindIn(waiting_, old.key))) return;
  for (PodHeap* heap : {&active_, &backoff_, &error_backoff_}) {
    const RecordId id = heap->Find(EntityOf(old));
    if (!replace(MemberOf(id, old.key))) continue;
    heap->Fix(id);
    return;
  }
  const RecordId id = Find(Place::kUnschedulable, EntityOf(pod));
  if (MemberOf(id, pod.key) != kNone) {
    UpdateUnschedulable(id, old, pod, events);
  } else if (rules_.unknown_update_adds()) {
    Add(pod, now);
  } else {
    MoveToActive(NewRecord(pod), kPodUpdated, false);
  }
}

void PriorityQueue::Delete(const PodVersion& pod) {
  host_.ForgetNomination(pod.uid);
  if (InGroup(pod)) return DeleteMember(pod);
  RecordId queued = active_.Remove(pod.key);
  const bool was_active = queued != kNone;
  if (!was_active) queued = TakeBackoff(pod.key);
  if (queued != kNone) {
    if (rules_.delete_lowers_everywhere()) {
      metrics_.CountRejection(records_[queued].rejectors(), -1);
    }
    FreeIfUnused(queued);
    if (was_active || rules_.one_place()) return;
  }
  const RecordId id = Find(Place::kUnschedulable, pod.key);
  if (id == kNone) return;
  if (rules_.delete_lowers_gauge()) metrics_.CountRejection(records_[id].rejectors(), -1);
  FreeIfUnused(RemoveUnschedulable(pod.key, records_[id].gated));
}

// A popped record becomes the scheduler's; kNone if it is thrown away. So do a group's pods.
RecordId PriorityQueue::TakeUp(RecordId id) {
  Record& record = records_[id];
  ++record.attempts;
  if (rules_.backoff_count() != BackoffCount::kOutcomes) Refresh(record);
  const bool group = record.IsGroup(), known = !group && in_flight_.Knows(record.pod.uid);
  std::erase_if(record.members, [&](RecordId member) { return TakeUp(member) == kNone; });
  if ((known && rules_.pop_drops_known_uid()) || group != record.IsGroup()) {
    FreeIfUnused(id);
    return kNone;
  }
  if (rules_.gates.queueing_hints && !group) in_flight_.AddPod(record.pod);
  if (!InGroup(record.pod)) {
    ++scheduling_cycle_;
    // A group whose cycle has not ended by now is forgotten.
    if (flying_group_ != kNone) Release(flying_group_);
    flying_group_ = group ? id : kNone;
  }
  record.held = true;
  if (rules_.pop_lowers_gauge()) metrics_.CountRejection(record.rejectors(), -1);
  if (rules_.pop_clears_plugins()) {
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
  const RecordId waiting = TakeBackoff(pod.key);
  if (waiting != kNone) {
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
  if ((rules_.errors_back_off() && records_[id].rejectors() == 0) || move_request_cycle_ >= cycle) {
    MoveToBackoff(id, kAttemptFailure, false);
    return;
  }
  PutUnschedulable(id, records_[id].gated, kAttemptFailure);
  if (!rules_.counts_unschedulable_entries()) Entered(id, 2, kAttemptFailure);
}

// An attempt ended.
void PriorityQueue::CountOutcome(Record& record, bool error) {
  if (error) {
    ++record.consecutive_errors;
  } else {
    ++record.unschedulable_count;
    record.consecutive_errors = 0;
  }
  record.timestamp = now_;
  record.was_flushed = false;
  record.flushed = kNever;
  Refresh(record);
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
  CountOutcome(record, record.rejectors() == 0);
  metrics_.CountRejection(record.rejectors(), 1);
  if (InGroup(pod)) {
    Join(id);
  } else if (rules_.gates.queueing_hints) {
    Requeue(id, JudgeFlight(record), kAttemptFailure);
  } else {
    ReturnByCycle(id, cycle);
  }
  if (rules_.nominates_anew()) host_.Nominate(pod);
  in_flight_.Done(pod.uid);
  return Refusal::kAccepted;
}

bool PriorityQueue::ActivateOne(const PodVersion& pod) {
  const PodKey key = EntityOf(pod);
  RecordId id = Find(Place::kUnschedulable, key);
  const bool from_backoff = id == kNone;
  if (from_backoff) id = FindBackoff(key);
  if (id == kNone || active_.Find(key) != kNone) return false;
  const bool skip = from_backoff && rules_.skip_pre_enqueue() == SkipPreEnqueue::kFromBackoff;
  if (from_backoff && rules_.one_place()) TakeBackoff(key);
  return MoveToActive(id, kForceActivate, skip);
}

void PriorityQueue::Activate(std::span<const PodVersion> pods, Nanos now) {
  now_ = now;
  for (const PodVersion& pod : pods) {
    if (ActivateOne(pod) || !rules_.activate_notes_in_flight()) continue;
    if (rules_.gates.queueing_hints && in_flight_.Knows(pod.uid)) {
      in_flight_.AddEvent({settings_.force_activate, 0, pod.object, pod.uid});
    }
    move_request_cycle_ = scheduling_cycle_;
  }
}

// Events: whom they concern, how they are judged, and where the pods go.

bool PriorityQueue::Matches(const Registration& registration, const ClusterEvent& event) const {
  const bool pod = registration.resource == kPod &&
                   (event.resource == kAssignedPod || event.resource == kUnschedulablePod);
  if (registration.resource != event.resource && !pod) return false;
  if ((registration.bits & event.bits) == 0) return false;
  return !rules_.ordered_match() || event.bits <= registration.bits;
}

// A wildcard matches nothing.
bool PriorityQueue::MatchesAny(PluginId plugin, const ClusterEvent& event) const {
  if (event.wildcard || plugin >= kMaxPlugins) return false;
  const auto& of = registrations_[plugin];
  return std::ranges::any_of(of, [&](const Registration& one) { return Matches(one, event); });
}

// Whether any plugin registered for a matching event, or the event is a wildcard.
bool PriorityQueue::OfInterest(const ClusterEvent& event) const {
  for (PluginId plugin = 0; plugin < kMaxPlugins && !event.wildcard; ++plugin) {
    if (MatchesAny(plugin, event)) return true;
  }
  return event.wildcard;
}

// A group goes where the most hopeful of its rejected pods may go.
PriorityQueue::Strategy PriorityQueue::Judge(const Record& record, const EventInstance& event,
                                             std::size_t ordinal) {
  Strategy strategy = Strategy::kSkip;
  for (const RecordId id : record.members) {
    if (records_[id].rejectors() == 0) continue;
    strategy = std::max(strategy, Judge(records_[id], event, ordinal));
  }
  if (record.IsGroup()) return strategy;
  if (record.rejectors() == 0 || !rules_.asks_plugins()) return Strategy::kAfterBackoff;
  if (event.event.wildcard) {
    const bool for_another =
        rules_.wildcard_for_one_pod() && event.new_object != 0 && event.new_pod != record.pod.uid;
    return for_another ? Strategy::kSkip : Strategy::kAfterBackoff;
  }
  // Pending plugins first: what they say settles the matter.
  for (const PluginSet set : {record.pending, record.unschedulable & ~record.pending}) {
    ForEachPlugin(set, [&](PluginId plugin) {
      if (strategy != Strategy::kSkip) return;
      for (const Registration& registration : registrations_[plugin]) {
        if (!Matches(registration, event.event)) continue;
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
    const bool forgotten = rules_.unknown_flight_by_list() && record.rejectors() == 0 &&
                           in_flight_.entries().size() <= in_flight_.pods();
    return forgotten ? Strategy::kSkip : Strategy::kAfterBackoff;
  }
  if (record.rejectors() == 0) return Strategy::kAfterBackoff;
  Strategy best = Strategy::kSkip;
  std::size_t ordinal = 0;
  for (auto at = std::next(in_flight_.EntryOf(record.pod.uid)); at != in_flight_.entries().end();
       ++at) {
    if (at->is_pod) continue;
    const Strategy strategy = Judge(record, at->event, ordinal++);
    if (strategy == Strategy::kNow) return strategy;
    if (strategy == Strategy::kSkip) continue;
    if (record.pending == 0) return strategy;
    best = strategy;
  }
  return best;
}

// False: it stays, or becomes, unschedulable.
bool PriorityQueue::Requeue(RecordId id, Strategy strategy, LabelId label) {
  const Record& record = records_[id];
  if (strategy == Strategy::kSkip) {
    PutUnschedulable(id, record.gated, label, true);
    if (!rules_.counts_unschedulable_entries()) Entered(id, 2, label);
    return false;
  }
  if (strategy == Strategy::kAfterBackoff && backoff_rule_.BacksOff(record, now_)) {
    return MoveToBackoff(id, label, true);
  }
  return MoveToActive(id, label, false, strategy == Strategy::kNow);
}

bool PriorityQueue::LeftOut(const Record& record, const ClusterEvent& event) const {
  if (!record.gated || (event.wildcard && rules_.wildcard_for_gated())) return false;
  switch (rules_.gated_in_moves()) {
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
  return !MatchesAny(record.gating_plugin, event);
}

// Up to 1.27 a pod is put into its new queue first; one that is gated now just stays.
void PriorityQueue::MoveInPlace(RecordId id, LabelId label) {
  const Record& record = records_[id];
  if (!backoff_rule_.BacksOff(record, now_)) {
    MoveToActive(id, label, false);
    return;
  }
  MoveToBackoff(id, label, false);
  RemoveUnschedulable(record.pod.key, record.gated);
}

void PriorityQueue::MovePods(std::vector<RecordId>& pods, const EventInstance& event) {
  if (!rules_.every_move_counts() && !OfInterest(event.event)) return;
  host_.Shuffle(records_, pods);
  for (const RecordId id : pods) {
    if (LeftOut(records_[id], event.event)) continue;
    const Strategy strategy = Judge(records_[id], event, 0);
    if (strategy == Strategy::kSkip) continue;
    if (rules_.leaves_before_move()) {
      RemoveUnschedulable(records_[id].pod.key, records_[id].gated);
      Requeue(id, strategy, event.event.label);
    } else {
      MoveInPlace(id, event.event.label);
    }
  }
  move_request_cycle_ = scheduling_cycle_;
  if (rules_.gates.queueing_hints && in_flight_.pods() > 0) in_flight_.AddEvent(event);
}

template <typename Concerns>
void PriorityQueue::MoveIf(const EventInstance& event, const Concerns& concerns) {
  scratch_.clear();
  for (const RecordId id : unschedulable_) {
    if (concerns(records_[id])) scratch_.push_back(id);
  }
  MovePods(scratch_, event);
}

void PriorityQueue::Move(const EventInstance& event, const PreCheck& pre_check, Nanos now) {
  now_ = now;
  MoveIf(event, [&](const Record& record) { return !pre_check || pre_check(record.pod); });
}

void PriorityQueue::AssignedPodUpdated(const PodVersion& pod, const EventInstance& event,
                                       Nanos now) {
  now_ = now;
  const bool scaled_down =
      (event.event.bits & settings_.scale_down) != 0 && event.event.resource == kAssignedPod;
  MoveIf(event, [&](const Record& record) {
    return scaled_down || (rules_.spread_follows_pods() && host_.SpreadConcerns(record, pod)) ||
           host_.AffinitySelects(record.pod, pod, rules_.anti_affinity_follows());
  });
}

void PriorityQueue::FlushUnschedulableLeftover(Nanos now) {
  now_ = now;
  scratch_.clear();
  for (const RecordId id : unschedulable_) {
    Record& record = records_[id];
    if (now - std::max(record.timestamp, record.flushed) <= settings_.leftover_after) continue;
    if (rules_.marks_flushed()) record.was_flushed = true;
    if (rules_.remembers_flush()) record.flushed = now;
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
      if (rules_.flush_at_once()) {
        scratch_.push_back(id);
      } else {
        MoveToActive(id, kBackoffComplete, false);
      }
    }
  }
  for (const RecordId id : scratch_) MoveToActive(id, kBackoffComplete, from_backoff);
}

// How pods enter and leave activeQ, back-off and the unschedulable pods.

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
  if (rules_.clock_from_add()) record.initial_attempt = now_;
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
  const auto places = std::ranges::count(record.position, kNone);
  if (!record.held && places == std::ssize(record.position)) free_.push_back(id);
}

RecordId PriorityQueue::Find(Place place, PodKey key) const {
  if (place == Place::kUnschedulable) {
    return key < unschedulable_by_key_.size() ? unschedulable_by_key_[key] : kNone;
  }
  if (place == Place::kActive) return active_.Find(key);
  return (place == Place::kBackoff ? backoff_ : error_backoff_).Find(key);
}

// Returns the record taken out; kNone if the pod is not there.
RecordId PriorityQueue::TakeBackoff(PodKey key) {
  const RecordId id = backoff_.Remove(key);
  return id != kNone ? id : error_backoff_.Remove(key);
}

// From 1.34 the plugin that gated the pod last is asked first and stays in the sets afterwards. Of
// a group all pods are asked; one that is kept out keeps out all.
void PriorityQueue::RunPreEnqueue(RecordId id) {
  Record& record = records_[id];
  PluginId by = kNoPlugin;
  for (const RecordId member : record.members) {
    RunPreEnqueue(member);
    if (by == kNoPlugin) by = records_[member].gating_plugin;
  }
  if (!record.IsGroup()) by = host_.PreEnqueue(record.pod, record.gating_plugin);
  record.gated = by != kNoPlugin;
  if (rules_.has_gating_plugin()) record.gating_plugin = by;
  if (!record.gated) return;
  if (rules_.remembers_flush()) record.was_flushed = false;
  if (record.IsGroup()) return;
  if (!rules_.counts_gate_once() || !Has(record.rejectors(), by)) {
    metrics_.CountRejection(SetOf(by), 1);
  }
  record.unschedulable |= SetOf(by);
}

void PriorityQueue::PutBackoff(RecordId id) {
  const bool error = rules_.error_queue() && records_[id].rejectors() == 0;
  (error ? backoff_ : error_backoff_).Remove(records_[id].pod.key);
  FreeIfUnused((error ? error_backoff_ : backoff_).Put(id));
}

void PriorityQueue::PutUnschedulable(RecordId id, bool gated_before, LabelId label,
                                     bool as_judged) {
  Record& record = records_[id];
  const PodKey key = record.pod.key;
  const auto pods = static_cast<std::int64_t>(record.pods());
  if (key >= unschedulable_by_key_.size()) unschedulable_by_key_.resize(key + 1, kNone);
  const RecordId known = unschedulable_by_key_[key];
  unschedulable_by_key_[key] = id;
  std::uint32_t& position = record.At(Place::kUnschedulable);
  if (known == kNone) {
    position = static_cast<std::uint32_t>(unschedulable_.size());
    unschedulable_.push_back(id);
    (record.gated ? metrics_.gated : metrics_.unschedulable) += pods;
    if (rules_.counts_unschedulable_entries()) Entered(id, 2, label, as_judged);
    return;
  }
  if (rules_.recounts_gated() && record.gated != gated_before) {
    metrics_.gated += record.gated ? pods : -pods;
    metrics_.unschedulable -= record.gated ? pods : -pods;
  }
  if (known == id) return;
  position = std::exchange(records_[known].At(Place::kUnschedulable), kNone);
  unschedulable_[position] = id;
  FreeIfUnused(known);
}

// Returns the record, which is in no place any more unless it is in another queue as well.
RecordId PriorityQueue::RemoveUnschedulable(PodKey key, bool gated) {
  const RecordId id = Find(Place::kUnschedulable, key);
  if (id == kNone) return kNone;
  const std::uint32_t at = records_[id].At(Place::kUnschedulable);
  unschedulable_[at] = unschedulable_.back();
  records_[unschedulable_[at]].At(Place::kUnschedulable) = at;
  unschedulable_.pop_back();
  records_[id].At(Place::kUnschedulable) = kNone;
  unschedulable_by_key_[key] = kNone;
  const auto pods = static_cast<std::int64_t>(records_[id].pods());
  (gated ? metrics_.gated : metrics_.unschedulable) -= pods;
  return id;
}

bool PriorityQueue::MoveToActive(RecordId id, LabelId label, bool from_backoff, bool as_judged) {
  const bool gated_before = records_[id].gated;
  const bool skip = from_backoff && rules_.skip_pre_enqueue() != SkipPreEnqueue::kNo;
  if (!skip) RunPreEnqueue(id);
  Record& record = records_[id];
  const PodKey key = record.pod.key;
  if (record.gated) {
    const bool elsewhere = active_.Find(key) != kNone || FindBackoff(key) != kNone;
    if (!elsewhere || rules_.parks_gated_copy()) PutUnschedulable(id, gated_before, label);
    FreeIfUnused(id);
    return false;
  }
  StartFirst(record);
  for (const RecordId member : record.members) StartFirst(records_[member]);
  FreeIfUnused(active_.Put(id));
  if (label != kPodUpdated || rules_.update_by_events()) Entered(id, 0, label, as_judged);
  if (label != kBackoffComplete || rules_.one_place()) {
    FreeIfUnused(RemoveUnschedulable(key, gated_before));
  }
  if (rules_.leaves_backoff()) FreeIfUnused(TakeBackoff(key));
  const bool activated = label == kForceActivate && rules_.nominates_anew();
  const bool came = label == kPodAdded || label == kPodUpdated;
  if (!rules_.nominates_first() && (came || activated)) host_.Nominate(record.pod);
  return true;
}

bool PriorityQueue::MoveToBackoff(RecordId id, LabelId label, bool as_judged) {
  const bool gated_before = records_[id].gated;
  if (rules_.gates.pop_from_backoff) {
    RunPreEnqueue(id);
    if (records_[id].gated) {
      PutUnschedulable(id, gated_before, label);
      return false;
    }
  }
  PutBackoff(id);
  Entered(id, 1, label, as_judged);
  return true;
}

}  // namespace schedlens::sim::queue
