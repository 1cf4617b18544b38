#pragma once

// Which minutes are judged, and which they are compared with.

#include <optional>
#include <vector>

#include "base/message.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/episodes/episodes.h"

namespace schedlens {

struct WindowRequest {
  std::optional<TimeRange> asked;     ///< the range that was given, if any
  bool exact = false;                 ///< judge all of it as one, as it stands
  std::optional<TimeRange> baseline;  ///< as given
  bool want_baseline = true;
  std::vector<TimeRange> above_threshold;  ///< when the alert's value was, rate window included
  std::optional<TimeMs> at = {};           ///< the moment it is about
};

struct ChosenWindows {
  TimeRange window;
  bool found = false;  ///< searched for, not given
  std::optional<TimeRange> baseline;
  bool baseline_hurts = false;          ///< the given baseline is no calm time
  std::vector<EpisodeSpan> episodes;    ///< in the range, cut to it, in order
  std::optional<std::size_t> reported;  ///< the number of that which `window` is
  std::vector<EpisodeSpan> also_seen;   ///< in the range; less than an episode
  std::vector<TimeRange> calm;          ///< in what was scraped
  std::vector<Message> notes;
};

/// What was scraped is cut into calm time and episodes. The window is the episode of the range that
/// the alert's value marks, or the one at `at`, or else the worst; the range itself where there is
/// none. A range that is exact, or comes with a baseline, is the window and compared as a whole. A
/// window's edges are moved outwards to scrapes; that is noted, and so are scrapes too far apart to
/// tell minutes apart. The baseline is a calm stretch outside the window:
/// the nearest that is long enough, before it rather than after it; a whole recording without an
/// episode has none.
ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request);

}  // namespace schedlens
