#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/commands.h"
#include "replay/change.h"
#include "replay/runs.h"

namespace schedlens {

/// Reads `p99=1s` or `p99.9=500ms`: a target for the pods' time from the queue to the binding.
/// Throws Error(kUsage) in one line.
ThresholdOf ParseTarget(const std::string& text);

/// By which factor `what` (rate, nodes or running) may grow until the quantile crosses the target;
/// after `changes`. Found by bisection over replays of every reading that the data allow; factors
/// up to 64 and down to 1/16 are tried, fewer where a replay would take too long. Throws as
/// PredictChange does.
Headroom PredictHeadroom(const Investigation& investigation, const std::vector<Change>& changes,
                         const std::string& what, const ThresholdOf& target, std::size_t seeds);

}  // namespace schedlens
