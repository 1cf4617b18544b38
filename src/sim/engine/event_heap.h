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
    Put({at, order, kind, subject, life}, at < horizon_ ? &soon_ : &later_);
  }
  bool empty() const { return soon_.empty() && later_.empty(); }
  Nanos next_time() const { return (soon_.empty() ? later_ : soon_).front().at; }
  TimedEvent<Kind> Pop() {
    if (soon_.empty()) Approach();
    return Take(&soon_);
  }

 private:
  using Heap = std::vector<TimedEvent<Kind>>;
  /// Most events come within so much of the one that makes them.
  static constexpr Nanos kSoon = 250 * kMillisecond;

  struct Later {
    bool operator()(const TimedEvent<Kind>& a, const TimedEvent<Kind>& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  static void Put(const TimedEvent<Kind>& event, Heap* heap) {
    heap->push_back(event);
    std::push_heap(heap->begin(), heap->end(), Later());
  }
  static TimedEvent<Kind> Take(Heap* heap) {
    std::pop_heap(heap->begin(), heap->end(), Later());
    const TimedEvent<Kind> out = heap->back();
    heap->pop_back();
    return out;
  }
  void Approach() {
    horizon_ = later_.front().at + kSoon;
    while (!later_.empty() && later_.front().at < horizon_) Put(Take(&later_), &soon_);
  }

  // The end of every pod that runs lies far ahead: apart, it makes nothing else slower.
  Heap soon_;   // before the horizon
  Heap later_;  // from there on
  Nanos horizon_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_EVENT_HEAP_H_
