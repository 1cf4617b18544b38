#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_LOADS_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_LOADS_H_

// Who creates the pods that wait for the scheduler or for its client.

#include <vector>

#include "analysis/neighbours/created_pods.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The workloads behind a load: those that created more pods a second than in the baseline, even
/// if all that kube-state-metrics missed there were theirs, each with its part of what grew. Where
/// none did, those whose pods came in seconds busier than any of the baseline's by half as much
/// again, if chance would not put the busiest seconds of both into the window. `likely` from three
/// tenths on, left out below one; strongest first, at most five. A workload without a name is
/// nobody's to ask, and is left out.
std::vector<CauseBehind> WhoCreatesPods(const CreatedPods& created);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_LOADS_H_
