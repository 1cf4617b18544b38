#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_BEHIND_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_BEHIND_H_

// Why the binding call is slow, or fails: which part of its path grew, and what the neighbours say
// of themselves that explains it.

#include <optional>
#include <vector>

#include "analysis/neighbours/path_evidence.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Causes of a slow binding call, strongest first: each has at least a tenth of its growth.
/// `certain` where half of the growth is proven to be of that part alone, `likely` from three
/// tenths on, and never more than that where another metric that is not there could tell otherwise.
/// Empty where the call did not grow.
std::vector<CauseBehind> WhyBindingIsSlow(const PathEvidence& path);

/// Webhooks that refused or failed at least half as many requests as attempts ended in an error.
std::vector<CauseBehind> WhyBindingFails(const PathEvidence& path, double errors);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_BEHIND_H_
