#pragma once

// Why the binding call is slow or fails, and why volumes keep pods in PreBind.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/meter.h"
#include "diagnose/control_plane/neighbour_facts.h"
#include "diagnose/control_plane/tail_link.h"

namespace schedlens {

/// What is behind a finding, by the id of its text, without evidence: `likely` or else possible.
/// Throws Error(kFailed) for an id without text.
CauseBehind CauseOf(std::string_view id, std::string object, Message title, Measured share,
                    bool likely);

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

// Why volumes keep pods in PreBind: the CSI driver that creates them, or the volume controller.

/// Seconds of PreBind: what a part of it can be a part of.
struct VolumeWait {
  TimeRange now;
  std::optional<TimeRange> before;  ///< absent: all there is counts as growth
  double seconds = 0, growth = 0;   ///< of PreBind, in the window
  double e2e_seconds = 0;
};
VolumeWait VolumeWaitOf(const WindowEvidence& evidence);

/// Drivers whose calls of CreateVolume became longer by a tenth of PreBind's growth or more, half
/// as long again at least, and the volume controller where provisioning took longer than that.
/// Attaching comes after the binding and is on nobody's way here. Claims that are provisioned at
/// once, and pods that wait for several volumes at a time, are in the same sums: a part has no
/// least, and at most all of PreBind. `likely` from three tenths on; without the sidecars' metrics,
/// or where neither explains the wait and one is missing, driver and controller are a tie.
/// Strongest first; empty where PreBind did not grow.
std::vector<CauseBehind> WhyVolumesAreSlow(const NeighbourFacts& facts, const VolumeWait& wait);

}  // namespace schedlens
