#include "sim/queue/pod_heap.h"

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

RecordId PodHeap::DropLast() {
  const RecordId id = items_.back();
  items_.pop_back();
  records_[id].position[slot_] = kNone;
  by_key_[records_[id].pod.key] = kNone;
  return id;
}

RecordId PodHeap::Put(RecordId id) {
  const PodKey key = records_[id].pod.key;
  if (key >= by_key_.size()) by_key_.resize(key + 1, kNone);
  const RecordId known = by_key_[key];
  by_key_[key] = id;
  if (known == kNone) {
    items_.push_back(id);
    Set(items_.size() - 1, id);
    Up(items_.size() - 1);
    return kNone;
  }
  const std::size_t at = records_[known].position[slot_];
  records_[known].position[slot_] = kNone;
  Set(at, id);
  Fix(id);
  return known == id ? kNone : known;
}

void PodHeap::Fix(RecordId id) {
  const std::size_t at = records_[id].position[slot_];
  if (!Down(at, items_.size())) Up(at);
}

RecordId PodHeap::Remove(PodKey key) {
  const RecordId id = Find(key);
  if (id == kNone) return kNone;
  const std::size_t at = records_[id].position[slot_];
  const std::size_t last = items_.size() - 1;
  if (at != last) {
    Swap(at, last);
    if (!Down(at, last)) Up(at);
  }
  return DropLast();
}

RecordId PodHeap::Pop() {
  const std::size_t last = items_.size() - 1;
  if (last > 0) {
    Swap(0, last);
    Down(0, last);
  }
  return DropLast();
}

}  // namespace schedlens::sim::queue
