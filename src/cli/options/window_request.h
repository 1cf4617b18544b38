#ifndef SCHEDLENS_CLI_OPTIONS_WINDOW_REQUEST_H_
#define SCHEDLENS_CLI_OPTIONS_WINDOW_REQUEST_H_

// The window of a command that reads one time range, whatever the options leave open.

#include <cstdint>

#include "cli/options/time.h"
#include "contract/source.h"

namespace schedlens {

struct ChosenWindow {
  TimeRange range;
  bool lifetime = false;  ///< counters since the process started, at range.end
};

/// The length of a window that is not given.
inline constexpr std::int64_t kDefaultWindowMs = 5 * 60 * 1000;

/// `--start/--end`, or `--window` before `--at`; the window's length is `default_ms` when not
/// given, its end the last sample the source knows, else now. A source that holds a single scrape
/// has no increases: its counters since the process started are taken.
ChosenWindow ChooseWindow(const TimeOptions& options, Source& source, std::int64_t default_ms);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_WINDOW_REQUEST_H_
