#ifndef SCHEDLENS_MODEL_TEXT_H_
#define SCHEDLENS_MODEL_TEXT_H_

// Numbers, durations and times as text: read and printed as Prometheus does, without the locale.

#include <optional>
#include <string>
#include <string_view>

#include "contract/series.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_TEXT_H_
