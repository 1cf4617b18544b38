#pragma once

// The client-side rate limiter of one clientset (client-go's flowcontrol token bucket).

#include <algorithm>

#include "scheduler/base/time.h"

namespace schedlens::sim {

/// Waiters are served in the order they came: each takes a token at once, going into debt, and
/// waits until its own debt is paid. A rate of 0 or less means unlimited.
class TokenBucket {
 public:
  TokenBucket(double qps, double burst) : qps_(qps), burst_(burst), tokens_(burst) {}

  /// A full bucket from `now` on.
  void Start(Nanos now) { last_ = now; }
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
