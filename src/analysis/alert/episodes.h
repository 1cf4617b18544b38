#ifndef SCHEDLENS_ANALYSIS_ALERT_EPISODES_H_
#define SCHEDLENS_ANALYSIS_ALERT_EPISODES_H_

// When an alert was pending, firing and resolved, and how long it stood above its threshold.

#include <optional>
#include <vector>

#include "analysis/alert/rules.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The times that the alert's value was beyond its threshold, by the columns of the timeline: each
/// with the first at which it held, `for_ms` later the firing, and the first at which it held no
/// more. Columns without a value end none. Where firings are known (by ALERTS, a
/// webhook) they count instead, each pending for its `for` before. Empty without a `for`, and
/// without a threshold nor a firing.
std::vector<AlertEpisode> EpisodesOf(const Timeline& timeline, const AlertVerdict& alert,
                                     std::int64_t for_ms, const std::vector<Firing>& firings);

/// Seconds of the window in which the columns' values were beyond the threshold; nothing without a
/// threshold to exceed or a value in the window.
std::optional<double> SecondsAbove(const Timeline& timeline, const AlertVerdict& alert,
                                   const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_EPISODES_H_
