#ifndef SCHEDLENS_SIM_QUEUE_POD_HEAP_H_
#define SCHEDLENS_SIM_QUEUE_POD_HEAP_H_

// A binary heap in an array with a look-up by pod, as Go's container/heap moves its elements:
// what lies where is the same, also between equals.

#include <vector>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

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
  RecordId Put(RecordId id);
  /// The order of this record may have changed.
  void Fix(RecordId id);
  /// Returns the record that was taken out; kNone if the pod is not here.
  RecordId Remove(PodKey key);
  /// Takes out the first one. Must not be empty.
  RecordId Pop();
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
  void Swap(std::size_t a, std::size_t b);
  void Up(std::size_t at);
  bool Down(std::size_t at, std::size_t size);
  RecordId DropLast();

  Records& records_;
  std::size_t slot_;
  Less less_;
  std::vector<RecordId> items_;
  std::vector<RecordId> by_key_;
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_POD_HEAP_H_
