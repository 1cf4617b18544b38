#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_POINTS_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_POINTS_H_

// Which plugins run at which extension point, in which order, and what share of its time each has.
// Used for plugin metrics when an attempt's placement is simplified; the full algorithm knows its
// plugins itself.

#include <string_view>
#include <vector>

#include "kube/words.h"
#include "sim/base/release.h"

namespace schedlens::sim {

using kube::ExtensionPoint;

/// What a pod uses; plugins that have nothing to do for a pod skip (from 1.27).
enum Feature : unsigned {
  kFeatureNone = 0,
  kFeatureAffinity = 1,  ///< node affinity or selector
  kFeaturePorts = 2,
  kFeatureVolumes = 4,
  kFeatureSpread = 8,
  kFeatureInterPod = 16,
  kFeatureGang = 32,
};

struct PluginCall {
  std::string_view plugin;
  double weight;   ///< its share of the point's worker time, relative to the others
  unsigned needs;  ///< features without which the plugin skips; 0: always runs
  bool skips;      ///< whether this release lets it skip
};

/// How many nodes one Filter plugin rejected, by its status.
struct PluginRejections {
  std::string_view plugin;
  int unschedulable = 0;
  int unresolvable = 0;  ///< UnschedulableAndUnresolvable
};

/// The calls of one point in order for the default plugins of a release.
std::vector<PluginCall> PluginsAt(const Release& release, ExtensionPoint point);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_POINTS_H_
