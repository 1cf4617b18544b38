#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_STAGE_TREE_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_STAGE_TREE_H_

#include <vector>

#include "analysis/causes/window_evidence.h"
#include "analysis/tail/estimate.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The stage tree of the product's contract: seconds, share of all e2e seconds, excess with its
/// split into mix and cost, tail share (inside the proven bounds the value of `tail_estimates`, see
/// EstimateTail), what measures each stage. A remainder that the release
/// cannot tell apart has no seconds. Plugins hang below their extension point by their part of its
/// time.
std::vector<StageTime> StageTree(const WindowEvidence& c, const StageShares& tail_estimates);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_STAGE_TREE_H_
