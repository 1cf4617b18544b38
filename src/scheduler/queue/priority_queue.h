#pragma once

// kube-scheduler's PriorityQueue, call by call: activeQ, the back-off queues, the unschedulable
// pods, gates and what happened while pods were in flight. It has no clock and no timers of its
// own; each call says what time it is, never an earlier one.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "scheduler/base/release.h"
#include "scheduler/queue/containers.h"

namespace schedlens::sim::queue {

// What the scheduling queue of one release does, as data, and how long its pods back off. The queue
// asks these, never the release.

/// Feature gates that change the queue.
struct QueueGates {
  bool queueing_hints = false, pop_from_backoff = false;
  bool pod_groups = false;  ///< GenericWorkload; played from 1.37 on
};
/// As a release 1.`minor` sets them by default.
inline QueueGates DefaultGates(int minor) { return {minor >= 32, minor >= 33}; }

/// What the length of a back-off grows with.
enum class BackoffCount {
  kAttempts,            ///< pops; none yet: no back-off
  kAttemptsAtLeastOne,  ///< pops; none yet: the initial back-off
  kOutcomes,            ///< errors in a row, else rejections
};

/// Which gated pods a move leaves out.
enum class GatedInMoves {
  kNobody,
  kAll,
  kBySchedulingGates,       ///< those that SchedulingGates rejected
  kUnlessItsPluginMatches,  ///< all but those whose gating plugin registered for the event
};

/// When PreEnqueue plugins, asked at the entry into back-off, are not asked again.
enum class SkipPreEnqueue { kNo, kOnFlush, kFromBackoff };

/// Of release 1.`minor`, of 18 to the newest, with these gates.
struct QueueRules {
  int minor = Release::kNewest;
  QueueGates gates{};

  // Back-off.
  BackoffCount backoff_count() const {
    if (minor < 32) return BackoffCount::kAttemptsAtLeastOne;
    return minor < 34 ? BackoffCount::kAttempts : BackoffCount::kOutcomes;
  }
  /// Expiry and now are cut down to whole seconds of wall time.
  bool whole_seconds() const { return gates.pop_from_backoff; }
  bool backs_off_through() const { return minor >= 33; }  ///< still backs off at its very expiry
  bool gated_backs_off() const { return minor >= 32; }
  bool error_queue() const { return minor >= 33; }  ///< of their own for pods no plugin rejected
  /// Equal expiries in backoffQ are ordered as in activeQ.
  bool backoff_by_priority() const { return gates.pop_from_backoff; }
  bool flush_at_once() const { return minor >= 33; }  ///< taken out first, then put into activeQ
  /// Default of podMaxInUnschedulablePodsDuration.
  Nanos leftover_after() const { return (minor < 24 ? 60 : 300) * kSecond; }

  // Gates.
  bool clock_from_add() const { return minor < 28; }      ///< gated time counts as well
  bool has_gating_plugin() const { return minor >= 34; }  ///< known and asked first; else a flag
  /// unschedulable_pods rises only if the plugin is new.
  bool counts_gate_once() const { return minor >= 36; }
  /// pending_pods follows a pod that turns gated in place.
  bool recounts_gated() const { return minor >= 36; }
  bool parks_gated_copy() const { return minor < 32 || minor >= 37; }  ///< beside a queued one
  SkipPreEnqueue skip_pre_enqueue() const {
    if (!gates.pop_from_backoff) return SkipPreEnqueue::kNo;
    return minor < 36 ? SkipPreEnqueue::kOnFlush : SkipPreEnqueue::kFromBackoff;
  }
  GatedInMoves gated_in_moves() const {
    if (minor < 28) return GatedInMoves::kNobody;
    if (minor < 32) return GatedInMoves::kAll;
    return minor < 34 ? GatedInMoves::kBySchedulingGates : GatedInMoves::kUnlessItsPluginMatches;
  }

  // Events.
  bool asks_plugins() const { return minor >= 22; }   ///< else each event wakes all unschedulable
  bool ordered_match() const { return minor >= 34; }  ///< event's bits not above the registered
  /// A wildcard with an object wakes this only, if it is a pod.
  bool wildcard_for_one_pod() const { return minor >= 32; }
  bool wildcard_for_gated() const { return minor >= 37; }  ///< their plugins are asked again
  bool counts_moves() const { return minor < 37; }         ///< by moveRequestCycle
  bool every_move_counts() const { return minor < 28; }    ///< also if nobody registered for it
  bool leaves_before_move() const { return minor >= 28; }  ///< `unschedulable`, if moved
  /// Assigned pods wake those that PodTopologySpread rejected.
  bool spread_follows_pods() const { return minor >= 32; }
  /// And those with a matching required anti-affinity.
  bool anti_affinity_follows() const { return minor >= 32; }

  // Calls.
  bool one_place() const { return minor >= 32; }  ///< never in back-off and unschedulable at once
  bool pop_clears_plugins() const { return minor < 36; }
  bool pop_lowers_gauge() const { return minor >= 27; }
  bool pop_drops_known_uid() const { return minor >= 32; }       ///< a copy of a pod in flight
  bool delete_lowers_gauge() const { return minor >= 36; }       ///< if it was unschedulable
  bool delete_lowers_everywhere() const { return minor >= 37; }  ///< in activeQ or back-off, too
  bool update_by_events() const { return minor >= 32; }  ///< else by what differs in the pod
  /// An Activate it cannot do is an event or a move request.
  bool activate_notes_in_flight() const { return minor >= 32; }
  bool marks_flushed() const { return minor >= 36; }
  bool remembers_flush() const { return minor >= 37; }  ///< a leftover's time counts from it
  bool nominates_anew() const { return minor < 32; }    ///< so do an attempt's end and Activate
  bool nominates_first() const { return minor >= 37; }  ///< Add does, gated or not, nothing else
  bool unknown_update_adds() const { return minor >= 37; }  ///< an Update of a pod in no queue
  bool leaves_backoff() const { return minor < 37; }        ///< a copy of what enters activeQ
  /// Any new entry; else those placed by an event.
  bool counts_unschedulable_entries() const { return minor >= 33; }
  /// An error without an entry waits unless events are kept.
  bool unknown_flight_by_list() const { return minor < 32; }
  /// While no hints are asked; else they go where rejections go.
  bool errors_back_off() const { return minor >= 28; }
};

struct BackoffSettings {
  Nanos initial = kSecond, max = 10 * kSecond;
  /// Wall time at the clock's 0, as far as it is not a whole second.
  Nanos start = 0;
};

class Backoff {
 public:
  Backoff(const QueueRules& rules, const BackoffSettings& settings)
      : rules_(rules), settings_(settings) {}

  /// Of a pod with these counts; 0 if it need not wait. A maximum of 0 switches back-off off; where
  /// pops are counted, not for the first one. The maximum grows with the root of a group's size.
  Nanos LengthOf(const Record& record) const {
    const bool outcomes = rules_.backoff_count() == BackoffCount::kOutcomes;
    int count = record.attempts;
    if (outcomes) {
      count =
          record.consecutive_errors > 0 ? record.consecutive_errors : record.unschedulable_count;
    } else if (rules_.backoff_count() == BackoffCount::kAttemptsAtLeastOne) {
      count = std::max(count, 1);
    }
    if (count == 0) return 0;
    const double root = std::sqrt(static_cast<double>(record.pods()));
    const auto max = static_cast<Nanos>(static_cast<double>(settings_.max) * root);
    if (outcomes && settings_.initial > max) return max;
    Nanos length = settings_.initial;
    for (int i = 1; i < count; ++i) {
      if (length > max - length) return max;
      length += length;
    }
    return length;
  }
  /// When the pod's back-off ends; kNever if it has none. Depends on counts and timestamp only.
  Nanos ExpiryOf(const Record& record) const {
    const Nanos length = LengthOf(record);
    if (length == 0 && rules_.backoff_count() == BackoffCount::kOutcomes) return kNever;
    return Cut(record.timestamp + length);
  }
  bool BacksOff(const Record& record, Nanos now) const {
    if (record.gated && !rules_.gated_backs_off()) return false;
    if (rules_.backs_off_through()) return record.expiry >= Cut(now);
    return record.expiry > now;
  }

 private:
  /// Cut down to a whole second of wall time where the release does so.
  Nanos Cut(Nanos t) const {
    if (!rules_.whole_seconds()) return t;
    const Nanos rest = (t + settings_.start) % kSecond;
    return t - (rest < 0 ? rest + kSecond : rest);
  }

  QueueRules rules_;
  BackoffSettings settings_;
};

/// Order of activeQ: higher priority, then earlier timestamp.
inline bool ActiveLess(const Record& a, const Record& b) {
  if (a.pod.priority != b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.timestamp < b.timestamp;
}
/// By expiry alone.
inline bool ExpiryLess(const Record& a, const Record& b) { return a.expiry < b.expiry; }
/// By expiry, then as activeQ.
inline bool ExpiryThenActiveLess(const Record& a, const Record& b) {
  return a.expiry != b.expiry ? a.expiry < b.expiry : ActiveLess(a, b);
}

// The queue's own metrics. The gauges are counted as the original counts them, where it miscounts
// too; pending_pods of activeQ and back-off are the sizes of the heaps.
struct QueueMetrics {
  /// Pods (queue_incoming_pods_total), and of queue_incoming_entities_total single pods and groups;
  /// an entry into the very queue that the verdict on an event names is not counted there.
  enum Counted { kPods, kSinglePods, kGroups };
  /// By label, then by Counted, then active, backoff, unschedulable.
  std::vector<std::array<std::array<std::uint64_t, 3>, 3>> incoming;
  /// pending_pods of unschedulable and gated.
  std::int64_t unschedulable = 0, gated = 0;
  /// unschedulable_pods by plugin.
  std::array<std::int64_t, kMaxPlugins> rejected_by{};

  /// `queue` is 0 for active, 1 for backoff, 2 for unschedulable. Label 0 is not counted.
  void Enter(std::size_t queue, LabelId label, const Record& record, bool as_judged) {
    if (label == 0) return;
    if (label >= incoming.size()) incoming.resize(label + std::size_t{1});
    incoming[label][kPods][queue] += record.pods();
    if (!as_judged) ++incoming[label][record.IsGroup() ? kGroups : kSinglePods][queue];
  }
  std::uint64_t Incoming(std::size_t queue, LabelId label, Counted what = kPods) const {
    return label < incoming.size() ? incoming[label][what][queue] : 0;
  }
  void CountRejection(PluginSet plugins, int by) {
    ForEachPlugin(plugins, [&](PluginId plugin) { rejected_by[plugin] += by; });
  }
};

// What the queue has to ask others: plugins and chance.
class QueueHost {
 public:
  virtual ~QueueHost() = default;

  /// A plugin's queueing hint: whether the event may make the pod schedulable that the plugin
  /// rejected. `ordinal` counts the events of this call of the queue, from 0.
  virtual bool HintQueues(const PodVersion& pod, PluginId plugin, const Registration& registration,
                          const EventInstance& event, std::size_t ordinal) = 0;
  /// The first PreEnqueue plugin that rejects the pod, `first` asked before the others if it is
  /// one; kNoPlugin if all let it pass.
  virtual PluginId PreEnqueue(const PodVersion& pod, PluginId first) = 0;
  /// Whether a required affinity term of `waiting` (with `anti` also of its anti-affinity) selects
  /// the assigned pod.
  virtual bool AffinitySelects(const PodVersion& waiting, const PodVersion& assigned,
                               bool anti) = 0;
  /// Whether the rejection of a waiting pod may depend on its peers: PodTopologySpread rejected it,
  /// and the assigned pod is in its namespace.
  virtual bool SpreadConcerns(const Record&, const PodVersion&) { return false; }
  /// Whether the two versions differ in what the scheduler looks at (up to 1.31).
  virtual bool Differs(const PodVersion&, const PodVersion&) { return true; }
  /// The pod entered a queue: 0 active, 1 backoff, 2 unschedulable.
  virtual void Entered(const PodVersion&, std::size_t, LabelId) {}
  // Who is nominated to which node is kept by others; here is what happens to it.
  /// The pod comes in, or (see nominates_anew) back: its status says where it is nominated to.
  virtual void Nominate(const PodVersion&) {}
  /// The pod changed while it waits.
  virtual void UpdateNomination(const PodVersion&, const PodVersion&) {}
  /// The pod is gone.
  virtual void ForgetNomination(PodUid) {}
  /// The order in which a bulk operation takes these. It is random in the original.
  virtual void Shuffle(const Records&, std::vector<RecordId>&) {}
};

struct PriorityQueueSettings {
  BackoffSettings backoff{};
  Nanos leftover_after = 300 * kSecond;  ///< podMaxInUnschedulablePodsDuration
  std::uint32_t scale_down = 0;          ///< bit of UpdatePodScaleDown
  /// The event behind an Activate that comes too early, and that of a leftover flush.
  ClusterEvent force_activate{kAnyResource, 0, kForceActivate, true};
  ClusterEvent leftover{kAnyResource, 0, kUnschedulableTimeout, true};
  ClusterEvent assigned_pod_add{kAssignedPod, 0, kAssignedPodAdd, false};
  PluginId scheduling_gates = kNoPlugin;
};

/// Why an attempt's end was refused: the pod was there already.
enum class Refusal { kAccepted, kInUnschedulable, kInActive, kInBackoff };
/// How a group's cycle ended: with pods placed, without, or with an error.
enum class GroupOutcome { kSuccess, kUnschedulable, kError };

class PriorityQueue {
 public:
  using PreCheck = std::function<bool(const PodVersion&)>;

  /// `host` must outlive the queue.
  PriorityQueue(const QueueRules& rules, const PriorityQueueSettings& settings, QueueHost& host);
  PriorityQueue(const PriorityQueue&) = delete;
  PriorityQueue& operator=(const PriorityQueue&) = delete;

  /// The plugin wants to hear of such events.
  void Register(PluginId plugin, const Registration& registration) {
    registrations_[plugin].push_back(registration);
  }

  /// A new pod without a node. A copy in a queue is replaced.
  void Add(const PodVersion& pod, Nanos now) {
    now_ = now;
    if (rules_.nominates_first()) host_.Nominate(pod);
    const RecordId id = NewRecord(pod);
    if (InGroup(pod)) return Join(id);
    MoveToActive(id, kPodAdded, false);
  }
  /// A waiting pod changed; `events` is what the change was, in order (from 1.32).
  void Update(const PodVersion& old, const PodVersion& pod, std::span<const EventInstance> events,
              Nanos now);
  void Delete(const PodVersion& pod);

  /// The next pod or group, in flight from now on; kNone if there is none. The record (of a group
  /// those of its members) is the caller's until AddUnschedulableIfNotPresent or Release.
  RecordId Pop(Nanos now);
  /// This pod, wherever it waits (from 1.36); kNone if it does not or is gated.
  RecordId PopSpecificPod(const PodVersion& pod, Nanos now);
  /// The flight is over: the pod is bound or gone. Does not release the record.
  void Done(PodUid uid) { in_flight_.Done(uid); }
  /// A record as of a pod that was popped `attempts` times, though not from here.
  RecordId Adopt(const PodVersion& pod, int attempts, Nanos now);
  /// The caller no longer needs the record of a Pop.
  void Release(RecordId id) {
    records_[id].held = false;
    FreeIfUnused(id);
  }
  /// The attempt failed: `rejected_by` and `pending` are the plugins to blame, both empty for an
  /// error. `pod` is the pod as it is now, `cycle` schedulingCycle at the end of the attempt. Ends
  /// the flight of `pod` in any case; the record is no longer the caller's.
  Refusal AddUnschedulableIfNotPresent(RecordId id, const PodVersion& pod, PluginSet rejected_by,
                                       PluginSet pending, std::int64_t cycle, Nanos now);

  void Activate(std::span<const PodVersion> pods, Nanos now);
  /// MoveAllToActiveOrBackoffQueue: looks at every unschedulable pod that `pre_check`, if there is
  /// one, lets pass.
  void Move(const EventInstance& event, const PreCheck& pre_check, Nanos now);
  void AssignedPodAdded(const PodVersion& pod, Nanos now) {
    AssignedPodUpdated(pod, {settings_.assigned_pod_add, 0, pod.object, pod.uid}, now);
  }
  void AssignedPodUpdated(const PodVersion& pod, const EventInstance& event, Nanos now);
  void FlushBackoffCompleted(Nanos now);
  void FlushUnschedulableLeftover(Nanos now);

  // Pod groups (with the gate pod_groups). A pod that names one is queued as part of it, and waits
  // outside the queues while the group is not known, or in flight.

  /// A PodGroup came or changed: the pods that wait for it enter as one. A changed priority does
  /// not move the entity.
  void PutPodGroup(const PodVersion& group, Nanos now);
  /// Its pods wait for it to come back.
  void DeletePodGroup(const PodVersion& group);
  /// The cycle of the group that was popped last is over; its failed pods came back before.
  void AddAttemptedPodGroupIfNeeded(PodKey group, GroupOutcome outcome, Nanos now);
  /// Pods outside the queues: pending if their PodGroup is known, else incomplete.
  const std::vector<RecordId>& waiting() const { return waiting_; }
  bool Knows(PodKey group) const { return pod_groups_.contains(group); }
  /// The group in flight, if no pod was popped since; else kNone.
  RecordId flying_group() const { return flying_group_; }

  const Record& At(RecordId id) const { return records_[id]; }
  const Records& records() const { return records_; }
  /// The record of the pod in that place; kNone if it is not there.
  RecordId Find(Place place, PodKey key) const;
  const PodHeap& active() const { return active_; }
  const PodHeap& backoff() const { return backoff_; }
  const PodHeap& error_backoff() const { return error_backoff_; }
  /// Without an order that means anything.
  const std::vector<RecordId>& unschedulable() const { return unschedulable_; }
  const InFlightList& in_flight() const { return in_flight_; }
  const QueueRules& rules() const { return rules_; }
  const QueueMetrics& metrics() const { return metrics_; }
  std::int64_t scheduling_cycle() const { return scheduling_cycle_; }
  std::int64_t move_request_cycle() const {
    return rules_.counts_moves() ? move_request_cycle_ : -1;
  }

 private:
  enum class Strategy { kSkip, kAfterBackoff, kNow };

  // Records.
  RecordId NewRecord(const PodVersion& pod);
  void FreeIfUnused(RecordId id);
  // A pod of a group has none of its own.
  void Refresh(Record& record) {
    record.expiry = InGroup(record.pod) ? kNever : backoff_rule_.ExpiryOf(record);
  }
  void CountOutcome(Record& record, bool error);

  // Groups.
  bool InGroup(const PodVersion& pod) const {
    return rules_.gates.pod_groups && pod.group != kNone;
  }
  PodKey EntityOf(const PodVersion& pod) const { return InGroup(pod) ? pod.group : pod.key; }
  bool Flies(PodKey group) const {
    return flying_group_ != kNone && records_[flying_group_].pod.key == group;
  }
  RecordId FindIn(const std::vector<RecordId>& list, PodKey key) const;
  // The pod itself, or that member of a group; kNone if there is none.
  RecordId MemberOf(RecordId entity, PodKey key) const {
    const bool group = entity != kNone && records_[entity].IsGroup();
    return group ? FindIn(records_[entity].members, key) : entity;
  }
  RecordId TakeFrom(std::vector<RecordId>& list, PodKey key);
  void Insert(std::vector<RecordId>& members, RecordId id);
  void Join(RecordId id);
  template <typename Change>
  bool Reform(PodKey group, const Change& change);
  void DeleteMember(const PodVersion& pod);

  // Entries and exits.
  // `as_judged`: the queue is the one that the verdict on an event names.
  void Entered(RecordId id, std::size_t queue, LabelId label, bool as_judged = false) {
    metrics_.Enter(queue, label, records_[id], as_judged);
    host_.Entered(records_[id].pod, queue, label);
  }
  void RunPreEnqueue(RecordId id);
  void StartFirst(Record& record) {
    if (record.initial_attempt == kNever) record.initial_attempt = now_;
  }
  bool MoveToActive(RecordId id, LabelId label, bool from_backoff, bool as_judged = false);
  bool MoveToBackoff(RecordId id, LabelId label, bool as_judged);
  void PutBackoff(RecordId id);
  void PutUnschedulable(RecordId id, bool gated_before, LabelId label, bool as_judged = false);
  RecordId RemoveUnschedulable(PodKey key, bool gated);
  RecordId FindBackoff(PodKey key) const {
    const RecordId id = backoff_.Find(key);
    return id != kNone ? id : error_backoff_.Find(key);
  }
  RecordId TakeBackoff(PodKey key);

  // Judging and moving.
  bool Matches(const Registration& registration, const ClusterEvent& event) const;
  bool MatchesAny(PluginId plugin, const ClusterEvent& event) const;
  bool OfInterest(const ClusterEvent& event) const;
  Strategy Judge(const Record& record, const EventInstance& event, std::size_t ordinal);
  Strategy JudgeFlight(const Record& record);
  bool Requeue(RecordId id, Strategy strategy, LabelId label);
  bool LeftOut(const Record& record, const ClusterEvent& event) const;
  template <typename Concerns>
  void MoveIf(const EventInstance& event, const Concerns& concerns);
  void MovePods(std::vector<RecordId>& pods, const EventInstance& event);
  void MoveInPlace(RecordId id, LabelId label);

  // Calls.
  RecordId TakeUp(RecordId id);
  bool ActivateOne(const PodVersion& pod);
  void UpdateUnschedulable(RecordId id, const PodVersion& old, const PodVersion& pod,
                           std::span<const EventInstance> events);
  Refusal WhereElse(PodKey key) const;
  void ReturnByCycle(RecordId id, std::int64_t cycle);

  QueueRules rules_;
  PriorityQueueSettings settings_;
  std::array<std::vector<Registration>, kMaxPlugins> registrations_;  // by plugin
  QueueHost& host_;
  Backoff backoff_rule_;
  Records records_;
  std::vector<RecordId> free_;
  PodHeap active_;
  PodHeap backoff_;
  PodHeap error_backoff_;
  std::vector<RecordId> unschedulable_, unschedulable_by_key_, scratch_;
  std::unordered_map<PodKey, PodVersion> pod_groups_;  // those known
  std::vector<RecordId> waiting_;
  RecordId flying_group_ = kNone;
  InFlightList in_flight_;
  QueueMetrics metrics_;
  std::int64_t scheduling_cycle_ = 0, move_request_cycle_ = -1;
  Nanos now_ = 0;
};

}  // namespace schedlens::sim::queue
