#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_LOAD_CHANGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_LOAD_CHANGES_H_

#include <vector>

#include "analysis/neighbours/created_pods.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// What the cluster carries more of than in the baseline, by 1.5 times and more and not by chance:
/// - pods created, by namespace, even if all that kube-state-metrics missed before was of it;
/// - requests by flow schema: the median test (exact) over the scrapes, for requests come in
///   bursts; a tenth of what all requests grew by at least;
/// - objects by resource, and the size of the database from 64 MiB more on: beyond what their
///   fastest growth in the baseline would have come to since.
/// None has a time of its own: `at` is the onset. Whatever is not in both windows is left out.
std::vector<ClusterChange> FindLoadChanges(const NeighbourFacts& facts, const LoadWindows& windows,
                                           TimeMs onset);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_LOAD_CHANGES_H_
