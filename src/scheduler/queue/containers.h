#pragma once

// What a scheduling queue keeps: pods, events and what it knows of a pod, in which texts are
// numbers that the caller gives out and the queue only compares; heaps of pods, the pods in flight
// with the events since.

#include <array>
#include <bit>
#include <limits>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/base/time.h"

namespace schedlens::sim::queue {

using PodKey = std::uint32_t;    ///< namespace/name, dense from 0
using PodUid = std::uint32_t;    ///< dense from 0
using ObjectId = std::uint32_t;  ///< a version of an object; 0: none
using NodeName = std::uint32_t;  ///< 0: the empty name
using LabelId = std::uint16_t;   ///< why a pod enters a queue, see KnownLabel
using Resource = std::uint16_t;  ///< what an event is about, see KnownResource
using PluginId = std::uint8_t;   ///< below kMaxPlugins
using PluginSet = std::uint64_t;
using RecordId = std::uint32_t;

inline constexpr int kMaxPlugins = 64;
inline constexpr PluginId kNoPlugin = 255;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr Nanos kNever = std::numeric_limits<Nanos>::min();

constexpr PluginSet SetOf(PluginId plugin) { return PluginSet{1} << plugin; }
constexpr bool Has(PluginSet set, PluginId plugin) { return (set & SetOf(plugin)) != 0; }
/// Calls `visit(PluginId)` for each plugin of the set, lowest first.
template <typename Visit>
void ForEachPlugin(PluginSet set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<PluginId>(std::countr_zero(set)));
}

/// Why a pod enters a queue: the label `event` of queue_incoming_pods_total. The queue itself gives
/// out the first ones; a caller numbers its cluster events from kFirstOwnLabel on.
enum KnownLabel : LabelId {
  kNoLabel,  ///< an entry that is not counted
  kPodAdded,
  kAttemptFailure,
  kBackoffComplete,
  kPopFromBackoff,
  kForceActivate,
  kUnschedulableTimeout,
  kAssignedPodAdd,
  kPodUpdated,
  kFirstOwnLabel,
};

/// Resources with a meaning of their own; others are numbered by the caller from kFirstOwnResource.
enum KnownResource : Resource {
  kAnyResource,
  kPod,               ///< in a registration it stands for the next two as well
  kAssignedPod,       ///< has a node
  kUnschedulablePod,  ///< has none
  kFirstOwnResource,
};

/// A version of a pod, as far as the queue itself looks at it.
struct PodVersion {
  PodKey key = 0;
  PodUid uid = 0;
  ObjectId object = 0;
  std::int32_t priority = 0;
  NodeName nominated = 0;  ///< status.nominatedNodeName
  PodKey group = kNone;    ///< the PodGroup it belongs to; kNone: none
};

/// What happened in the cluster.
struct ClusterEvent {
  Resource resource = 0;
  std::uint32_t bits = 0;  ///< of the actions
  LabelId label = 0;
  bool wildcard = false;
};

/// An event that a plugin registered for.
struct Registration {
  Resource resource = kAnyResource;
  std::uint32_t bits = 0;
  std::uint32_t id = 0;  ///< the caller's, to know it again
};

/// One event with what changed. `new_pod` is kNone unless the new object is a pod.
struct EventInstance {
  ClusterEvent event;
  ObjectId old_object = 0, new_object = 0;
  PodUid new_pod = kNone;
};

/// The queues as places; a record may be in more than one for a while.
enum class Place : std::uint8_t { kActive, kBackoff, kErrorBackoff, kUnschedulable };
inline constexpr std::size_t kPlaces = 4;

/// What the queue knows of a pod (kube-scheduler's QueuedPodInfo), or of a group of pods that is
/// queued as one; `pod` is then the PodGroup's version.
struct Record {
  PodVersion pod;
  int attempts = 0, unschedulable_count = 0, consecutive_errors = 0;
  Nanos timestamp = 0;
  Nanos initial_attempt = kNever;  ///< first entry into activeQ
  Nanos expiry = kNever;           ///< end of the back-off it has to wait; kNever: none
  Nanos flushed = kNever;          ///< last leftover flush since its attempt, where it is kept
  PluginSet unschedulable = 0;     ///< plugins that rejected it
  PluginSet pending = 0;           ///< plugins that made it wait
  PluginId gating_plugin = kNoPlugin;
  bool gated = false, was_flushed = false;
  bool held = false;              ///< by the scheduler, from Pop on
  std::vector<RecordId> members;  ///< of a group: its pods, in the order of activeQ
  std::array<std::uint32_t, kPlaces> position = {kNone, kNone, kNone, kNone};

  std::uint32_t& At(Place place) { return position[static_cast<std::size_t>(place)]; }
  bool In(Place place) const { return position[static_cast<std::size_t>(place)] != kNone; }
  PluginSet rejectors() const { return unschedulable | pending; }
  bool IsGroup() const { return !members.empty(); }
  std::size_t pods() const { return IsGroup() ? members.size() : 1; }
};

using Records = std::vector<Record>;

/// A binary heap in an array with a look-up by pod, as Go's container/heap moves its elements: what
/// lies where is the same, also between equals.
class PodHeap {
 public:
  using Less = bool (*)(const Record& a, const Record& b);
  /// `records` must outlive the heap; `place` says which of their positions is the heap's.
  PodHeap(Records& records, Place place, Less less)
      : records_(records), slot_(static_cast<std::size_t>(place)), less_(less) {}

  /// The record of a pod; kNone if it is not here.
  RecordId Find(PodKey key) const { return key < by_key_.size() ? by_key_[key] : kNone; }

  /// Inserts the record, or puts it in the place of the pod's other one; returns the replaced
  /// record, or kNone.
  RecordId Put(RecordId id) {
    const PodKey key = records_[id].pod.key;
    if (key >= by_key_.size()) by_key_.resize(key + 1, kNone);
    const RecordId known = std::exchange(by_key_[key], id);
    if (known == kNone) {
      items_.push_back(id);
      Set(items_.size() - 1, id);
      Up(items_.size() - 1);
      return kNone;
    }
    const std::size_t at = std::exchange(records_[known].position[slot_], kNone);
    Set(at, id);
    Fix(id);
    return known == id ? kNone : known;
  }
  /// The order of this record may have changed.
  void Fix(RecordId id) { Restore(records_[id].position[slot_], items_.size()); }

  /// Returns the record that was taken out; kNone if the pod is not here.
  RecordId Remove(PodKey key) {
    const RecordId id = Find(key);
    if (id == kNone) return kNone;
    const std::size_t at = records_[id].position[slot_], last = items_.size() - 1;
    if (at != last) {
      Swap(at, last);
      Restore(at, last);
    }
    items_.pop_back();
    records_[id].position[slot_] = kNone;
    by_key_[key] = kNone;
    return id;
  }
  /// Takes out the first one. Must not be empty.
  RecordId Pop() { return Remove(records_[items_.front()].pod.key); }
  RecordId Peek() const { return items_.front(); }

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  /// As they lie in the array.
  const std::vector<RecordId>& items() const { return items_; }
  Less order() const { return less_; }

 private:
  bool LessAt(std::size_t a, std::size_t b) const {
    return less_(records_[items_[a]], records_[items_[b]]);
  }
  void Set(std::size_t at, RecordId id) {
    items_[at] = id;
    records_[id].position[slot_] = static_cast<std::uint32_t>(at);
  }

  void Swap(std::size_t a, std::size_t b) {
    const RecordId first = items_[a];
    Set(a, items_[b]);
    Set(b, first);
  }

  void Up(std::size_t at) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!LessAt(at, parent)) return;
      Swap(at, parent);
      at = parent;
    }
  }

  bool Down(std::size_t at, std::size_t size) {
    const std::size_t start = at;
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && LessAt(child + 1, child)) ++child;
      if (!LessAt(child, at)) break;
      Swap(at, child);
      at = child;
    }
    return at > start;
  }
  void Restore(std::size_t at, std::size_t size) {
    if (!Down(at, size)) Up(at);
  }

  Records& records_;
  std::size_t slot_;
  Less less_;
  std::vector<RecordId> items_, by_key_;
};

/// The pods that are being scheduled and the events since, in order of arrival. What a pod has to
/// be judged by when it comes back stands behind it.
class InFlightList {
 public:
  struct Entry {
    bool is_pod = false;
    PodKey key = 0;  ///< of a pod
    PodUid uid = 0;  ///< of a pod
    EventInstance event;
    std::uint64_t seq = 0;  ///< of an event, from 1
  };
  using Position = std::list<Entry>::const_iterator;

  bool Knows(PodUid uid) const { return flying_.contains(uid); }
  /// A pod already known gets a second entry, which counts from then on; the first one stays.
  void AddPod(const PodVersion& pod) {
    flying_[pod.uid] = list_.insert(list_.end(), {true, pod.key, pod.uid, {}, 0});
  }
  void AddEvent(const EventInstance& event) { list_.push_back({false, 0, 0, event, ++seq_}); }

  /// The flight is over: the pod goes, and then every event at the front of the list.
  void Done(PodUid uid) {
    const auto known = flying_.find(uid);
    if (known == flying_.end()) return;
    list_.erase(known->second);
    flying_.erase(known);
    while (!list_.empty() && !list_.front().is_pod) list_.pop_front();
  }

  /// How many pods are in flight.
  std::size_t pods() const { return flying_.size(); }
  const std::list<Entry>& entries() const { return list_; }
  /// The pod's entry. Must be known.
  Position EntryOf(PodUid uid) const { return flying_.at(uid); }

 private:
  std::list<Entry> list_;
  std::unordered_map<PodUid, Position> flying_;
  std::uint64_t seq_ = 0;
};

}  // namespace schedlens::sim::queue
