#pragma once

// Why the binding call is slow or fails.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/weights.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/meter.h"
#include "diagnose/control_plane/slow_server.h"
#include "diagnose/control_plane/tail_link.h"

namespace schedlens {

/// From this much of the growth on a cause behind it may be certain.
inline constexpr double kCertainWeight = 0.5;

/// A part of the path, and what its growth is of the call's.
struct Weighed {
  std::string cause, object;
  Between part, growth;
  double weight = 0, proven = 0;
  bool tied = false;  ///< a metric that is not there would tell
  std::vector<Evidence> evidence;
};

/// The cause as a report tells it: `certain` only where no metric that is missing could tell
/// otherwise, `possible` for a tie. Its share is of `e2e` seconds.
CauseBehind Told(const Weighed& w, double e2e);

/// The path and the symptoms of the window, and of the baseline where there is one.
struct PathEvidence {
  BindingPath now;
  std::optional<BindingPath> before;
  Symptoms symptoms;
  std::optional<Symptoms> symptoms_before;
  std::vector<ServerAgainstOthers> servers, servers_before;  ///< slowest first
  std::optional<TailLink> tail;
  double e2e_seconds = 0;  ///< of the window

  /// Seconds that a part has now beyond what as many bindings had in the baseline; all without one.
  Between Growth(const Between& part, const std::optional<Between>& part_before) const;
  Between RequestGrowth() const;
};

// Why the binding call is slow, or fails: which part of its path grew, and what the neighbours say
// of themselves that explains it.

/// Causes of a slow binding call, strongest first: each has at least a tenth of its growth.
/// `certain` where half of the growth is proven to be of that part alone, `likely` from three
/// tenths on, and never more than that where another metric that is not there could tell otherwise.
/// Empty where the call did not grow.
std::vector<CauseBehind> WhyBindingIsSlow(const PathEvidence& path);

/// Webhooks that refused or failed at least half as many requests as attempts ended in an error.
std::vector<CauseBehind> WhyBindingFails(const PathEvidence& path, double errors);

/// The one API server that is slow where others are not: it took twice as long as they for the same
/// requests on pods, by so much more than before that it explains three tenths of the binding
/// call's growth. Says where bindings wait, not why. Nothing with one API server, and where all are
/// slow.
std::optional<CauseBehind> SlowServerBehind(const PathEvidence& path);

}  // namespace schedlens
