#ifndef SCHEDLENS_STATS_THRESHOLD_H_
#define SCHEDLENS_STATS_THRESHOLD_H_

// Is the true quantile above an alert's threshold? Easier than the quantile itself: at a bound it
// is a matter of counting (H5.3).

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "stats/links.h"

namespace schedlens {

struct ThresholdVerdict {
  /// The truth against the threshold: above it, not above it, or not to be known. Empty without
  /// observations.
  std::optional<Decided> decided;
  CountBounds above;           ///< observations above the threshold
  bool inside_bucket = false;  ///< no bound of some series equals the threshold
  /// The greatest bound at or below and the smallest finite bound at or above it: a threshold there
  /// is decided by counting in every window.
  std::optional<double> decidable_below;
  std::optional<double> decidable_above;
  /// For > and >=: a server's value is never more than the highest finite bound.
  bool can_never_fire = false;
  std::optional<double> top_bound;
};

/// `comparison` is the alert's (">", ">=", "<", "<="), used only for can_never_fire.
ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_THRESHOLD_H_
