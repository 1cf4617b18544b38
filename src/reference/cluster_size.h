#ifndef SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_
#define SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_

// What a larger or smaller cluster, other workers or another percentage does to the scheduling
// loop: its work is computed anew (loop_fit.h).

#include <optional>

#include "reference/change.h"

namespace schedlens {

/// Nodes in the scheduler's cache at the window's end, as its gauge says; nothing without it.
std::optional<int> NodesOf(const Investigation& investigation);

/// PreFilter, Filter, PreScore and Score take what their work takes in the new setting; at the
/// extreme all of it grows that may. States the assumptions. Nothing changes where the loop's work
/// is not known.
void MoveLoop(const LoopSetting& to, Changed* changed);

/// `nodes=N`: adaptive sampling decides how many are looked at; there are as many pods a node as
/// before. Throws Error(kInsufficientData) when the window does not say how many nodes there are
/// now.
void ApplyClusterSize(const Change& change, Changed* changed);

/// `running*=FACTOR`: PreFilter and PreScore go over the pods that run where InterPodAffinity or
/// PodTopologySpread makes them expensive; at the extreme they do everywhere. Throws as
/// ApplyClusterSize does.
void ApplyRunning(double factor, Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CLUSTER_SIZE_H_
