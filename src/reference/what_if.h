#ifndef SCHEDLENS_REFERENCE_WHAT_IF_H_
#define SCHEDLENS_REFERENCE_WHAT_IF_H_

#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnose/diagnose.h"
#include "contract/prediction.h"
#include "reference/change.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// Replays the investigation with and without the changes, `seeds` times each. Throws
/// Error(kInsufficientData) when there is nothing to fit or the changes need what the window does
/// not say, Error(kUsage) for a change that cannot be made or replayed.
Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds);

/// The quantile of one more run like these (seconds of each, ascending): the middle of the runs;
/// from the lowest to the highest of what they show and of what as many attempts can show by chance
/// (99 %), and a little more for what buckets hide from the fit. Nothing without an attempt.
Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_WHAT_IF_H_
