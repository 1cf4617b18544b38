#ifndef SCHEDLENS_SIM_COST_POD_SHAPE_H_
#define SCHEDLENS_SIM_COST_POD_SHAPE_H_

// What of a pod makes work for plugins, counted.

#include <string>
#include <vector>

#include "sim/framework/configuration.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::cost {

struct PodShape {
  int selector_labels = 0;  ///< nodeSelector
  int required_terms = 0;   ///< of node affinity
  int preferred_terms = 0;  ///< of node affinity
  int host_ports = 0;
  int hard_spread = 0;
  int soft_keys = 0;  ///< soft spread by other keys than the host name, defaults included
  bool soft_host = false;
  int affinity = 0;       ///< required terms
  int anti_affinity = 0;  ///< required terms
  int preferred = 0;      ///< terms of either kind
  int containers = 1;
  int late_claims = 0;   ///< volume claims that are bound when the pod is
  int bound_claims = 0;  ///< volume claims that are bound already
};

/// Of a pod's spec; default spread constraints are those of the profile.
PodShape ShapeOf(const core::Attempt& attempt, const core::Profile& profile);

/// The names of a profile's plugins, in order.
struct ProfilePlugins {
  ProfilePlugins() = default;
  explicit ProfilePlugins(const core::Profile& profile);
  std::vector<std::string> filter, score;
  bool spreads = false;   ///< PodTopologySpread is among the PreFilter or PreScore plugins
  bool attracts = false;  ///< InterPodAffinity is
};

}  // namespace schedlens::sim::cost

#endif  // SCHEDLENS_SIM_COST_POD_SHAPE_H_
