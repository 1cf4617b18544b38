#pragma once

#include <cmath>
#include <limits>
#include <optional>

// What is no number of seconds or of observations.
namespace schedlens {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// From here on a double cannot count by one: what claims to be more is no counter of anything.
inline constexpr double kMostCounted = 0x1p53;

/// Nothing for an infinity or NaN.
inline std::optional<double> Finite(double x) {
  return std::isfinite(x) ? std::optional<double>(x) : std::nullopt;
}

}  // namespace schedlens
