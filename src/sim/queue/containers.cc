#include "sim/queue/containers.h"

#include <utility>

namespace schedlens::sim::queue {

void PodHeap::Swap(std::size_t a, std::size_t b) {
  const RecordId first = items_[a];
  Set(a, items_[b]);
  Set(b, first);
}

void PodHeap::Up(std::size_t at) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!LessAt(at, parent)) return;
    Swap(at, parent);
    at = parent;
  }
}

bool PodHeap::Down(std::size_t at, std::size_t size) {
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

RecordId PodHeap::Put(RecordId id) {
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

RecordId PodHeap::Remove(PodKey key) {
  const RecordId id = Find(key);
  if (id == kNone) return kNone;
  const std::size_t at = records_[id].position[slot_];
  const std::size_t last = items_.size() - 1;
  if (at != last) {
    Swap(at, last);
    Restore(at, last);
  }
  items_.pop_back();
  records_[id].position[slot_] = kNone;
  by_key_[key] = kNone;
  return id;
}

void InFlightList::Done(PodUid uid) {
  const auto known = flying_.find(uid);
  if (known == flying_.end()) return;
  list_.erase(known->second);
  flying_.erase(known);
  while (!list_.empty() && !list_.front().is_pod) list_.pop_front();
}

void Nominator::Update(const PodVersion& old, const PodVersion& pod, bool lister) {
  const auto kept = old.nominated == 0 && pod.nominated == 0 ? NodeOf(old.uid) : std::nullopt;
  Forget(old.uid);
  if (kept) {
    Override(pod, *kept, lister);
  } else {
    Add(pod, lister);
  }
}

std::optional<NodeName> Nominator::NodeOf(PodUid uid) const {
  for (const Nomination& one : all_) {
    if (one.uid == uid) return one.node;
  }
  return std::nullopt;
}

}  // namespace schedlens::sim::queue
