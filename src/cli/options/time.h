#ifndef SCHEDLENS_CLI_OPTIONS_TIME_H_
#define SCHEDLENS_CLI_OPTIONS_TIME_H_

// The options that choose a time window: the same in every command that has one.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/option.h"
#include "contract/series.h"

namespace schedlens {

/// What `--baseline` asks for.
enum class BaselineChoice { kAuto, kOff, kGiven };

/// Everything absent: the command finds or chooses the window itself.
struct TimeOptions {
  std::optional<TimeMs> at;
  std::optional<TimeMs> start;
  std::optional<TimeMs> end;
  std::optional<std::int64_t> window_ms;  ///< length of the window that ends at `at`
  std::optional<std::int64_t> since_ms;   ///< `--since`: the window ends with what there is
  bool lifetime = false;                  ///< `--window lifetime`: counters since the start
  BaselineChoice baseline = BaselineChoice::kAuto;
  bool exact = false;                       ///< `--exact`: the window is judged as it stands
  std::optional<TimeRange> baseline_range;  ///< set when `baseline` is kGiven
  /// The window's options as typed: `--start now-1h --end now`. Tells the same request again when
  /// the clock has gone on.
  std::string typed;
  /// By option what was given relative to now, to be read again where now is another time.
  std::map<std::string, std::function<void(TimeMs now, TimeOptions*)>> from_now;
};

/// `--at`, `--start`, `--end`, `--since`, `--window`. `options` must outlive the table. Times are
/// read by TimeAsTyped; a malformed one throws Error(kUsage) while parsing.
Options TimeOptionTable(TimeOptions* options);
/// `--baseline START/END|auto|off`.
Option BaselineOption(TimeOptions* options);
/// `--exact`.
Option ExactOption(TimeOptions* options);

/// The options as a source has them: for a recording or a scenario, which have an extent, now is
/// their last sample.
TimeOptions TimesOn(const TimeOptions& options, const std::optional<TimeRange>& extent);

/// The window that the options name, if they name one: `--start` and `--end`,
/// `--since` before `--end` or `--at`, or `--window` before `--at`; the end is `fallback_end` when
/// not given. Nothing for `lifetime` or when neither is given. Throws Error(kUsage) when start is
/// not before end, or it is missing.
std::optional<TimeRange> WindowOf(const TimeOptions& options, TimeMs fallback_end);

/// The clock of this machine.
TimeMs Now();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_TIME_H_
