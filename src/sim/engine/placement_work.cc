// What there is to look at in the scheduler's cache, for the costs of an attempt.

#include "sim/engine/placement.h"
#include "sim/scenario/cluster.h"

namespace schedlens::sim {

using core::Index;
using core::kNone;

// With `placement: simple` a pod costs what it costs with all plugins.
void Placement::FindShapes() {
  const core::Configuration whole = ConfigurationOf(scenario_, false);
  for (const core::Profile& profile : whole.profiles) plugins_.emplace_back(profile);
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const core::Attempt attempt{cluster_, kNone, specs_[i], cluster_.spec(specs_[i]),
                                scenario_.release.minor};
    shapes_.push_back(cost::ShapeOf(attempt, whole.profiles[profile_of_[i]]));
    const PodTemplate& pod = scenario_.templates[i];
    shapes_.back().bound_claims = pod.bound_claims;
    if (pod.claim && shapes_.back().late_claims == 0) shapes_.back().late_claims = 1;
  }
}

void Placement::Touch(core::NodeId node) {
  if (Index(node) >= touched_.size()) touched_.resize(Index(cluster_.node_limit()), 0);
  if (touched_[Index(node)] != 0) return;
  touched_[Index(node)] = 1;
  changed_.push_back(node);
}

// A pod came to its node or left it; the cluster knows already.
void Placement::Count(core::PodId pod, core::NodeId node, int sign) {
  const core::PodSpec& spec = cluster_.SpecOf(pod);
  work_.pods += sign;
  const bool preferred = !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  if (!spec.required_anti_affinity.empty()) work_.with_anti_affinity += sign;
  if (!spec.required_affinity.empty()) work_.with_affinity += sign;
  if (preferred) work_.with_preferred += sign;
  const bool any =
      preferred || !spec.required_affinity.empty() || !spec.required_anti_affinity.empty();
  const std::int32_t with = cluster_.node(node).pods_with_affinity;
  if (any && with == (sign > 0 ? 1 : 0)) work_.affinity_came_or_went = true;
  Touch(node);
}

cost::ClusterWork Placement::TakeSnapshot() {
  work_.nodes = cluster_.node_count();
  work_.tainted_nodes = cluster_.tainted_nodes();
  work_.changed_nodes = static_cast<int>(changed_.size());
  const cost::ClusterWork out = work_;
  work_.nodes_came_or_went = work_.affinity_came_or_went = false;
  for (const core::NodeId node : changed_) touched_[Index(node)] = 0;
  changed_.clear();
  return out;
}

double Placement::ImagesPerNode() const {
  double images = 0;
  for (const core::NodeId node : cluster_.order()) {
    images += static_cast<double>(cluster_.node(node).node.images.size());
  }
  return cluster_.node_count() > 0 ? images / cluster_.node_count() : 0;
}

}  // namespace schedlens::sim
