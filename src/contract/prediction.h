#pragma once

// What `whatif` predicts, and with --headroom how much more there may be before a quantile is too
// high.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "schedlens/estimate.h"

namespace schedlens {

struct PredictedChange {
  double q = 0;
  Measured before, after;  ///< seconds; the interval is PredictedInterval's
};

/// What pods bring to the scheduler, relative to what it can take: over 1 the wait grows.
struct Utilisation {
  double loop = 0;    ///< of the scheduling loop's time
  double client = 0;  ///< of the API client's limit

  /// Seconds by which a pod that comes a minute later waits longer; 0 where all are served.
  double WaitGrowth() const { return std::max({0.0, loop - 1, client - 1}) * 60; }
};

struct Prediction {
  std::vector<PredictedChange> e2e;  ///< scheduled attempts
  std::vector<PredictedChange> pod;  ///< bound pods, from the queue to their binding
  /// Why nothing is predicted: the replay of what was measured lies outside what is proven. Such
  /// rows have no `after`; `undecidable` is about the alert's attempts, without one the scheduled.
  std::vector<Message> refused;
  bool undecidable = false;
  Utilisation before, after;
  double qps = 0, qps_after = 0;  ///< of the client's limit; 0 without one
  std::string alert_metric;       ///< of the alert, empty without threshold
  double alert_quantile = 0.99;
  std::optional<double> threshold;                ///< the alert's
  std::optional<bool> fires_before, fires_after;  ///< absent without threshold, or undecided
  std::size_t seeds = 0;
  std::vector<Message> assumptions;
};

struct Headroom {
  std::string what;    ///< rate, nodes or running
  std::string metric;  ///< of the alert, or what the target is of
  double q = 0.99;
  double target = 0;             ///< seconds
  std::vector<Message> refused;  ///< why nothing is said, as in Prediction
  /// Times what there is now. Without `high` it may not be crossed at all up to `most`; without
  /// `value` it likely is not. Without `low` it is crossed however little there is.
  Measured factor;
  double most = 0;             ///< the largest factor that was played
  std::optional<double> now;   ///< what the factor is of: pods a second, nodes
  Utilisation before, there;   ///< now, and where it is crossed
  double qps = 0;              ///< of the client's limit
  std::string limit;           ///< loop, client, extender or none: what binds first
  std::vector<Message> moves;  ///< what binds, and what would move it
  std::vector<Message> assumptions;
};

}  // namespace schedlens
