#ifndef SCHEDLENS_SIM_QUEUE_HOST_H_
#define SCHEDLENS_SIM_QUEUE_HOST_H_

// What the queue has to ask others: plugins, the pod lister, and chance.

#include <vector>

#include "sim/queue/registrations.h"
#include "sim/queue/types.h"

namespace schedlens::sim::queue {

class QueueHost {
 public:
  virtual ~QueueHost() = default;

  /// A plugin's queueing hint: whether the event may make the pod schedulable that the plugin
  /// rejected. `ordinal` counts the events of this call of the queue, from 0.
  virtual bool HintQueues(const PodVersion& pod, PluginId plugin, const Registration& registration,
                          const EventInstance& event, std::size_t ordinal) = 0;
  /// The first PreEnqueue plugin that rejects the pod, `first` asked before the others if it is
  /// one; kNoPlugin if all let it pass.
  virtual PluginId PreEnqueue(const PodVersion& pod, PluginId first) = 0;
  /// Whether the pod lister knows the pod, without a node.
  virtual bool ListedWithoutNode(const PodVersion& pod) = 0;
  /// Whether a required affinity term of `waiting` (with `anti` also of its anti-affinity) selects
  /// the assigned pod.
  virtual bool AffinitySelects(const PodVersion& waiting, const PodVersion& assigned,
                               bool anti) = 0;
  /// Whether the rejection of `waiting` may depend on its peers: PodTopologySpread rejected it, and
  /// the assigned pod is in its namespace.
  virtual bool SpreadConcerns(const Record& waiting, const PodVersion& assigned) = 0;
  /// Whether the two versions differ in what the scheduler looks at (up to 1.31).
  virtual bool Differs(const PodVersion& old, const PodVersion& pod) = 0;
  /// The pod entered a queue: 0 active, 1 backoff, 2 unschedulable.
  virtual void Entered(const PodVersion&, std::size_t, LabelId) {}
  /// The order in which a bulk operation takes these. It is random in the original.
  virtual void Shuffle(const Records&, std::vector<RecordId>&) {}
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_HOST_H_
