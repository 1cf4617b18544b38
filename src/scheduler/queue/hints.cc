#include "scheduler/queue/hints.h"

#include <algorithm>

namespace schedlens::sim::queue {
namespace {

using core::PodAffinityTerm;
using core::PodSpec;
using core::PodVolume;

bool FitsAlone(const core::Resources& asked, const core::Resources& capacity) {
  return capacity.pods >= 1 && asked.milli_cpu <= capacity.milli_cpu &&
         asked.memory <= capacity.memory && asked.ephemeral_storage <= capacity.ephemeral_storage &&
         std::ranges::all_of(asked.scalars, [&](const core::ScalarAmount& one) {
           return one.amount <= capacity.Scalar(one.name);
         });
}

bool SelectsNode(const PodSpec& spec, const core::Node& node, const core::Strings& strings) {
  return std::ranges::all_of(spec.node_selector,
                             [&](const core::Label& label) {
                               return core::FindLabel(node.labels, label.key) == label.value;
                             }) &&
         core::MatchesAny(spec.node_affinity.required, node.labels, node.name, strings);
}

// The taints that keep pods away: NoSchedule and, unless `also` is that, another effect.
bool ToleratesAll(const PodSpec& spec, const core::Node& node,
                  core::Effect also = core::Effect::kNoExecute) {
  return std::ranges::all_of(node.taints, [&](const core::Taint& taint) {
    const bool keeps = taint.effect == core::Effect::kNoSchedule || taint.effect == also;
    return !keeps || core::Tolerates(spec.tolerations, taint);
  });
}

// The hard constraints of a pod.
template <typename Test>
bool AnyHard(const PodSpec& spec, Test test) {
  return std::ranges::any_of(spec.spread,
                             [&](const core::SpreadConstraint& c) { return c.hard && test(c); });
}

bool SharesClaim(const PodSpec& a, const PodSpec& b) {
  return std::ranges::any_of(a.volumes, [&](const PodVolume& mine) {
    return mine.kind == PodVolume::Kind::kClaim &&
           std::ranges::any_of(b.volumes, [&](const PodVolume& other) {
             return other.kind == mine.kind && other.claim == mine.claim;
           });
  });
}

}  // namespace

Hints::Hints(int minor, core::Cluster& cluster)
    : minor_(minor), cluster_(cluster), any_address_(cluster.strings().Intern("0.0.0.0")) {}

std::optional<bool> Hints::OfNode(std::string_view plugin, const PodSpec& pod,
                                  const core::Node& node, bool gone) const {
  const auto has_key = [&](const auto& term) {
    return core::FindLabel(node.labels, term.topology_key) != core::kNone;
  };
  if (plugin == "PodTopologySpread") {
    return !AnyHard(pod, [&](const core::SpreadConstraint& c) { return !has_key(c); });
  }
  if (plugin == "NodeResourcesFit") return !gone && FitsAlone(pod.request, node.allocatable);
  if (plugin == "NodeAffinity") return !gone && SelectsNode(pod, node, cluster_.strings());
  if (plugin == "NodeUnschedulable") return !gone && !node.unschedulable;
  if (plugin == "TaintToleration") return !gone && ToleratesAll(pod, node);
  if (plugin != "InterPodAffinity") return std::nullopt;
  const auto& unwanted = pod.required_anti_affinity;
  const bool leaves_room =
      minor_ >= 33 ? !unwanted.empty() : std::ranges::any_of(unwanted, has_key);
  return !gone && (std::ranges::any_of(pod.required_affinity, has_key) || leaves_room);
}

std::optional<bool> Hints::OfPod(std::string_view plugin, const PodSpec& pod, const PodSpec& other,
                                 bool gone) const {
  if (plugin == "NodeResourcesFit") return gone;
  if (plugin == "NodePorts") {
    return gone && std::ranges::any_of(pod.host_ports, [&](const core::HostPort& mine) {
             return std::ranges::any_of(other.host_ports, [&](const core::HostPort& freed) {
               const bool same_ip =
                   freed.ip == mine.ip || freed.ip == any_address_ || mine.ip == any_address_;
               return same_ip && freed.port == mine.port && freed.protocol == mine.protocol;
             });
           });
  }
  if (plugin == "InterPodAffinity") {
    // One existing pod has to satisfy all terms, so all are asked of the one that changed.
    const auto& terms = gone ? pod.required_anti_affinity : pod.required_affinity;
    return !terms.empty() && std::ranges::all_of(terms, [&](const PodAffinityTerm& term) {
      return core::Matches(term, other, cluster_);
    });
  }
  if (plugin == "PodTopologySpread") {
    return other.namespace_name == pod.namespace_name &&
           AnyHard(pod, [&](const core::SpreadConstraint& c) {
             return core::Matches(c.selector, other.labels);
           });
  }
  if (plugin == "VolumeRestrictions") return !gone || SharesClaim(pod, other);
  if (plugin != "NodeVolumeLimits") return std::nullopt;
  // A pod that goes gives up places for volumes where it had a claim.
  return !gone || std::ranges::any_of(other.volumes, [](const PodVolume& volume) {
    return volume.kind == PodVolume::Kind::kClaim || volume.kind == PodVolume::Kind::kEphemeral;
  });
}

std::optional<bool> Hints::Ask(std::string_view plugin, const PodSpec& pod,
                               const HintChange& change) const {
  if (change.node != nullptr) return OfNode(plugin, pod, *change.node, change.gone);
  if (change.pod != nullptr) return OfPod(plugin, pod, *change.pod, change.gone);
  return std::nullopt;
}

bool Hints::Admits(const PodSpec& pod, const core::Node& node) const {
  return (pod.node_name == core::kEmptyText || pod.node_name == node.name) &&
         FitsAlone(pod.request, node.allocatable) && SelectsNode(pod, node, cluster_.strings()) &&
         ToleratesAll(pod, node, core::Effect::kNoSchedule);
}

}  // namespace schedlens::sim::queue
