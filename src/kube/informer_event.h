#ifndef SCHEDLENS_KUBE_INFORMER_EVENT_H_
#define SCHEDLENS_KUBE_INFORMER_EVENT_H_

// What the informers tell the scheduler: the label `event` of event_handling_duration_seconds,
// inflight_events and queueing_hint_execution_duration_seconds.

#include "kube/spelling.h"

namespace schedlens::kube {

enum class InformerEvent {
  kPodAdd,  ///< of a pod without a node, like the next two
  kPodUpdate,
  kPodDelete,  ///< also when it has got its node
  kAssignedPodAdd,
  kAssignedPodDelete,
  kNodeAdd,
  kNodeDelete,
  kClaimAdd,
  kGatesEliminated,
  kPodPopped,  ///< of inflight_events only: the pods in flight themselves
};

template <>
inline constexpr std::array<std::string_view, 10> kSpellings<InformerEvent> = {
    "UnschedulablePodAdd",
    "UnschedulablePodUpdate",
    "UnschedulablePodDelete",
    "AssignedPodAdd",
    "AssignedPodDelete",
    "NodeAdd",
    "NodeDelete",
    "PersistentVolumeClaimAdd",
    "UnschedulablePodUpdatePodSchedulingGatesEliminated",
    "PodPopped"};

/// The label `hint`: what a plugin's hint function said.
enum class QueueingHint { kQueue, kQueueSkip, kError };

template <>
inline constexpr std::array<std::string_view, 3> kSpellings<QueueingHint> = {"Queue", "QueueSkip",
                                                                             "Error"};

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_INFORMER_EVENT_H_
