#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_SEEN_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_SEEN_H_

#include <optional>
#include <vector>

#include "analysis/neighbours/binding_path.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Which neighbours were scraped in the window of the breakdown, how many there must be at least,
/// and what is missing of each. They are told apart by what they expose, never by the name of a
/// job. `path` and `impact` where there are any: what they cover of the scheduler's own counts.
NeighboursSeen LookAround(const NeighbourFacts& facts, const TimeBreakdown& breakdown,
                          const std::optional<BindingPath>& path,
                          const std::optional<Impact>& impact);

/// What the counts of bindings say besides: that an extender binds, or another client.
std::vector<Message> WhoElseBinds(const BindingPath& path, const TimeBreakdown& breakdown);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_SEEN_H_
