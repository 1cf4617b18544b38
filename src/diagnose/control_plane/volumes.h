#pragma once

// Why volumes keep pods in PreBind: the CSI driver that creates them, or the volume controller.

#include <optional>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/neighbour_facts.h"

namespace schedlens {

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
