#pragma once

// Numbers, durations and times as text: read and printed as Prometheus does, without the locale;
// times for a reader in the zone that he asked for.

#include <optional>
#include <string>
#include <string_view>

#include "base/series.h"

namespace schedlens {

/// Whether a byte is one of the ASCII digits.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// With ASCII's capitals as small letters.
std::string InSmallLetters(std::string_view text);

/// Go's strconv.ParseFloat, which Prometheus uses for values and `le`: `1e-1`, `.5`, `5.`, hex
/// floats, `inf`/`Infinity`/`nan` in any case (infinity with a sign), `1_0`. Underflow is zero.
/// Nothing for blanks, suffixes, or out-of-range values.
std::optional<double> ParseNumber(std::string_view text);

/// The HTTP API's shortest round-trip form: plain for 1e-6 <= |x| < 1e21, else exponent; `NaN`,
/// `+Inf`, `-Inf`.
std::string FormatNumber(double value);

/// `5m`, `1h30m`, `250ms`, `1d`, ...: Prometheus durations, in milliseconds. Nothing if malformed.
std::optional<std::int64_t> ParseDuration(std::string_view text);
/// The canonical text: `5m`, `1h30m`, `0s`.
std::string FormatDuration(std::int64_t ms);

/// RFC 3339, unix seconds (fractions allowed), `now`, `now-1h`. Nothing if malformed.
std::optional<TimeMs> ParseTime(std::string_view text, TimeMs now);
/// RFC 3339 in UTC with milliseconds only when they are not zero: `2026-11-21T10:00:00Z`.
std::string FormatTime(TimeMs t);

/// Go's strconv.FormatFloat(value, 'f', -1, 64): the fewest digits that read back as the value, all
/// written out (`-0.0000002`, `1` and 22 zeros); `NaN`, `+Inf`, `-Inf`.
std::string PlainNumber(double value);

/// `UTC`, `Z`, an offset such as `+02:00`, or a name of the IANA's data base such as
/// `Europe/Berlin`, which becomes the zone of the process (the variable TZ): to be called before
/// threads start; the last call counts. Throws Error(kUsage) for a name that is not installed.
Zone ReadZone(const std::string& text);

/// How far east of UTC the zone is at that time.
int OffsetMinutes(const Zone& zone, TimeMs time);

/// `UTC`, or `UTC+08:00`: what stands behind times of that zone. It can be typed in again.
std::string ZoneText(const Zone& zone, TimeMs time);

/// RFC 3339: `2026-11-21T18:00:00+08:00`; in UTC as FormatTime(time).
std::string FormatTime(TimeMs time, const Zone& zone);

}  // namespace schedlens
