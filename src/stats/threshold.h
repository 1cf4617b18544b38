#ifndef SCHEDLENS_STATS_THRESHOLD_H_
#define SCHEDLENS_STATS_THRESHOLD_H_

// Is the true quantile above an alert's threshold? Easier than the quantile itself: at a bound it
// is a matter of counting (H5.3).

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/quantile.h"
#include "stats/links.h"

namespace schedlens {

/// `comparison` is the alert's (">", ">=", "<", "<="), used only for can_never_fire.
ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_THRESHOLD_H_
