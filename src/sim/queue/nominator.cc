#include "sim/queue/nominator.h"

#include <algorithm>

namespace schedlens::sim::queue {

void Nominator::Put(const PodVersion& pod, NodeName node) {
  node_of_[pod.uid] = node;
  by_node_[node].push_back({pod.key, pod.uid});
}

void Nominator::Update(const PodVersion& old, const PodVersion& pod, bool lister) {
  const std::optional<NodeName> kept =
      old.nominated == 0 && pod.nominated == 0 ? NodeOf(old.uid) : std::nullopt;
  Forget(old.uid);
  if (kept) {
    Override(pod, *kept, lister);
  } else {
    Add(pod, lister);
  }
}

void Nominator::Forget(PodUid uid) {
  if (node_of_.empty()) return;
  const auto known = node_of_.find(uid);
  if (known == node_of_.end()) return;
  const auto node = by_node_.find(known->second);
  std::erase_if(node->second, [&](const Nomination& other) { return other.uid == uid; });
  if (node->second.empty()) by_node_.erase(node);
  node_of_.erase(known);
}

std::optional<NodeName> Nominator::NodeOf(PodUid uid) const {
  const auto known = node_of_.find(uid);
  if (known == node_of_.end()) return std::nullopt;
  return known->second;
}

}  // namespace schedlens::sim::queue
