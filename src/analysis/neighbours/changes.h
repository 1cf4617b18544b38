#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/causes/window_evidence.h"
#include "analysis/collect/facts.h"
#include "analysis/neighbours/neighbour_facts.h"
#include "contract/impact.h"

namespace schedlens {

/// Windows whose loads are compared, and what the schedulers bound in each.
struct LoadWindows {
  TimeRange now, before;
  double scheduled_now = 0, scheduled_before = 0;
};

/// What changed close to `onset`, nearest first: within two minutes before it, or three scrapes
/// where those are longer, and up to the scrape after it. A thing changed only if its process was
/// scraped before and after: what was there at the first scrape was there already. Load by
/// namespace, which has no time of its own, comes last, and needs a baseline from before the onset:
/// told if even what kube-state-metrics saw now is significantly more, and 1.5 times or more, than
/// all that may have been before. Of more than three objects that changed alike the nearest stands
/// for all.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads);

/// Around the start of the evidence's window.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGES_H_
