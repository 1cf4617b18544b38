#pragma once

// Virtual time: whole nanoseconds since the scenario's start, so that stage times add up exactly;
// and a rate limiter in it.

#include <algorithm>
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

/// The client-side rate limiter of one clientset (client-go's flowcontrol token bucket). Waiters
/// are served in the order they came: each takes a token at once, going into debt, and waits until
/// its own debt is paid. A rate of 0 or less means unlimited.
class TokenBucket {
 public:
  TokenBucket(double qps, double burst) : qps_(qps), burst_(burst), tokens_(burst) {}

  /// Takes a token at `now` (never before an earlier call's) and returns how long to wait for it.
  Nanos Take(Nanos now) {
    if (qps_ <= 0) return 0;
    tokens_ = std::min(burst_, tokens_ + ToSeconds(now - last_) * qps_);
    last_ = now;
    tokens_ -= 1;
    return tokens_ >= 0 ? 0 : FromSeconds(-tokens_ / qps_);
  }

 private:
  double qps_, burst_, tokens_;
  Nanos last_ = 0;
};

}  // namespace schedlens::sim
