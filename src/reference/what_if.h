#ifndef SCHEDLENS_REFERENCE_WHAT_IF_H_
#define SCHEDLENS_REFERENCE_WHAT_IF_H_

#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnose/diagnose.h"
#include "contract/prediction.h"
#include "reference/alert_outlook.h"
#include "reference/change.h"
#include "reference/readings.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// What a fit from buckets may be off by on top of chance; `test/what-if` says how often it is.
inline constexpr double kFitError = 1.08;

/// Replays the investigation with and without the changes, `seeds` times each, in every reading
/// that the data allow. Where the replay of what was measured misses what is proven about it,
/// nothing is predicted and `refused` says why. Throws
/// Error(kInsufficientData) when there is nothing to fit or the changes need what the window does
/// not say, Error(kUsage) for a change that cannot be made or replayed.
Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds);

/// The readings of the investigation that its data allow. Throws Error(kInsufficientData) when
/// there is nothing to fit.
Readings ReadInvestigation(const Investigation& investigation,
                           const std::optional<ThresholdOf>& threshold, std::size_t seeds);

/// Why nothing can be said about a population; empty where something can.
std::vector<Message> RefusalsOf(const Readings& readings, ReplayedSeconds asked);

/// Throws Error(kUsage) when a replay would take too many attempts.
void CheckCanBePlayed(const Fitted& fitted);

/// The quantile of one more run like these (seconds of each, ascending): the middle of the runs;
/// from the lowest to the highest of what they show and of what as many attempts can show by chance
/// (99 %), and a little more for what buckets hide from the fit; `rank_slack` (of 1) is left to the
/// rank besides. Nothing without an attempt.
Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q,
                           double rank_slack = 0);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_WHAT_IF_H_
