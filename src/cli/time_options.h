#ifndef SCHEDLENS_CLI_TIME_OPTIONS_H_
#define SCHEDLENS_CLI_TIME_OPTIONS_H_

// The options that say which stretch of time is meant: the same in every command that has one.

#include <cstdint>
#include <optional>
#include <string>

#include "contract/series.h"

namespace CLI {
class App;
}

namespace schedlens {

/// What `--baseline` asks for.
enum class BaselineChoice { kAuto, kOff, kGiven };

/// Everything absent: the command finds or chooses the window itself.
struct TimeOptions {
  std::optional<TimeMs> at;
  std::optional<TimeMs> start;
  std::optional<TimeMs> end;
  std::optional<std::int64_t> window_ms;  ///< length of the window that ends at `at`
  bool lifetime = false;                  ///< `--window lifetime`: counters as they stand
  BaselineChoice baseline = BaselineChoice::kAuto;
  std::optional<TimeRange> baseline_range;  ///< set when `baseline` is kGiven
  /// The window's options as typed: `--start now-1h --end now`. Tells the same request again when
  /// the clock has gone on.
  std::string typed;
};

/// Declares `--at`, `--start`, `--end`, `--window`. `options` must live as long as `app`. Times are
/// RFC 3339, unix seconds, `now`, `now-1h`; a malformed one throws Error(kUsage) while parsing, as
/// does an end that is not after its start.
void AddTimeOptions(CLI::App& app, TimeOptions* options);
/// Declares `--baseline START/END|auto|off`.
void AddBaselineOption(CLI::App& app, TimeOptions* options);

/// The stretch of time the options name, if they name one: `--start` and `--end`, or `--window`
/// before `--at` (which is `fallback_end` when not given). Nothing for `lifetime` or when neither
/// is given. Throws Error(kUsage) when start is not before end, or one of a pair is missing.
std::optional<TimeRange> WindowOf(const TimeOptions& options, TimeMs fallback_end);

/// The clock of this machine.
TimeMs Now();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_TIME_OPTIONS_H_
