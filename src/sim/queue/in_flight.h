#ifndef SCHEDLENS_SIM_QUEUE_IN_FLIGHT_H_
#define SCHEDLENS_SIM_QUEUE_IN_FLIGHT_H_

// The pods that are being scheduled and the events since, in one list in order of arrival. What a
// pod has to be judged by when it comes back stands behind it.

#include <vector>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

class InFlightList {
 public:
  struct Entry {
    bool is_pod = false;
    PodKey key = 0;  ///< of a pod
    PodUid uid = 0;  ///< of a pod
    EventInstance event;
    std::uint64_t seq = 0;  ///< of an event, from 1
    std::uint32_t before = kNone, after = kNone;
  };

  bool Knows(PodUid uid) const { return uid < by_uid_.size() && by_uid_[uid] != kNone; }
  /// A pod already known gets a second entry, which counts from then on; the first one stays.
  void AddPod(const PodVersion& pod);
  void AddEvent(const EventInstance& event);
  /// The flight is over: the pod goes, and then every event at the front of the list.
  void Done(PodUid uid);

  /// How many pods are in flight.
  std::size_t pods() const { return pods_; }
  /// Entries of both kinds.
  std::size_t size() const { return size_; }
  /// The first entry, or the one behind `id`; kNone at the end.
  std::uint32_t First() const { return first_; }
  std::uint32_t Next(std::uint32_t id) const { return entries_[id].after; }
  const Entry& At(std::uint32_t id) const { return entries_[id]; }
  /// The pod's entry. Must be known.
  std::uint32_t EntryOf(PodUid uid) const { return by_uid_[uid]; }
  /// Calls `visit(PodUid)` for every pod in flight.
  template <typename Visit>
  void ForEachPod(Visit visit) const {
    for (std::uint32_t id = first_; id != kNone; id = entries_[id].after) {
      if (entries_[id].is_pod && by_uid_[entries_[id].uid] == id) visit(entries_[id]);
    }
  }

 private:
  std::uint32_t Append();
  void Remove(std::uint32_t id);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_uid_;
  std::uint32_t first_ = kNone, last_ = kNone;
  std::size_t pods_ = 0, size_ = 0;
  std::uint64_t seq_ = 0;
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_IN_FLIGHT_H_
