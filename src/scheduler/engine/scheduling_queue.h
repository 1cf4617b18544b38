#pragma once

// The scheduling queue as the simulated scheduler calls it: kube-scheduler's PriorityQueue
// (scheduler/queue) with pods by number and plugins by bit.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/words.h"
#include "scheduler/base/release.h"
#include "scheduler/queue/priority_queue.h"

namespace schedlens::sim {

using PodNumber = std::uint32_t;  ///< of a run, in order of creation

using kube::PodEvent;
using kube::QueueName;

/// Who rejected a pod, as a set of bits; decides which events wake it (from 1.22).
enum Rejection : unsigned {
  kRejectedByNobody = 0,  ///< an error: any event wakes the pod
  kRejectedByResources = 1,
  kRejectedByNodeAffinity = 2,
  kRejectedByInterPodAffinity = 4,
  kRejectedByTopologySpread = 8,
  kRejectedByGang = 16,
  kRejectedByVolumes = 32,
  kRejectedByTaints = 64,
  kRejectedByPorts = 128,
  kRejectedByUnschedulable = 256,  ///< NodeUnschedulable
  kRejectedByName = 512,           ///< NodeName
  kRejectedByOther = 1024,         ///< a plugin that may be interested in anything
  kRejectedByGates = 2048,         ///< SchedulingGates, before the pod enters activeQ
  kRejectedByPreemption = 4096,    ///< DefaultPreemption, while it deletes victims (from 1.33)
  kRejectedByVolumeRestrictions = 8192,
  kRejectedByVolumeLimits = 16384,  ///< NodeVolumeLimits
  kRejectedByVolumeZone = 32768,
};
/// A plugin with its bit, and the actions on nodes, pods and claims that it registered for.
struct Rejecter {
  Rejection bit;
  std::string_view plugin;
  std::uint32_t node = 0, pod = 0, claim = 0;
};
/// All bits but kRejectedByOther.
std::span<const Rejecter> Rejecters();
/// The plugin of one bit; empty for one that Rejecters lacks.
std::string_view RejecterOf(Rejection bit);
/// The bit of a plugin, by its name.
Rejection RejectionOf(std::string_view plugin);

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

struct QueueSettings {
  Nanos initial_backoff = kSecond;
  Nanos max_backoff = 10 * kSecond;
  Nanos start = 0;  ///< wall time at virtual time 0, what is beyond a whole second
};

/// A pod is in at most one of the queues; a popped one is in none ("in flight") until it comes back
/// by AddFailed, or is forgotten by Remove.
class SchedulingQueue : private queue::QueueHost {
 public:
  SchedulingQueue(const Release& release, const QueueSettings& settings);

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
  void Add(PodNumber pod, std::int32_t priority, Nanos now);
  /// The pod with the highest priority, then the earliest timestamp; starts a scheduling cycle.
  std::optional<PodNumber> Pop(Nanos now);
  /// Takes this pod out of its turn, wherever it waits. False if it does not, or is gated.
  bool PopSpecific(PodNumber pod, Nanos now);
  /// A popped pod's attempt failed. Returns where it went; nothing if it was removed in the
  /// meantime.
  std::optional<QueueName> AddFailed(PodNumber pod, unsigned rejections, bool was_error, Nanos now);
  /// Deleted or bound: forgets the pod wherever it is.
  void Remove(PodNumber pod);
  /// Events from now on no longer concern a popped pod, though it may still come back.
  void EndFlight(PodNumber pod) { queue_.Done(pod); }
  /// Moves every unschedulable pod that the event may help to activeQ, or to backoff while its
  /// back-off lasts; attempts in flight hear of it when they end.
  void MoveOnEvent(PodEvent event, Nanos now, const EventSubject& subject = {});
  /// The same for pods of at most that priority.
  void MoveUpTo(std::int32_t priority, PodEvent event, Nanos now, const EventSubject& subject);
  /// A waiting pod lost its scheduling gates.
  void Ungate(PodNumber pod, std::int32_t priority, Nanos now);
  /// Puts a waiting pod, also a gated one, into activeQ at once. False if it does not wait here.
  bool Activate(PodNumber pod, Nanos now);
  /// Called every second: pods whose back-off is over become active.
  void FlushBackoff(Nanos now) { queue_.FlushBackoffCompleted(now); }
  /// Called every 30 s: pods that sat unschedulable for too long are retried.
  void FlushUnschedulable(Nanos now) { queue_.FlushUnschedulableLeftover(now); }

  /// Whether Pop would return a pod.
  bool CanPop() const {
    return !queue_.active().empty() ||
           (queue_.rules().gates.pop_from_backoff && !queue_.backoff().empty());
  }
  std::size_t size(QueueName kind) const;
  /// Nothing for a pod in no queue.
  std::optional<QueueName> Where(PodNumber pod) const;
  /// It is tried again because it had waited too long.
  bool was_flushed(PodNumber pod) const;
  int attempts(PodNumber pod) const { return queue_.At(RecordOf(pod)).attempts; }
  /// When the pod first entered activeQ (to 1.27: the queue).
  Nanos first_added(PodNumber pod) const { return queue_.At(RecordOf(pod)).initial_attempt; }
  std::uint64_t incoming(QueueName kind, PodEvent event) const;
  /// The gauge unschedulable_pods of one plugin, counted as the release counts it.
  std::int64_t CountRejectedBy(Rejection bit) const;

 private:
  bool HintQueues(const queue::PodVersion& pod, queue::PluginId plugin, const queue::Registration&,
                  const queue::EventInstance& event, std::size_t) override;
  queue::PluginId PreEnqueue(const queue::PodVersion& pod, queue::PluginId) override;
  bool AffinitySelects(const queue::PodVersion& waiting, const queue::PodVersion& assigned,
                       bool) override;
  void Entered(const queue::PodVersion& pod, std::size_t queue, queue::LabelId label) override;

  bool hints() const { return queue_.rules().gates.queueing_hints; }
  PodNumber Hold(queue::RecordId id);
  queue::EventInstance Instance(PodEvent event, const EventSubject& subject) const;
  queue::RecordId RecordOf(PodNumber pod) const;

  bool has_gates_;
  queue::PriorityQueue queue_;
  QueueAdvisor* advisor_ = nullptr;
  HintObserver observer_;
  Listener listener_;
  std::vector<queue::RecordId> held_;  // by pod: the record of a popped one
  Nanos last_add_ = queue::kNever;
  Nanos added_ = 0;  // pods at that very time
};

}  // namespace schedlens::sim
