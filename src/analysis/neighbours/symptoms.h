#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_SYMPTOMS_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_SYMPTOMS_H_

// What the neighbours' own metrics say of themselves in one window: how long a write waits for the
// disk, how long a runnable goroutine waits for a processor, how long the API servers' own calls
// take. None of it is by resource; it tells why a part of the path is slow, not how slow it is.

#include <map>
#include <optional>
#include <string>

#include "analysis/neighbours/meter.h"

namespace schedlens {

struct Symptoms {
  /// Seconds that a write waits for fsyncs: for the one that runs when it comes, of which the long
  /// ones are met more often, and for its own: E[x^2]/2E[x] + E[x], by the buckets' middles.
  std::optional<double> fsync_wait;
  std::optional<double> fsync_mean, commit_mean;  ///< seconds
  std::optional<double> peer_round_trip;          ///< mean seconds
  double leader_changes = 0;
  std::optional<double> wake_up;     ///< mean seconds from runnable to running, of the API servers
  std::optional<double> cores_used;  ///< CPU seconds a second of the API servers
  /// Mean seconds of the calls that API servers make and that are no webhook's: audit backends,
  /// and authorizers. Absent without calls, or without the metric.
  std::optional<double> own_call;
  bool has_own_calls = false;             ///< the metric is there
  std::map<std::string, double> refused;  ///< requests that each webhook refused or failed
};

Symptoms MeasureSymptoms(const NeighbourFacts& facts, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_SYMPTOMS_H_
