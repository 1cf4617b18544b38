#pragma once

#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"

namespace schedlens {

/// Remarks about the number and the data (`quantile.*`, `data.*`), in that order: what makes a
/// quantile of this window mislead. Made only for an incident or a judged alert; a quiet window
/// needs none.
std::vector<Finding> FindRemarks(const WindowEvidence& c, const std::optional<AlertVerdict>& alert);

/// Algorithm and e2e as cumulative fractions where the algorithm's p99 reads above e2e's:
/// possible only with different populations. The witness is the bound where the fractions are
/// farthest apart. Nothing when the order is as it should be.
std::optional<CdfPair> FindInversion(const WindowIncreases& cells);

}  // namespace schedlens
