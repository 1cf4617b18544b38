#include "sim/queue/in_flight.h"

namespace schedlens::sim::queue {

std::uint32_t InFlightList::Append() {
  std::uint32_t id;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    entries_[id] = Entry();
  }
  entries_[id].before = last_;
  (last_ == kNone ? first_ : entries_[last_].after) = id;
  last_ = id;
  ++size_;
  return id;
}

void InFlightList::Remove(std::uint32_t id) {
  const Entry& entry = entries_[id];
  (entry.before == kNone ? first_ : entries_[entry.before].after) = entry.after;
  (entry.after == kNone ? last_ : entries_[entry.after].before) = entry.before;
  free_.push_back(id);
  --size_;
}

void InFlightList::AddPod(const PodVersion& pod) {
  if (pod.uid >= by_uid_.size()) by_uid_.resize(pod.uid + 1, kNone);
  if (by_uid_[pod.uid] == kNone) ++pods_;
  const std::uint32_t id = Append();
  entries_[id].is_pod = true;
  entries_[id].key = pod.key;
  entries_[id].uid = pod.uid;
  by_uid_[pod.uid] = id;
}

void InFlightList::AddEvent(const EventInstance& event) {
  const std::uint32_t id = Append();
  entries_[id].event = event;
  entries_[id].seq = ++seq_;
}

void InFlightList::Done(PodUid uid) {
  if (!Knows(uid)) return;
  Remove(by_uid_[uid]);
  by_uid_[uid] = kNone;
  --pods_;
  while (first_ != kNone && !entries_[first_].is_pod) Remove(first_);
}

}  // namespace schedlens::sim::queue
