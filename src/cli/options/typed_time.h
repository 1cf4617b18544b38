#ifndef SCHEDLENS_CLI_OPTIONS_TYPED_TIME_H_
#define SCHEDLENS_CLI_OPTIONS_TYPED_TIME_H_

// Times as people have them at hand: copied from a report, a log, a dashboard's address.

#include <optional>
#include <string_view>

#include "contract/series.h"

namespace schedlens {

/// All that ParseTime reads, and: `-1h` (before now), Unix milliseconds (from 10^11 on; as seconds
/// that is the year 5138), `now-6h/h` as Grafana rounds down (s, m, h, d), a date with or without a
/// time of day, a blank for the T, `UTC` or `UTC+08:00` for the Z. Without a zone it is UTC, as all
/// that is printed here. Nothing if malformed.
std::optional<TimeMs> TimeAsTyped(std::string_view text, TimeMs now);

/// `START/END`, or a range as the reports print it: `2026-11-22 02:20:19 to 02:24:49 UTC (4m30s)`.
/// An end without a date is on the start's day, or past midnight of it. Nothing if malformed;
/// the start may lie behind the end.
std::optional<TimeRange> RangeAsTyped(std::string_view text, TimeMs now);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_TYPED_TIME_H_
