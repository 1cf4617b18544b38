#include "scheduler/queue/hints.h"

#include <algorithm>

namespace schedlens::sim::queue {
namespace {

using core::Resources;
using Context = Hints::Context;

bool FitsAlone(const Resources& asked, const Resources& capacity) {
  if (capacity.pods < 1 || asked.milli_cpu > capacity.milli_cpu || asked.memory > capacity.memory ||
      asked.ephemeral_storage > capacity.ephemeral_storage) {
    return false;
  }
  return std::all_of(asked.scalars.begin(), asked.scalars.end(),
                     [&](const auto& one) { return one.amount <= capacity.Scalar(one.name); });
}

bool SelectsNode(const core::PodSpec& spec, const core::Node& node, const core::Strings& strings) {
  for (const core::Label& label : spec.node_selector) {
    if (core::FindLabel(node.labels, label.key) != label.value) return false;
  }
  const auto& required = spec.node_affinity.required;
  return !required || std::any_of(required->begin(), required->end(), [&](const auto& term) {
    return core::Matches(term, node.labels, node.name, strings);
  });
}

// The taints that keep pods away: NoSchedule and, unless `also` is that, another effect.
bool ToleratesAll(const core::PodSpec& spec, const core::Node& node,
                  core::Effect also = core::Effect::kNoExecute) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const core::Taint& taint) {
    if (taint.effect != core::Effect::kNoSchedule && taint.effect != also) return true;
    return core::Tolerates(spec.tolerations, taint);
  });
}

// The hard constraints of a pod.
template <typename Test>
bool AnyHard(const core::PodSpec& spec, Test test) {
  return std::any_of(spec.spread.begin(), spec.spread.end(),
                     [&](const core::SpreadConstraint& c) { return c.hard && test(c); });
}

bool AllSelect(const Context& context, const std::vector<core::PodAffinityTerm>& terms,
               const HintPod& pod) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
    return core::Matches(term, *pod.spec, context.cluster);
  });
}

// A node must hold the pod alone. A pod must free something.
bool Fit(const Context&, const HintPod& pod, const HintChange& change) {
  if (change.node == nullptr) return change.gone;
  return !change.gone && FitsAlone(pod.spec->request, change.node->allocatable);
}

// A deleted pod that shares a claim.
bool Restrictions(const Context&, const HintPod& pod, const HintChange& change) {
  if (!change.gone) return true;
  if (change.pod->spec->namespace_name != pod.spec->namespace_name) return false;
  return std::find_first_of(pod.claims.begin(), pod.claims.end(), change.pod->claims.begin(),
                            change.pod->claims.end()) != pod.claims.end();
}

// A deleted pod gives up places for volumes where it had a claim.
bool VolumeLimits(const Context&, const HintPod&, const HintChange& change) {
  const auto& volumes = change.pod->spec->volumes;
  return !change.gone ||
         std::any_of(volumes.begin(), volumes.end(), [](const core::PodVolume& volume) {
           return volume.kind == core::PodVolume::Kind::kClaim ||
                  volume.kind == core::PodVolume::Kind::kEphemeral;
         });
}

bool Ports(const Context& context, const HintPod& pod, const HintChange& change) {
  if (!change.gone) return false;
  for (const core::HostPort& mine : pod.spec->host_ports) {
    for (const core::HostPort& freed : change.pod->spec->host_ports) {
      const bool same_ip =
          freed.ip == mine.ip || freed.ip == context.any_address || mine.ip == context.any_address;
      if (same_ip && freed.port == mine.port && freed.protocol == mine.protocol) return true;
    }
  }
  return false;
}

bool Affinity(const Context& context, const HintPod& pod, const HintChange& change) {
  return !change.gone && SelectsNode(*pod.spec, *change.node, context.cluster.strings());
}

bool Unschedulable(const Context&, const HintPod&, const HintChange& change) {
  return !change.gone && !change.node->unschedulable;
}

bool Taints(const Context&, const HintPod& pod, const HintChange& change) {
  return !change.gone && ToleratesAll(*pod.spec, *change.node);
}

// One existing pod has to satisfy all terms, so all are asked of the one that came or went.
bool PodAffinity(const Context& context, const HintPod& pod, const HintChange& change) {
  return AllSelect(context,
                   change.gone ? pod.spec->required_anti_affinity : pod.spec->required_affinity,
                   *change.pod);
}

bool PodAffinityOfNode(const Context& context, const HintPod& pod, const HintChange& change) {
  if (change.gone) return false;
  const auto present = [&](const auto& terms) {
    return std::any_of(terms.begin(), terms.end(), [&](const core::PodAffinityTerm& term) {
      return core::FindLabel(change.node->labels, term.topology_key) != core::kNone;
    });
  };
  const auto& unwanted = pod.spec->required_anti_affinity;
  return present(pod.spec->required_affinity) ||
         (context.new_node_is_news ? !unwanted.empty() : present(unwanted));
}

bool Spread(const Context&, const HintPod& pod, const HintChange& change) {
  return !AnyHard(*pod.spec, [&](const core::SpreadConstraint& c) {
    return core::FindLabel(change.node->labels, c.topology_key) == core::kNone;
  });
}

bool SpreadOfPod(const Context&, const HintPod& pod, const HintChange& change) {
  const core::PodSpec& other = *change.pod->spec;
  return other.namespace_name == pod.spec->namespace_name &&
         AnyHard(*pod.spec, [&](const core::SpreadConstraint& c) {
           return core::Matches(c.selector, other.labels);
         });
}

}  // namespace

std::optional<bool> Hints::Ask(std::string_view plugin, const HintPod& pod,
                               const HintChange& change) const {
  using Answer = bool (*)(const Context&, const HintPod&, const HintChange&);
  struct Row {
    std::string_view plugin;
    Answer of_node, of_pod;  // null: not known
  };
  static constexpr Row kRows[] = {
      {"NodeResourcesFit", Fit, Fit},
      {"NodeAffinity", Affinity, nullptr},
      {"NodeUnschedulable", Unschedulable, nullptr},
      {"TaintToleration", Taints, nullptr},
      {"NodePorts", nullptr, Ports},
      {"InterPodAffinity", PodAffinityOfNode, PodAffinity},
      {"PodTopologySpread", Spread, SpreadOfPod},
      {"VolumeRestrictions", nullptr, Restrictions},
      {"NodeVolumeLimits", nullptr, VolumeLimits},
  };
  for (const Row& row : kRows) {
    if (row.plugin != plugin) continue;
    const Answer answer = change.node != nullptr ? row.of_node : row.of_pod;
    if (answer != nullptr) return answer(context_, pod, change);
  }
  return std::nullopt;
}

bool Hints::Admits(const core::PodSpec& pod, const core::Node& node) const {
  const bool named = pod.node_name == core::kEmptyText || pod.node_name == node.name;
  return named && FitsAlone(pod.request, node.allocatable) &&
         SelectsNode(pod, node, context_.cluster.strings()) &&
         ToleratesAll(pod, node, core::Effect::kNoSchedule);
}

}  // namespace schedlens::sim::queue
