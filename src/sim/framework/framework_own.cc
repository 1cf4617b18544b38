// What plugins from outside the tree do beyond filtering and scoring.

#include <algorithm>

#include "sim/framework/framework.h"

namespace schedlens::sim::core {

PointAnswer Framework::RunOwn(ExtensionPoint point, PodId pod, NodeId node) {
  PointAnswer out;
  const Attempt attempt = MakeAttempt(pod);
  const NodeInfo* info = node == kNone ? nullptr : &cluster_.node(node);
  for (const auto& [name, plugin] : plugins_) {
    plugin->Run(point, attempt, info, out);
    if (out.refused) break;
  }
  for (const OwnTime& time : out.times) out.seconds += time.seconds;
  return out;
}

std::vector<OwnTime> Framework::TakeTimes(ExtensionPoint point) {
  std::vector<OwnTime> out;
  for (const auto& [name, plugin] : plugins_) plugin->TakeTime(point, out);
  return out;
}

bool Framework::MayHelp(PodId pod, PluginEvent event, std::string_view plugin) const {
  const auto at = std::find_if(plugins_.begin(), plugins_.end(),
                               [&](const auto& known) { return known.first == plugin; });
  return at == plugins_.end() || at->second->MayHelp(MakeAttempt(pod), event);
}

}  // namespace schedlens::sim::core
