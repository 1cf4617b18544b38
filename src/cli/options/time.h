#pragma once

// The options that choose a time window: the same in every command that has one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/series.h"
#include "base/source.h"
#include "cli/command.h"

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
  /// Reads what was typed again, for another now than this machine's.
  std::vector<std::function<void(TimeMs now, TimeOptions*)>> by_now;
};

/// `--at`, `--start`, `--end`, `--since`, `--window`. Times are
/// read by TimeAsTyped; a malformed one throws Error(kUsage) while parsing.
Options TimeOptionTable(TimeOptions* options);
/// `--baseline START/END|auto|off` and `--exact`.
Options JudgedTimeOptions(TimeOptions* options);

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

/// All that ParseTime reads, and: `-1h` (before now), Unix milliseconds (from 10^11 on; as seconds
/// that is the year 5138), `now-6h/h` as Grafana rounds down (s, m, h, d), a date with or without a
/// time of day, a blank for the T, `UTC` or `UTC+08:00` for the Z. Without a zone it is UTC, as all
/// that is printed here. Nothing if malformed.
std::optional<TimeMs> TimeAsTyped(std::string_view text, TimeMs now);

/// `START/END`, or a range as the reports print it: `2026-11-22 02:20:19 to 02:24:49 UTC (4m30s)`.
/// An end without a date is on the start's day, or past midnight of it. Nothing if malformed;
/// the start may lie behind the end.
std::optional<TimeRange> RangeAsTyped(std::string_view text, TimeMs now);

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
