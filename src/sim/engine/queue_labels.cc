#include "sim/engine/queue_labels.h"

namespace schedlens::sim {

using kube::PodEvent;

queue::LabelId LabelOf(PodEvent event) {
  switch (event) {
    case PodEvent::kPodAdd:
      return queue::kPodAdded;
    case PodEvent::kAttemptFailure:
      return queue::kAttemptFailure;
    case PodEvent::kBackoffComplete:
      return queue::kBackoffComplete;
    case PodEvent::kPopFromBackoff:
      return queue::kPopFromBackoff;
    case PodEvent::kForceActivate:
      return queue::kForceActivate;
    case PodEvent::kUnschedulableTimeout:
      return queue::kUnschedulableTimeout;
    case PodEvent::kAssignedPodAdd:
      return queue::kAssignedPodAdd;
    default:
      return static_cast<queue::LabelId>(queue::kFirstOwnLabel + kube::IndexOf(event));
  }
}

}  // namespace schedlens::sim
