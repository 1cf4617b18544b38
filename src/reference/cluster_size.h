#ifndef SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_
#define SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_

// What a larger or smaller cluster does to the scheduling loop.

#include <optional>

#include "reference/change.h"

namespace schedlens {

/// Nodes in the scheduler's cache at the window's end, as its gauge says; nothing without it.
std::optional<int> NodesOf(const Investigation& investigation);

/// How the costs of the loop follow from the nodes it looks at, from one number to another: Filter
/// and Score are a fixed part and one that grows with them, as in the reference scheduler; at most
/// all of them grows. States the assumption.
void ScaleByNodesLookedAt(int before, int after, Changed* changed);

/// `nodes=N`: adaptive sampling decides how many are looked at; PreFilter and PreScore look at all
/// nodes where InterPodAffinity or PodTopologySpread makes them expensive. Throws
/// Error(kInsufficientData) when the window does not say how many nodes there are now.
void ApplyClusterSize(const Change& change, const Investigation& investigation, Changed* changed);

/// `running*=FACTOR`: PreFilter and PreScore go over the pods that run where InterPodAffinity or
/// PodTopologySpread makes them expensive; at the extreme they do everywhere.
void ApplyRunning(double factor, const Investigation& investigation, Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_
