#ifndef SCHEDLENS_SIM_FRAMEWORK_OWN_POINTS_H_
#define SCHEDLENS_SIM_FRAMEWORK_OWN_POINTS_H_

// What plugins from outside the tree do and cost beyond filtering and scoring.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/words.h"
#include "schedlens/plugin.h"

namespace schedlens::sim::core {

/// What one plugin's calls at a point took together.
struct OwnTime {
  std::string_view plugin;
  double seconds = 0;
  int calls = 0;
};

/// What the plugins from outside the tree say at one point of one attempt.
struct PointAnswer {
  bool refused = false;
  std::string_view plugin;  ///< that refused
  std::string refusal;
  double seconds = 0;  ///< of all of them
  double wait = 0;     ///< Permit: the longest
  std::vector<OwnTime> times;
};

/// Nothing for a point that plugins are not told of.
std::optional<PluginPoint> PluginPointOf(kube::ExtensionPoint point);
std::optional<PluginEvent> PluginEventOf(kube::PodEvent event);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_OWN_POINTS_H_
