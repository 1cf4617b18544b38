#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/meter.h"

namespace schedlens {

// The binding request past the scheduler's client, as parts that add up: the way to the API server,
// the wait for a seat, each webhook, built-in admission, storage, the rest. Every part is an
// interval of seconds; no quantile is subtracted from another.

/// Bindings that one API server answered.
struct ServerRequests {
  Between bindings = Between::Exactly(0);
  Between seconds = Between::Exactly(0);
};

/// Seconds of all bindings of a window. A part without a metric of its own is absent.
struct BindingPath {
  double binds = 0;           ///< successful ones, by the scheduler's own count
  double calls = 0;           ///< failed ones too
  Between bindings;           ///< that the API servers counted
  bool others_bind = false;   ///< more bindings, or seconds, than the scheduler waited for
  bool some_missing = false;  ///< fewer bindings than the scheduler's: servers are missing
  std::map<std::string, ServerRequests> servers;  ///< by instance
  double bind = 0;                                ///< EP{Bind}
  Between request;                                ///< EP{Bind} without the client's limiter
  Between apiserver;                              ///< inside the API servers
  std::optional<Between> network;  ///< request less apiserver; absent without the limiter's metric
  std::optional<Between> outside_sli;  ///< webhooks, and from 1.27 on flow control, of bindings
  Between inside;                      ///< the indicator; without one all of apiserver
  Between work;                        ///< inside less the wait for a seat, where it is of that
  std::optional<Between> flowcontrol;
  std::map<std::string, Between> webhooks;  ///< by name
  std::optional<Between> admission;         ///< built in
  std::optional<Between> storage;
  std::optional<Between> rest;  ///< of what is inside the service level indicator
  /// Webhooks' own seconds, of all resources: what a webhook took that bindings may not have met.
  std::map<std::string, Between> webhooks_everywhere;
  /// Waits for a seat of all requests, by priority level.
  std::map<std::string, Between> waits;
  /// Webhooks and levels without which the others explain the scrapes as well.
  std::set<std::string> replaced;
};

/// `flowcontrol_outside`: whether the release's service level indicator leaves flow control out
/// (1.27 and later; nullopt where unknown). Nothing without binding requests of both sides: no API
/// server in the data, no Bind plugin that ran.
///
/// total - SLI of bindings holds their webhooks (and flow control) alone. Of that a webhook has at
/// most its own seconds and at least what all others together cannot have had. Where others bind
/// too no part has a least, where servers are missing none has a most but the scheduler's own time.
std::optional<BindingPath> MeasureBindingPath(const NeighbourFacts& facts,
                                              const TimeBreakdown& breakdown,
                                              const std::optional<LimiterSplit>& limiter,
                                              std::optional<bool> flowcontrol_outside);

/// Seconds that bindings waited for etcd, of `inside`, all that they took without webhooks. Nothing
/// without the API servers' metric of etcd's requests.
///
/// A binding updates its pod, and may have to read it first. So it has at most all updates and
/// reads of pods, and at least all updates, deletions and reads less the whole duration of every
/// other request that may cause one: of all requests on pods but their creation. Creation reads a
/// pod only where one of that name exists: unless the count of such conflicts is there and is zero,
/// creations are taken off with their own operation. `shared`: others bind too, and nothing is the
/// scheduler's for sure.
std::optional<Between> StorageOfBindings(const NeighbourFacts& facts, const TimeRange& window,
                                         const Between& inside, bool shared);

/// The parts of the path as nodes of the stage tree below `bind.request`, outer ones first. A part
/// whose most is not known has no high end.
std::vector<StageTime> PathStages(const BindingPath& now, const std::optional<BindingPath>& before,
                                  double e2e_seconds, double e2e_seconds_before);

}  // namespace schedlens
