#pragma once

// What a change would have made of the window, and how much more of something it would bear.

#include "replay/change.h"
#include "replay/readings.h"

namespace schedlens {

/// Where the window's attempts become several times as many in its last scrape intervals and the
/// pods that waited become fewer, what held them back has ended there: a cause that is over. The
/// window up to then; nothing where it ends as it began, without the gauge of pending pods, and
/// where less than half of the window would be left.
std::optional<TimeRange> WithoutAftermath(const Investigation& investigation);

/// The investigation with the evidence of that part of its window alone.
Investigation CutTo(const TimeRange& window, const Investigation& investigation);

/// Says what was left out.
Message CutNote(const TimeRange& window, const Investigation& investigation);

/// The scenario with as many pods more (sign 1) or less (-1), those that fail on their own account,
/// and the loop as much dearer or cheaper, as another such window may by chance.
Fitted ByChance(const WindowEvidence& c, const Fitted& fitted, double sign);

/// Replays the investigation with and without the changes, `seeds` times each, in every reading
/// that the data allow. Where the replay of what was measured misses what is proven about it,
/// nothing is predicted and `refused` says why. Throws
/// Error(kInsufficientData) when there is nothing to fit or the changes need what the window does
/// not say, Error(kUsage) for a change that cannot be made or replayed.
Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds);

/// Reads `p99=1s` or `p99.9=500ms` (ns, us, ms, s, m, h): a target for pods from queue to binding.
/// Throws Error(kUsage).
ThresholdOf ParseTarget(const std::string& text);

/// By which factor `what` (rate, nodes or running) may grow until the quantile crosses the target;
/// after `changes`. Found by bisection over replays of every reading that the data allow; factors
/// up to 64 and down to 1/16 are tried, fewer where replays are long. Throws as PredictChange.
Headroom PredictHeadroom(const Investigation& investigation, const std::vector<Change>& changes,
                         const std::string& what, const ThresholdOf& target, std::size_t seeds);

}  // namespace schedlens
