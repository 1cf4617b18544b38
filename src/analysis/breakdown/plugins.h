#ifndef SCHEDLENS_ANALYSIS_BREAKDOWN_PLUGINS_H_
#define SCHEDLENS_ANALYSIS_BREAKDOWN_PLUGINS_H_

#include <vector>

#include "analysis/collect/facts.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Plugins by extension point, from the sampled metric: calls seen, mean, and the part of their
/// point's wall time by worker time. Rank within one point; the sums are a lossy sample.
std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_BREAKDOWN_PLUGINS_H_
