#ifndef SCHEDLENS_SIM_ENGINE_QUEUE_LABELS_H_
#define SCHEDLENS_SIM_ENGINE_QUEUE_LABELS_H_

#include "kube/words.h"
#include "sim/queue/labels.h"

namespace schedlens::sim {

/// The queue's own number of what happens to pods and nodes of a simulation.
queue::LabelId LabelOf(kube::PodEvent event);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_QUEUE_LABELS_H_
