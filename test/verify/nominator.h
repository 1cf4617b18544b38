#pragma once

// Which pods a scheduler has nominated to which node, as kube-scheduler keeps it beside its queue.

#include <optional>
#include <vector>

#include "scheduler/queue/containers.h"

namespace schedlens::verify {

namespace queue = sim::queue;

class Nominator {
 public:
  struct Nomination {
    queue::PodKey key = 0;
    queue::PodUid uid = 0;
    queue::NodeName node = 0;
  };

  /// Forgets what the pod was nominated to and, if it names a node, nominates it to that. `lister`
  /// says whether the pod exists and has no node yet.
  void Add(const queue::PodVersion& pod, bool lister) {
    Forget(pod.uid);
    if (pod.nominated != 0 && lister) all_.push_back({pod.key, pod.uid, pod.nominated});
  }
  /// The same to the given node, with `named` only if that has a name (from 1.37).
  void Override(const queue::PodVersion& pod, queue::NodeName node, bool lister,
                bool named = false) {
    Forget(pod.uid);
    if (lister && (node != 0 || !named)) all_.push_back({pod.key, pod.uid, node});
  }

  /// A nomination stays if neither version names a node.
  void Update(const queue::PodVersion& old, const queue::PodVersion& pod, bool lister) {
    const auto kept = old.nominated == 0 && pod.nominated == 0 ? NodeOf(old.uid) : std::nullopt;
    Forget(old.uid);
    if (kept) {
      Override(pod, *kept, lister);
    } else {
      Add(pod, lister);
    }
  }
  void Forget(queue::PodUid uid) {
    std::erase_if(all_, [&](const Nomination& one) { return one.uid == uid; });
  }

  /// Nothing for a pod without a nomination.
  std::optional<queue::NodeName> NodeOf(queue::PodUid uid) const {
    for (const Nomination& one : all_) {
      if (one.uid == uid) return one.node;
    }
    return std::nullopt;
  }
  /// In the order of their nomination.
  const std::vector<Nomination>& all() const { return all_; }

 private:
  std::vector<Nomination> all_;
};

}  // namespace schedlens::verify
