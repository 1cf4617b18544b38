#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGED_CAUSES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGED_CAUSES_H_

#include <vector>

#include "analysis/neighbours/neighbour_facts.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Where what is behind a finding is also what changed around the onset, its evidence says so, the
/// nearest change only. A webhook is its configuration's where kube-state-metrics says that.
/// Changes after the onset, and loads over the whole window, are nobody's cause and not told.
void SayWhatChanged(const std::vector<ClusterChange>& changes, const NeighbourFacts& facts,
                    std::vector<Finding>* findings);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGED_CAUSES_H_
