#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/causes/window_evidence.h"
#include "analysis/collect/facts.h"
#include "analysis/neighbours/created_pods.h"
#include "analysis/neighbours/neighbour_facts.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// What changed close to `onset`, nearest first: within two minutes of it, or three scrapes where
/// those are longer; what came more than a scrape after it is listed behind all others and is no
/// cause. A thing changed only if its process was scraped before and after: what was there at the
/// first scrape was there already. Loads (FindLoadChanges), which have no time of their own, come
/// last, and need a baseline from before the onset. Of more than three objects that changed alike
/// the nearest stands for all.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads);

/// Around the start of the evidence's window.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_
