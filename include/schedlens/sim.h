#pragma once

// Scheduling with the reference scheduler and plugins of one's own.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedlens/plugin.h"

namespace schedlens {

/// Where one pod went.
struct PlacedPod {
  std::string pod;   ///< namespace/name
  std::string node;  ///< empty if none fits
  std::int32_t feasible = 0;
  std::string message;  ///< the scheduler's sentence if none fits; why none was asked
};

/// Schedules the pending pods of a cluster one after the other, by priority and then in the order
/// of the list, each seeing the ones before it; pods with scheduling gates, or that are being
/// deleted, are not pending. `objects_json` is a v1 List as `kubectl get
/// nodes,pods -A -o json` prints it; `configuration_yaml` a KubeSchedulerConfiguration (empty: the
/// defaults of `kubernetes_version`). No preemption, no time: of the plugins PreFilter, Filter,
/// PreScore and Score are asked. Throws Error for invalid input.
std::vector<PlacedPod> PlacePendingPods(std::string_view objects_json,
                                        std::string_view configuration_yaml,
                                        std::string_view kubernetes_version, std::uint64_t seed,
                                        const std::vector<SchedulerPluginFactory>& plugins = {});

}  // namespace schedlens
