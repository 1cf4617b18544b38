#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_CHOOSE_WINDOWS_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_CHOOSE_WINDOWS_H_

// Which minutes are judged, and which they are compared with.

#include <optional>
#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "contract/message.h"

namespace schedlens {

struct WindowRequest {
  std::optional<TimeRange> asked;     ///< the range that was given, if any
  bool exact = false;                 ///< judge all of it, however long
  std::optional<TimeRange> baseline;  ///< as given
  bool want_baseline = true;
  std::int64_t alert_range_ms = 0;         ///< of the alert's rate; 0: 5 m
  std::vector<TimeRange> above_threshold;  ///< when the alert's value was, rate window included
};

struct ChosenWindows {
  TimeRange window;
  bool found = false;  ///< searched for, not given
  std::optional<TimeRange> baseline;
  bool change_point = false;  ///< the baseline was found beyond a change to slower attempts
  /// The part of a given window that lies in an incident which change points mark; at
  /// least a quarter of it and a minute long.
  std::optional<TimeRange> slow_part;
  std::vector<Message> notes;
};

/// A range longer than twice the alert's is searched, unless it is exact or comes with a baseline:
/// the window is where the alert's value was above its threshold, extended to the change points,
/// or else where attempts were slow or failed more than elsewhere, or else all of the range. A
/// window's edges are moved outwards to scrapes. The baseline is never taken from inside the
/// incident: neither from what was above the threshold, nor from slow time that adjoins the window.
ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_CHOOSE_WINDOWS_H_
