#ifndef SCHEDLENS_SIM_ENGINE_SCHEDULING_QUEUE_H_
#define SCHEDLENS_SIM_ENGINE_SCHEDULING_QUEUE_H_

// kube-scheduler's scheduling queue: activeQ, backoffQ and the unschedulable pods.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/words.h"
#include "sim/base/release.h"
#include "sim/base/time.h"

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
};
/// Each bit with the plugin it stands for, kRejectedByOther excepted.
std::span<const std::pair<Rejection, std::string_view>> Rejecters();
/// The plugin of one bit; empty for one that Rejecters lacks.
std::string_view RejecterOf(Rejection bit);
/// The bit of a plugin, by its name.
Rejection RejectionOf(std::string_view plugin);

/// Whether an event may make a pod schedulable that these plugins rejected.
bool EventWakes(const Release& release, PodEvent event, unsigned rejections);

struct QueueSettings {
  Nanos initial_backoff = kSecond;
  Nanos max_backoff = 10 * kSecond;
};

/// A pod is in at most one of the three queues; a popped one is in none ("in flight") until it
/// comes back by AddFailed, or is forgotten by Remove.
class SchedulingQueue {
 public:
  SchedulingQueue(const Release& release, const QueueSettings& settings);

  /// A new pending pod. Does nothing if the queue knows it already.
  void Add(PodNumber pod, std::int32_t priority, Nanos now);
  /// The pod with the highest priority, then the earliest timestamp; starts a scheduling cycle.
  std::optional<PodNumber> Pop(Nanos now);
  /// A popped pod's attempt failed. It goes to backoff if a move happened since its Pop, else to
  /// the unschedulable pods. Returns where it went; nothing if it was removed in the meantime.
  std::optional<QueueName> AddFailed(PodNumber pod, unsigned rejections, bool was_error, Nanos now);
  /// Deleted or bound: forgets the pod wherever it is.
  void Remove(PodNumber pod);
  /// Moves every unschedulable pod that the event may help to activeQ, or to backoff while its
  /// back-off lasts. Also marks attempts in flight, see AddFailed.
  void MoveOnEvent(PodEvent event, Nanos now);
  /// The same for an event that concerns certain pods only: moves those that `helps` says.
  void MoveOnEvent(PodEvent event, Nanos now, const std::function<bool(PodNumber)>& helps);
  /// Marks attempts in flight, moves none.
  void NoteEvent(PodEvent event) { event_cycle_[static_cast<std::size_t>(event)] = cycle_; }
  /// Puts a waiting pod into activeQ at once (gang siblings). False if it does not wait here.
  bool Activate(PodNumber pod, Nanos now);
  /// Called every second: pods whose back-off is over become active.
  void FlushBackoff(Nanos now);
  /// Called every 30 s: pods that sat unschedulable for too long are retried.
  void FlushUnschedulable(Nanos now);

  /// Hears of every unschedulable pod that an event makes the queue ask about: the event, who had
  /// rejected the pod, whether the event may help it.
  using HintObserver = std::function<void(PodEvent, unsigned rejections, bool helps)>;
  void SetHintObserver(HintObserver observer) { hint_observer_ = std::move(observer); }

  bool HasActive() const { return size_[0] > 0; }
  std::size_t size(QueueName kind) const { return size_[static_cast<std::size_t>(kind)]; }
  bool Knows(PodNumber pod) const { return pod < pods_.size() && pods_[pod].known; }
  /// Nothing for a pod in no queue.
  std::optional<QueueName> Where(PodNumber pod) const {
    return Knows(pod) ? pods_[pod].where : std::nullopt;
  }
  /// It is tried again because it had waited too long.
  bool was_flushed(PodNumber pod) const { return pods_[pod].was_flushed; }
  int attempts(PodNumber pod) const { return pods_[pod].attempts; }
  Nanos first_added(PodNumber pod) const { return pods_[pod].first_added; }
  /// When the pod last entered a queue; its place among equals.
  Nanos timestamp(PodNumber pod) const { return pods_[pod].timestamp; }
  /// How long the pod has to back off after its last attempt.
  Nanos BackoffOf(PodNumber pod) const;
  std::uint64_t incoming(QueueName kind, PodEvent event) const {
    return incoming_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(event)];
  }
  /// How many unschedulable pods each plugin bit keeps.
  std::size_t CountRejectedBy(unsigned bit) const;

 private:
  struct Entry {
    bool known = false;
    bool was_flushed = false;
    std::optional<QueueName> where;
    std::int32_t priority = 0;
    unsigned rejections = 0;
    int attempts = 0;
    int unschedulable_count = 0;
    std::uint32_t version = 0;  // of the heap entry that counts
    std::uint64_t cycle = 0;
    Nanos timestamp = 0;
    Nanos first_added = 0;
    std::uint32_t slot = 0;  // place in unschedulable_
  };
  struct HeapItem {
    std::int64_t key;  // activeQ: -priority; backoffQ: end of back-off
    Nanos timestamp;
    std::uint64_t order;
    PodNumber pod;
    std::uint32_t version;
  };
  static bool Later(const HeapItem& a, const HeapItem& b);
  void Put(PodNumber pod, QueueName kind, PodEvent event, Nanos now);
  void Take(PodNumber pod);
  bool MovedSince(const Entry& entry) const;
  void DropStale(std::vector<HeapItem>* heap);

  Release release_;
  QueueSettings settings_;
  std::vector<Entry> pods_;
  std::vector<HeapItem> active_;
  std::vector<HeapItem> backoff_;
  std::vector<PodNumber> unschedulable_;
  std::array<std::size_t, 4> size_{};
  std::array<std::array<std::uint64_t, kube::kSize<PodEvent>>, 3> incoming_{};
  std::uint64_t cycle_ = 0;
  std::array<std::uint64_t, kube::kSize<PodEvent>> event_cycle_{};
  std::uint64_t order_ = 0;
  HintObserver hint_observer_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_SCHEDULING_QUEUE_H_
