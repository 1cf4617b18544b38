#pragma once

// Which plugins reject the pods that find no node. The scheduler's own metric: no neighbour needed.

#include <optional>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/collect/facts.h"

namespace schedlens {

/// The plugins that hold more pods than in the baseline, by the mean of the window's scrapes: each
/// with its part of the pods held more. A pod counts for every plugin that rejected it, so a part
/// is at least the plugin's count of all counts, and at most its count of the largest. `likely`
/// where the growth is no chance and no other plugin holds half as many, `possible` else; strongest
/// first. Empty without the metric (before 1.24), and where no plugin holds more pods than before.
std::vector<CauseBehind> WhoRejectsPods(const Facts& facts, const TimeRange& window,
                                        const std::optional<TimeRange>& baseline);

}  // namespace schedlens
