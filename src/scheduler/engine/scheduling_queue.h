#pragma once

// The scheduling queue as the simulated scheduler calls it: kube-scheduler's PriorityQueue
// (scheduler/queue) with pods by number and plugins by bit.

#include "kube/words.h"
#include "scheduler/queue/priority_queue.h"

namespace schedlens::sim {

using PodNumber = std::uint32_t;  ///< of a run, in order of creation

using kube::PodEvent;
using kube::QueueName;

/// Who rejected a pod, as a set of bits; decides which events wake it (from 1.22).
enum Rejection : unsigned {
  kRejectedByNobody = 0,    ///< an error: any event wakes the pod
  kRejectedByOther = 1024,  ///< a plugin that may be interested in anything
#include "scheduler/engine/rejection_bits.inc"
};
/// Actions on objects, as plugins register for them.
inline constexpr std::uint32_t kAdds = 1, kDeletes = 2, kAddsOrDeletes = 3, kGatesGone = 8;
/// A plugin with its bit, and the actions on nodes, pods and claims that it registered for.
struct Rejecter {
  Rejection bit;
  std::string_view plugin;
  std::uint32_t node = 0, pod = 0, claim = 0;
};
/// All bits but kRejectedByOther: the lines of rejecters.txt.
inline constexpr Rejecter kRejecters[] = {
#include "scheduler/engine/rejecter_rows.inc"
};
/// The plugin of one bit; empty for one that the table lacks.
constexpr std::string_view RejecterOf(Rejection bit) {
  const auto* at = std::ranges::find(kRejecters, bit, &Rejecter::bit);
  return at == std::end(kRejecters) ? "" : at->plugin;
}
/// The bit of a plugin, by its name.
constexpr Rejection RejectionOf(std::string_view plugin) {
  const auto* at = std::ranges::find(kRejecters, plugin, &Rejecter::plugin);
  return at == std::end(kRejecters) ? kRejectedByOther : at->bit;
}

/// What an event is about, as far as hints look at it.
struct EventSubject {
  static constexpr std::uint32_t kNone = 0;
  /// 1 + the node's index, or 1 + the pod's template; of a claim 1 + the pod's number.
  std::uint32_t number = kNone;
  PodNumber pod = 0;  ///< of a pod
};

/// What the queue asks about the cluster.
class QueueAdvisor {
 public:
  virtual ~QueueAdvisor() = default;
  /// Whether the event may make the pod schedulable that the plugin had rejected.
  virtual bool Helps(PodNumber waiting, Rejection plugin, PodEvent event,
                     std::uint32_t subject) = 0;
  /// Whether the pod could go to that node if it were empty (asked before 1.32).
  virtual bool Admits(PodNumber waiting, std::uint32_t node) = 0;
  /// Whether a required affinity term of the waiting pod selects pods of that template.
  virtual bool Attracted(PodNumber waiting, std::uint32_t pod_template) = 0;
  /// Who keeps the pod out of activeQ; kRejectedByNobody if it may enter.
  virtual Rejection GatedBy(PodNumber pod) = 0;
  /// False if none but plugins from outside the tree refused the pod, and none of them expects
  /// anything of the event (asked before 1.32).
  virtual bool MayHelp(PodNumber, PodEvent) { return true; }
};

/// A pod is in at most one of the queues; a popped one is in none ("in flight") until it comes back
/// by AddFailed, or is forgotten by Remove.
class SchedulingQueue : private queue::QueueHost {
 public:
  SchedulingQueue(const Release& release, const queue::BackoffSettings& backoff)
      : queue_({release.minor, queue::DefaultGates(release.minor)},
               {.backoff = backoff,
                .leftover_after = queue::QueueRules{release.minor}.leftover_after(),
                .assigned_pod_add = {release.minor >= 32 ? queue::kAssignedPod : queue::kPod, kAdds,
                                     queue::kAssignedPodAdd, false},
                .scheduling_gates = PluginOf(kRejectedByGates)},
               *this) {
    const auto add = [&](const Rejecter& one) {
      if (one.node != 0) queue_.Register(PluginOf(one.bit), {kNode, one.node, 0});
      if (one.pod != 0) queue_.Register(PluginOf(one.bit), {queue::kPod, one.pod, 0});
      if (one.claim != 0) queue_.Register(PluginOf(one.bit), {kClaim, one.claim, 0});
    };
    for (const Rejecter& one : kRejecters) add(one);
    add({kRejectedByOther, "", kAddsOrDeletes, kAddsOrDeletes, kAddsOrDeletes});
  }

  /// Without one every event helps whom it concerns, and no pod is gated. Must outlive the queue.
  void SetAdvisor(QueueAdvisor* advisor) { advisor_ = advisor; }
  /// Hears of every hint that an event makes the queue ask for: the event, the plugin that had
  /// rejected the pod, whether the event may help it.
  using HintObserver = std::function<void(PodEvent, Rejection plugin, bool helps)>;
  void SetHintObserver(HintObserver observer) { observer_ = std::move(observer); }
  /// Called whenever a pod enters a queue.
  using Listener = std::function<void(PodNumber, QueueName, PodEvent)>;
  void SetListener(Listener listener) { listener_ = std::move(listener); }

  /// A new pending pod. Does nothing if the queue knows it already.
  void Add(PodNumber pod, std::int32_t priority, Nanos now) {
    if (RecordOf(pod) != queue::kNone) return;
    // Informers hand over one pod after the other: none ties with another.
    if (now != last_add_) {
      last_add_ = now;
      added_ = 0;
    }
    queue_.Add(VersionOf(pod, priority), now + added_++);
  }
  /// The pod with the highest priority, then the earliest timestamp; starts a scheduling cycle.
  std::optional<PodNumber> Pop(Nanos now) {
    const queue::RecordId id = queue_.Pop(now);
    if (id == queue::kNone) return std::nullopt;
    return Hold(id);
  }
  /// Takes this pod out of its turn, wherever it waits. False if it does not, or is gated.
  bool PopSpecific(PodNumber pod, Nanos now) {
    const queue::RecordId id = queue_.PopSpecificPod(VersionOf(pod), now);
    if (id == queue::kNone) return false;
    Hold(id);
    return true;
  }
  /// A popped pod's attempt failed. Does nothing if the pod was removed in the meantime.
  void AddFailed(PodNumber pod, unsigned rejections, bool was_error, Nanos now) {
    if (pod >= held_.size() || held_[pod] == queue::kNone) return;
    const queue::RecordId id = std::exchange(held_[pod], queue::kNone);
    queue_.AddUnschedulableIfNotPresent(id, queue_.At(id).pod, was_error ? 0 : rejections, 0,
                                        queue_.scheduling_cycle(), now);
  }
  /// Deleted or bound: forgets the pod wherever it is.
  void Remove(PodNumber pod) {
    if (pod < held_.size() && held_[pod] != queue::kNone) {
      queue_.Done(pod);
      queue_.Release(std::exchange(held_[pod], queue::kNone));
    } else {
      queue_.Delete(VersionOf(pod));
    }
  }
  /// Events from now on no longer concern a popped pod, though it may still come back.
  void EndFlight(PodNumber pod) { queue_.Done(pod); }
  /// Moves every unschedulable pod that the event may help to activeQ, or to backoff while its
  /// back-off lasts; attempts in flight hear of it when they end.
  void MoveOnEvent(PodEvent event, Nanos now, const EventSubject& subject = {}) {
    if (event == PodEvent::kAssignedPodAdd && !hints()) {
      queue_.AssignedPodAdded({subject.pod, subject.pod, subject.number, 0}, now);
      return;
    }
    queue::PriorityQueue::PreCheck may_help;
    if (!hints() && advisor_ != nullptr) {
      const bool node = event == PodEvent::kNodeAdd && subject.number != EventSubject::kNone;
      may_help = [&, node](const PodVersion& pod) {
        return (!node || advisor_->Admits(pod.key, subject.number - 1)) &&
               advisor_->MayHelp(pod.key, event);
      };
    }
    queue_.Move(Instance(event, subject), may_help, now);
  }
  /// The same for pods of at most that priority.
  void MoveUpTo(std::int32_t priority, PodEvent event, Nanos now, const EventSubject& subject) {
    queue_.Move(
        Instance(event, subject), [&](const PodVersion& pod) { return pod.priority <= priority; },
        now);
  }
  /// A waiting pod lost its scheduling gates.
  void Ungate(PodNumber pod, std::int32_t priority, Nanos now) {
    if (RecordOf(pod) == queue::kNone) return;
    constexpr PodEvent kWhat = PodEvent::kGatesEliminated;
    const queue::EventInstance event{{queue::kUnschedulablePod, kGatesGone, LabelOf(kWhat), false},
                                     pod + 1,
                                     static_cast<queue::ObjectId>(kube::IndexOf(kWhat)),
                                     pod};
    const PodVersion version = VersionOf(pod, priority);
    queue_.Update(version, version, {&event, 1}, now);
  }
  /// Puts a waiting pod, also a gated one, into activeQ at once.
  void Activate(PodNumber pod, Nanos now) {
    const std::optional<QueueName> where = Where(pod);
    if (!where || where == QueueName::kActive) return;
    const PodVersion version = VersionOf(pod);
    queue_.Activate({&version, 1}, now);
  }
  /// Called every second: pods whose back-off is over become active.
  void FlushBackoff(Nanos now) { queue_.FlushBackoffCompleted(now); }
  /// Called every 30 s: pods that sat unschedulable for too long are retried.
  void FlushUnschedulable(Nanos now) { queue_.FlushUnschedulableLeftover(now); }

  /// Whether Pop would return a pod.
  bool CanPop() const {
    return !queue_.active().empty() ||
           (queue_.rules().gates.pop_from_backoff && !queue_.backoff().empty());
  }
  std::size_t size(QueueName kind) const {
    if (kind == QueueName::kActive) return queue_.active().size();
    if (kind == QueueName::kBackoff) return queue_.backoff().size() + queue_.error_backoff().size();
    const queue::QueueMetrics& metrics = queue_.metrics();
    const auto count = kind == QueueName::kGated ? metrics.gated : metrics.unschedulable;
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  }
  /// Nothing for a pod in no queue.
  std::optional<QueueName> Where(PodNumber pod) const {
    const queue::RecordId id = RecordOf(pod);
    if (id == queue::kNone) return std::nullopt;
    const queue::Record& record = queue_.At(id);
    if (record.In(queue::Place::kActive)) return QueueName::kActive;
    if (record.In(queue::Place::kBackoff) || record.In(queue::Place::kErrorBackoff)) {
      return QueueName::kBackoff;
    }
    if (!record.In(queue::Place::kUnschedulable)) return std::nullopt;
    return record.gated ? QueueName::kGated : QueueName::kUnschedulable;
  }
  /// It is tried again because it had waited too long.
  bool was_flushed(PodNumber pod) const {
    const queue::RecordId id = RecordOf(pod);
    return id != queue::kNone && queue_.At(id).was_flushed;
  }
  int attempts(PodNumber pod) const { return queue_.At(RecordOf(pod)).attempts; }
  /// When the pod first entered activeQ (to 1.27: the queue).
  Nanos first_added(PodNumber pod) const { return queue_.At(RecordOf(pod)).initial_attempt; }
  std::uint64_t incoming(QueueName kind, PodEvent event) const {
    return queue_.metrics().Incoming(kube::IndexOf(kind), LabelOf(event));
  }
  /// The gauge unschedulable_pods of one plugin, counted as the release counts it.
  std::int64_t CountRejectedBy(Rejection bit) const {
    return queue_.metrics().rejected_by[PluginOf(bit)];
  }

 private:
  using PodVersion = queue::PodVersion;
  static constexpr queue::Resource kNode = queue::kFirstOwnResource;
  static constexpr queue::Resource kClaim = queue::kFirstOwnResource + 1;

  static queue::PluginId PluginOf(Rejection bit) {
    return static_cast<queue::PluginId>(std::countr_zero(static_cast<unsigned>(bit)));
  }
  static PodVersion VersionOf(PodNumber pod, std::int32_t priority = 0) {
    return {pod, pod, pod + 1, priority};
  }
  // The queue's own labels come first, in the order of the events.
  static queue::LabelId LabelOf(PodEvent event) {
    if (event == PodEvent::kAssignedPodAdd) return queue::kAssignedPodAdd;
    const bool own = event <= PodEvent::kUnschedulableTimeout;
    return static_cast<queue::LabelId>((own ? queue::kPodAdded : queue::kFirstOwnLabel) +
                                       kube::IndexOf(event));
  }

  // What the queue asks. An event carries its PodEvent in new_object and its subject in old_object,
  // an assigned pod its template in `object`.

  bool HintQueues(const PodVersion& pod, queue::PluginId plugin, const queue::Registration&,
                  const queue::EventInstance& event, std::size_t) override {
    const auto rejection = static_cast<Rejection>(1u << plugin);
    const auto what = static_cast<PodEvent>(event.new_object);
    const bool helps = !hints() || advisor_ == nullptr ||
                       advisor_->Helps(pod.key, rejection, what, event.old_object);
    if (observer_) observer_(what, rejection, helps);
    return helps;
  }
  queue::PluginId PreEnqueue(const PodVersion& pod, queue::PluginId) override {
    if (queue_.rules().minor < 27 || advisor_ == nullptr) return queue::kNoPlugin;
    const Rejection by = advisor_->GatedBy(pod.key);
    return by == kRejectedByNobody ? queue::kNoPlugin : PluginOf(by);
  }
  bool AffinitySelects(const PodVersion& waiting, const PodVersion& assigned, bool) override {
    return advisor_ == nullptr || advisor_->Attracted(waiting.key, assigned.object - 1);
  }
  void Entered(const PodVersion& pod, std::size_t queue, queue::LabelId label) override {
    if (!listener_) return;
    for (const PodEvent event : kube::All<PodEvent>()) {
      if (LabelOf(event) == label) listener_(pod.key, static_cast<QueueName>(queue), event);
    }
  }

  bool hints() const { return queue_.rules().gates.queueing_hints; }
  PodNumber Hold(queue::RecordId id) {
    const PodNumber pod = queue_.At(id).pod.key;
    if (pod >= held_.size()) held_.resize(pod + 1, queue::kNone);
    held_[pod] = id;
    return pod;
  }
  queue::EventInstance Instance(PodEvent event, const EventSubject& subject) const {
    using enum PodEvent;
    queue::ClusterEvent what{queue::kPod, kAdds, LabelOf(event), false};
    if (queue_.rules().update_by_events()) what.resource = queue::kAssignedPod;
    if (event == kNodeAdd || event == kNodeDelete) what.resource = kNode;
    if (event == kClaimAdd) what.resource = kClaim;
    if (event == kAssignedPodDelete || event == kNodeDelete) what.bits = kDeletes;
    return {what, subject.number, static_cast<queue::ObjectId>(kube::IndexOf(event)), queue::kNone};
  }
  queue::RecordId RecordOf(PodNumber pod) const {
    if (pod < held_.size() && held_[pod] != queue::kNone) return held_[pod];
    for (const queue::Place place : {queue::Place::kActive, queue::Place::kBackoff,
                                     queue::Place::kErrorBackoff, queue::Place::kUnschedulable}) {
      const queue::RecordId id = queue_.Find(place, pod);
      if (id != queue::kNone) return id;
    }
    return queue::kNone;
  }

  queue::PriorityQueue queue_;
  QueueAdvisor* advisor_ = nullptr;
  HintObserver observer_;
  Listener listener_;
  std::vector<queue::RecordId> held_;  // by pod: the record of a popped one
  Nanos last_add_ = queue::kNever;
  Nanos added_ = 0;  // pods at that very time
};

}  // namespace schedlens::sim
