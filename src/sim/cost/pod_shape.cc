#include "sim/cost/pod_shape.h"

#include <algorithm>

#include "sim/plugins/spread_plan.h"

namespace schedlens::sim::cost {
namespace {

template <typename List>
int Count(const List& list) {
  return static_cast<int>(list.size());
}

}  // namespace

PodShape ShapeOf(const core::Attempt& attempt, const core::Profile& profile) {
  const core::PodSpec& spec = attempt.spec;
  PodShape out;
  out.selector_labels = Count(spec.node_selector);
  if (spec.node_affinity.required) out.required_terms = Count(*spec.node_affinity.required);
  out.preferred_terms = Count(spec.node_affinity.preferred);
  out.host_ports = Count(spec.host_ports);
  out.affinity = Count(spec.required_affinity);
  out.anti_affinity = Count(spec.required_anti_affinity);
  out.preferred = Count(spec.preferred_affinity) + Count(spec.preferred_anti_affinity);
  out.containers = std::max(1, Count(spec.containers));
  out.late_claims = spec.volume_claims;
  core::SpreadPlans plans({attempt.cluster, profile, attempt.minor});
  const core::SpreadPlan& plan = plans.Of(attempt);
  const core::Id host = attempt.cluster.shared_strings()->Intern("kubernetes.io/hostname");
  out.hard_spread = Count(plan.hard);
  for (const core::PlannedConstraint& constraint : plan.soft) {
    if (constraint.key == host) {
      out.soft_host = true;
    } else {
      ++out.soft_keys;
    }
  }
  return out;
}

ProfilePlugins::ProfilePlugins(const core::Profile& profile) {
  using core::ExtensionPoint;
  for (const auto& plugin : profile.At(ExtensionPoint::kFilter)) filter.push_back(plugin.name);
  for (const auto& plugin : profile.At(ExtensionPoint::kScore)) score.push_back(plugin.name);
  for (const ExtensionPoint point : {ExtensionPoint::kPreFilter, ExtensionPoint::kPreScore}) {
    for (const auto& plugin : profile.At(point)) {
      spreads |= plugin.name == "PodTopologySpread";
      attracts |= plugin.name == "InterPodAffinity";
    }
  }
}

}  // namespace schedlens::sim::cost
