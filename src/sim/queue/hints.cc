#include "sim/queue/hints.h"

#include <algorithm>
#include <array>
#include <utility>

namespace schedlens::sim::queue {
namespace {

using core::Resources;

// Whether any of the amounts asked for is smaller in `b`.
bool AnySmaller(const Resources& asked, const Resources& a, const Resources& b) {
  if (asked.milli_cpu > 0 && b.milli_cpu < a.milli_cpu) return true;
  if (asked.memory > 0 && b.memory < a.memory) return true;
  if (asked.ephemeral_storage > 0 && b.ephemeral_storage < a.ephemeral_storage) return true;
  return std::any_of(asked.scalars.begin(), asked.scalars.end(), [&](const auto& one) {
    return one.amount > 0 && b.Scalar(one.name) < a.Scalar(one.name);
  });
}

bool FitsAlone(const Resources& asked, const Resources& capacity) {
  if (capacity.pods < 1 || asked.milli_cpu > capacity.milli_cpu || asked.memory > capacity.memory ||
      asked.ephemeral_storage > capacity.ephemeral_storage) {
    return false;
  }
  return std::all_of(asked.scalars.begin(), asked.scalars.end(),
                     [&](const auto& one) { return one.amount <= capacity.Scalar(one.name); });
}

}  // namespace

HintRules HintRulesOf(int minor, bool in_place_scaling) {
  return {minor >= 31, minor >= 33, minor >= 35, in_place_scaling};
}

Hints::Hints(const HintRules& rules, core::Cluster& cluster)
    : rules_(rules),
      cluster_(cluster),
      unschedulable_(cluster.strings().Intern("node.kubernetes.io/unschedulable")),
      any_address_(cluster.strings().Intern("0.0.0.0")) {}

std::optional<bool> Hints::Ask(std::string_view plugin, const HintPod& pod,
                               const HintChange& change) const {
  using Answer = bool (Hints::*)(const HintPod&, const HintChange&) const;
  struct Row {
    std::string_view plugin;
    Answer of_node, of_pod;  // null: not known
  };
  static constexpr std::array<Row, 10> kRows = {{
      {"NodeResourcesFit", &Hints::Fit, &Hints::Fit},
      {"NodeAffinity", &Hints::Affinity, nullptr},
      {"NodeUnschedulable", &Hints::Unschedulable, &Hints::Unschedulable},
      {"TaintToleration", &Hints::Taints, &Hints::Taints},
      {"NodePorts", nullptr, &Hints::Ports},
      {"InterPodAffinity", &Hints::PodAffinityOfNode, &Hints::PodAffinity},
      {"PodTopologySpread", &Hints::Spread, &Hints::SpreadOfPod},
      {"SchedulingGates", nullptr, &Hints::Gates},
      {"VolumeRestrictions", nullptr, &Hints::Restrictions},
      {"NodeVolumeLimits", nullptr, &Hints::VolumeLimits},
  }};
  const bool of_node = change.old_node != nullptr || change.new_node != nullptr;
  const bool of_pod = change.old_pod != nullptr || change.new_pod != nullptr;
  for (const Row& row : kRows) {
    if (row.plugin != plugin) continue;
    const Answer answer = of_node ? row.of_node : of_pod ? row.of_pod : nullptr;
    if (answer == nullptr) return std::nullopt;
    return (this->*answer)(pod, change);
  }
  return std::nullopt;
}

// A node must hold the pod alone, and must not have held it before. A pod must free something.
bool Hints::Fit(const HintPod& pod, const HintChange& change) const {
  const Resources& asked = pod.spec->request;
  if (change.new_node != nullptr) {
    const Resources& capacity = change.new_node->allocatable;
    if (!FitsAlone(asked, capacity)) return false;
    if (change.old_node == nullptr || !rules_.compares_old_node) return true;
    const Resources& before = change.old_node->allocatable;
    return before.pods < capacity.pods || AnySmaller(asked, capacity, before);
  }
  if (change.new_pod == nullptr) {
    return change.old_pod != nullptr && (change.old_pod->assigned || change.old_pod->nominated);
  }
  if (!rules_.pods_shrink || change.old_pod == nullptr) return false;
  if (change.new_pod->uid == pod.uid) return true;
  return change.new_pod->assigned &&
         AnySmaller(asked, change.old_pod->spec->request, change.new_pod->spec->request);
}

bool Hints::Gates(const HintPod& pod, const HintChange& change) const {
  return change.new_pod != nullptr && change.new_pod->uid == pod.uid;
}

// A deleted pod that shares a claim.
bool Hints::Restrictions(const HintPod& pod, const HintChange& change) const {
  if (change.old_pod == nullptr || change.new_pod != nullptr) return true;
  if (change.old_pod->spec->namespace_name != pod.spec->namespace_name) return false;
  const auto& theirs = change.old_pod->claims;
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&](core::Id claim) {
    return std::find(theirs.begin(), theirs.end(), claim) != theirs.end();
  });
}

// A deleted pod gives up places for volumes where it had a claim.
bool Hints::VolumeLimits(const HintPod&, const HintChange& change) const {
  if (change.old_pod == nullptr || change.new_pod != nullptr) return true;
  const auto& volumes = change.old_pod->spec->volumes;
  return change.old_pod->assigned &&
         std::any_of(volumes.begin(), volumes.end(), [](const core::PodVolume& volume) {
           return volume.kind == core::PodVolume::Kind::kClaim ||
                  volume.kind == core::PodVolume::Kind::kEphemeral;
         });
}

bool Hints::Ports(const HintPod& pod, const HintChange& change) const {
  if (change.old_pod == nullptr || !change.old_pod->assigned) return false;
  for (const core::HostPort& mine : pod.spec->host_ports) {
    for (const core::HostPort& freed : change.old_pod->spec->host_ports) {
      const bool same_ip =
          freed.ip == mine.ip || freed.ip == any_address_ || mine.ip == any_address_;
      if (same_ip && freed.port == mine.port && freed.protocol == mine.protocol) return true;
    }
  }
  return false;
}

std::vector<PodChange> ChangesOf(const core::PodSpec& old_spec, const core::PodSpec& spec) {
  std::vector<PodChange> out;
  if (old_spec.labels != spec.labels) out.push_back(PodChange::kLabels);
  Resources any = old_spec.request;
  if (AnySmaller(any, old_spec.request, spec.request)) out.push_back(PodChange::kScaleDown);
  if (old_spec.scheduling_gates > 0 && spec.scheduling_gates == 0) {
    out.push_back(PodChange::kGatesGone);
  }
  if (old_spec.tolerations.size() != spec.tolerations.size()) {
    out.push_back(PodChange::kTolerations);
  }
  return out;
}

}  // namespace schedlens::sim::queue
