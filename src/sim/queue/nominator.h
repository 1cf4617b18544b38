#ifndef SCHEDLENS_SIM_QUEUE_NOMINATOR_H_
#define SCHEDLENS_SIM_QUEUE_NOMINATOR_H_

// Which pods are nominated to which node, in the order of their nomination.

#include <map>
#include <optional>
#include <vector>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

struct Nomination {
  PodKey key = 0;
  PodUid uid = 0;
};

class Nominator {
 public:
  /// Forgets what the pod was nominated to and, if it names a node, nominates it to that. `lister`
  /// says whether the pod exists and has no node yet.
  void Add(const PodVersion& pod, bool lister) {
    if (Forget(pod.uid); pod.nominated != 0 && lister) Put(pod, pod.nominated);
  }
  /// The same to the given node, even to the empty name.
  void Override(const PodVersion& pod, NodeName node, bool lister) {
    if (Forget(pod.uid); lister) Put(pod, node);
  }
  /// A nomination stays if neither version names a node.
  void Update(const PodVersion& old, const PodVersion& pod, bool lister);
  void Forget(PodUid uid);

  /// Nothing for a pod without a nomination.
  std::optional<NodeName> NodeOf(PodUid uid) const;
  /// Only nodes with pods.
  const std::map<NodeName, std::vector<Nomination>>& by_node() const { return by_node_; }

 private:
  void Put(const PodVersion& pod, NodeName node);

  std::map<NodeName, std::vector<Nomination>> by_node_;
  std::map<PodUid, NodeName> node_of_;
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_NOMINATOR_H_
