#pragma once

// Numbers as people read them, the same in every format. A number of up to four significant digits
// is printed whole; others are rounded to three. A proven bound is only ever
// rounded outwards, so that what is printed is still proven. What is not finite or absent prints as
// an em dash. Number and unit are apart or not as the language has it: `3.84 s`, `3.84s`.

#include <optional>
#include <string>
#include <vector>

#include "base/series.h"
#include "report/messages/messages.h"
#include "schedlens/estimate.h"

namespace schedlens {

enum class Rounding { kNearest, kDown, kUp };

inline constexpr const char* kUnknown = "—";

/// `3.84 s`, `184 ms`, `45 µs`, `12,345 s`.
std::string Seconds(const Messages& t, std::optional<double> seconds,
                    Rounding rounding = Rounding::kNearest);
/// A change: `+1.2 s`, `-30 ms`.
std::string SignedSeconds(const Messages& t, std::optional<double> seconds);
/// A fraction as `91.2 %`.
std::string Percent(const Messages& t, std::optional<double> fraction,
                    Rounding rounding = Rounding::kNearest);
/// `1,234`, `0.5`.
std::string Count(std::optional<double> count);
/// `p99`, `p99.9`.
std::string QuantileName(double q);

/// `3.2–4.1 s`, `850 ms – 1.2 s`, `≥ 3.2 s`, `≤ 4.1 s`; an em dash when nothing is proven.
std::string SecondsRange(const Messages& t, const Interval& interval);
/// `90.5–92 %`.
std::string PercentRange(const Messages& t, const Interval& interval);

/// The greatest that is finite and positive; 0 without one.
double GreatestOf(const std::vector<double>& values);

Interval BoundsOf(const Measured& measured);
/// True when the bounds say more than the value: present, and not the value itself.
bool HasRange(const Measured& measured);

/// `2026-11-21 10:00:00`, and the part of day alone, in that zone. Whole seconds, down.
std::string DateAndTime(TimeMs time, const Zone& zone = {});
std::string TimeOfDay(TimeMs time, const Zone& zone = {});
/// `2026-11-21 10:00:00 UTC`.
std::string Moment(TimeMs time, const Zone& zone = {});
/// `2026-11-21 10:00:00 to 10:05:00 UTC (5m)`, with the message for "to" given.
std::string RangeText(const TimeRange& range, const std::string& to, const Zone& zone = {});

}  // namespace schedlens
