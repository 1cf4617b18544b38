#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "base/series.h"

namespace schedlens {

/// Milliseconds, a time or a difference of two, as seconds.
constexpr double MsToSeconds(TimeMs ms) { return static_cast<double>(ms) / 1000.0; }

/// Unix seconds as a time; nothing for NaN and beyond the year 9999, which no RFC 3339 can print.
inline std::optional<TimeMs> TimeOfSeconds(double seconds) {
  constexpr double kYear10000 = 253402300800.0;
  if (!(std::abs(seconds) < kYear10000)) return std::nullopt;
  return std::llround(seconds * 1000.0);
}

/// The whole number that `value` is cut to, the type's nearest where it is beyond these, 0 for NaN:
/// of such a value a plain cast is undefined.
template <typename Int>
constexpr Int CutTo(double value) {
  using Limits = std::numeric_limits<Int>;
  if (!(value > static_cast<double>(Limits::min()))) return value < 0 ? Limits::min() : Int{0};
  // The double nearest to the largest is at most one more than it.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Int>(value);
}

}  // namespace schedlens
