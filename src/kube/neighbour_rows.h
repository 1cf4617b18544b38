#ifndef SCHEDLENS_KUBE_NEIGHBOUR_ROWS_H_
#define SCHEDLENS_KUBE_NEIGHBOUR_ROWS_H_

// The pieces of NeighbourTable, in its order.

#include <vector>

#include "kube/neighbour_metrics.h"

namespace schedlens::kube {

std::vector<NeighbourRow> RequestMetrics();
std::vector<NeighbourRow> FlowControlMetrics();
std::vector<NeighbourRow> StorageMetrics();
std::vector<NeighbourRow> ProcessMetrics();
std::vector<NeighbourRow> EtcdMetrics();
std::vector<NeighbourRow> ObjectMetrics();

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_NEIGHBOUR_ROWS_H_
