#ifndef SCHEDLENS_SIM_ENGINE_EVENT_HEAP_H_
#define SCHEDLENS_SIM_ENGINE_EVENT_HEAP_H_

// The future: events by time, those of one instant in the order they were pushed.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/time.h"

namespace schedlens::sim {

template <typename Kind>
struct TimedEvent {
  Nanos at = 0;
  std::uint64_t order = 0;
  Kind kind{};
  std::uint32_t subject = 0;  ///< what it is about: a pod, a node, a replica, an action
  std::uint32_t life = 0;     ///< which life of the subject; a stale event is dropped by its reader
};

template <typename Kind>
class EventHeap {
 public:
  void Push(Nanos at, Kind kind, std::uint32_t subject = 0, std::uint32_t life = 0) {
    PushAs(next_order_++, at, kind, subject, life);
  }
  /// Places for `n` events, as if they were pushed now one after the other; PushAs takes one. Long
  /// lists of known events so need not all be in the heap from the start.
  std::uint64_t Reserve(std::size_t n) {
    next_order_ += n;
    return next_order_ - n;
  }
  void PushAs(std::uint64_t order, Nanos at, Kind kind, std::uint32_t subject = 0,
              std::uint32_t life = 0) {
    heap_.push_back({at, order, kind, subject, life});
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }
  bool empty() const { return heap_.empty(); }
  Nanos next_time() const { return heap_.front().at; }
  TimedEvent<Kind> Pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const TimedEvent<Kind> out = heap_.back();
    heap_.pop_back();
    return out;
  }

 private:
  struct Later {
    bool operator()(const TimedEvent<Kind>& a, const TimedEvent<Kind>& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  std::vector<TimedEvent<Kind>> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_EVENT_HEAP_H_
