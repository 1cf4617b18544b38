#include "sim/queue/registrations.h"

#include <algorithm>

namespace schedlens::sim::queue {

void Registrations::Add(PluginId plugin, const Registration& registration) {
  if (plugin >= by_plugin_.size()) by_plugin_.resize(plugin + std::size_t{1});
  by_plugin_[plugin].push_back(registration);
}

bool Registrations::Matches(const Registration& registration, const ClusterEvent& event) const {
  const bool pod = registration.resource == kPod &&
                   (event.resource == kAssignedPod || event.resource == kUnschedulablePod);
  if (registration.resource != event.resource && !pod) return false;
  if ((registration.bits & event.bits) == 0) return false;
  return !ordered_ || event.bits <= registration.bits;
}

bool Registrations::MatchesAny(PluginId plugin, const ClusterEvent& event) const {
  const auto of = Of(plugin);
  return !event.wildcard && std::any_of(of.begin(), of.end(), [&](const Registration& one) {
    return Matches(one, event);
  });
}

bool Registrations::OfInterest(const ClusterEvent& event) const {
  if (event.wildcard) return true;
  for (std::size_t plugin = 0; plugin < by_plugin_.size(); ++plugin) {
    if (MatchesAny(static_cast<PluginId>(plugin), event)) return true;
  }
  return false;
}

}  // namespace schedlens::sim::queue
