#ifndef SCHEDLENS_ANALYSIS_STAGES_H_
#define SCHEDLENS_ANALYSIS_STAGES_H_

#include <vector>

#include "analysis/case.h"
#include "schedlens/diagnosis.h"

namespace schedlens {

/// The stage tree of the product's contract: seconds, share of all e2e seconds, excess with its
/// split into mix and cost, tail share, what measures each stage. A remainder that the release
/// cannot tell apart has no seconds. Plugins hang below their extension point by their part of its
/// time.
std::vector<Stage> StageTree(const Case& c, const std::vector<PluginRow>& plugins);

/// Plugins by extension point, from the sampled metric: calls seen, mean, and the part of their
/// point's wall time by worker time. Rank within one point; the sums are a lossy sample.
std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_STAGES_H_
