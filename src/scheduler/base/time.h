#pragma once

// Virtual time: whole nanoseconds since the scenario's start, so that stage times add up exactly.

#include <cstdint>

namespace schedlens::sim {

using Nanos = std::int64_t;

inline constexpr Nanos kMicrosecond = 1'000;
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;

constexpr double ToSeconds(Nanos t) { return static_cast<double>(t) / 1e9; }
/// Rounds to the nearest nanosecond; what is too large for 292 years is cut to 100 years.
constexpr Nanos FromSeconds(double s) {
  constexpr double kLimit = 100.0 * 365 * 86400;
  const double cut = s < kLimit ? s : kLimit;
  return static_cast<Nanos>(cut * 1e9 + (cut < 0 ? -0.5 : 0.5));
}

}  // namespace schedlens::sim
