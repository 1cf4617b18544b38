#ifndef SCHEDLENS_SIM_QUEUE_REGISTRATIONS_H_
#define SCHEDLENS_SIM_QUEUE_REGISTRATIONS_H_

// Which plugins registered for which events.

#include <span>
#include <vector>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

/// Resources with a meaning of their own; others are numbered by the caller from kFirstOwnResource.
enum KnownResource : Resource {
  kAnyResource,
  kPod,               ///< in a registration it stands for the next two as well
  kAssignedPod,       ///< has a node
  kUnschedulablePod,  ///< has none
  kFirstOwnResource,
};

struct Registration {
  Resource resource = kAnyResource;
  std::uint32_t bits = 0;
  std::uint32_t id = 0;  ///< the caller's, to know it again
};

class Registrations {
 public:
  /// `ordered`: see QueueRules::ordered_match.
  explicit Registrations(bool ordered) : ordered_(ordered) {}
  void Add(PluginId plugin, const Registration& registration);

  std::span<const Registration> Of(PluginId plugin) const {
    return plugin < by_plugin_.size() ? std::span<const Registration>(by_plugin_[plugin])
                                      : std::span<const Registration>();
  }
  bool Matches(const Registration& registration, const ClusterEvent& event) const;
  /// Whether the plugin registered for a matching event. A wildcard matches nothing.
  bool MatchesAny(PluginId plugin, const ClusterEvent& event) const;
  /// Whether any plugin did, or the event is a wildcard.
  bool OfInterest(const ClusterEvent& event) const;

 private:
  bool ordered_;
  std::vector<std::vector<Registration>> by_plugin_;
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_REGISTRATIONS_H_
