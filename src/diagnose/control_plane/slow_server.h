#pragma once

// What an API server or etcd says of itself: slow requestsand symptoms.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/control_plane/meter.h"

namespace schedlens {

/// One API server against the others, by the requests on pods that it and they answered alike: each
/// verb is compared with itself. Webhooks and storage that all of them share make all of them slow.
struct ServerAgainstOthers {
  std::string instance;
  double others = 0;    ///< API servers that it is compared with
  double requests = 0;  ///< of it that are compared, between its scrapes inside the window
  double seconds = 0;   ///< that these took
  double expected = 0;  ///< that they would have taken if each verb took as long as on the others
};

/// Every API server that answered enough requests of a kind that others answered too, slowest
/// against the others first. Empty with one API server.
std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window);

/// Seconds of requests in the API servers, of a question's series that are wanted: all of each.
Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted = {});

/// The same by the service level indicator, without webhooks and from 1.27 on without flow control;
/// of each process by the newer of its two names, where it has one. May cover fewer processes.
Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted = {});

// What the neighbours' own metrics say of themselves in one window: how long a write waits for the
// disk, how long a runnable goroutine waits for a processor, how long the API servers' own calls
// take. None of it is by resource; it tells why a part of the path is slow, not how slow it is.

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
