#include "scheduler/queue/hints.h"

#include <algorithm>
#include <array>

namespace schedlens::sim::queue {
namespace {

using core::Resources;

// Whether any of the amounts asked for is smaller in `b`.
bool AnySmaller(const Resources& asked, const Resources& a, const Resources& b) {
  if (asked.milli_cpu > 0 && b.milli_cpu < a.milli_cpu) return true;
  if (asked.memory > 0 && b.memory < a.memory) return true;
  if (asked.ephemeral_storage > 0 && b.ephemeral_storage < a.ephemeral_storage) return true;
  return std::ranges::any_of(asked.scalars, [&](const auto& one) {
    return one.amount > 0 && b.Scalar(one.name) < a.Scalar(one.name);
  });
}

// The hard constraints of a pod.
template <typename Test>
bool AnyHard(const core::PodSpec& spec, Test test) {
  return std::ranges::any_of(spec.spread,
                             [&](const core::SpreadConstraint& c) { return c.hard && test(c); });
}

bool HasAllKeys(const core::PodSpec& spec, const core::Node& node) {
  return !AnyHard(spec, [&](const core::SpreadConstraint& c) {
    return core::FindLabel(node.labels, c.topology_key) == core::kNone;
  });
}

// Whether the change is one of the waiting pod itself.
bool IsOwn(const HintContext& context, const HintPod& pod, const HintChange& change) {
  const HintPod* other = change.new_pod != nullptr ? change.new_pod : change.old_pod;
  return context.rules.own_by_event() ? change.target : other != nullptr && other->uid == pod.uid;
}

bool AllSelect(const HintContext& context, const std::vector<core::PodAffinityTerm>& terms,
               const HintPod& pod) {
  return !terms.empty() && std::ranges::all_of(terms, [&](const auto& term) {
    return core::Matches(term, *pod.spec, context.cluster);
  });
}

// A node must hold the pod alone, and must not have held it before. A pod must free something.
bool Fit(const HintContext& context, const HintPod& pod, const HintChange& change) {
  const Resources& asked = pod.spec->request;
  if (change.new_node != nullptr) {
    const Resources& capacity = change.new_node->allocatable;
    if (capacity.pods < 1 || !asked.FitsIn(capacity)) return false;
    if (change.old_node == nullptr || !context.rules.compares_old_node()) return true;
    const Resources& before = change.old_node->allocatable;
    return before.pods < capacity.pods || AnySmaller(asked, capacity, before);
  }
  if (change.new_pod == nullptr) {
    return change.old_pod != nullptr && (change.old_pod->assigned || change.old_pod->nominated);
  }
  if (!context.rules.pods_shrink || change.old_pod == nullptr) return false;
  if (IsOwn(context, pod, change)) return true;
  return change.new_pod->assigned &&
         AnySmaller(asked, change.old_pod->spec->request, change.new_pod->spec->request);
}

bool Gates(const HintContext&, const HintPod& pod, const HintChange& change) {
  return change.new_pod != nullptr && change.new_pod->uid == pod.uid;
}

// A deleted pod that shares a claim.
bool Restrictions(const HintContext&, const HintPod& pod, const HintChange& change) {
  if (change.old_pod == nullptr || change.new_pod != nullptr) return true;
  if (change.old_pod->spec->namespace_name != pod.spec->namespace_name) return false;
  return std::ranges::find_first_of(pod.claims, change.old_pod->claims) != pod.claims.end();
}

// A deleted pod gives up places for volumes where it had a claim.
bool VolumeLimits(const HintContext&, const HintPod&, const HintChange& change) {
  if (change.old_pod == nullptr || change.new_pod != nullptr) return true;
  const auto& volumes = change.old_pod->spec->volumes;
  return change.old_pod->assigned &&
         std::ranges::any_of(volumes, [](const core::PodVolume& volume) {
           return volume.kind == core::PodVolume::Kind::kClaim ||
                  volume.kind == core::PodVolume::Kind::kEphemeral;
         });
}

bool Ports(const HintContext&, const HintPod& pod, const HintChange& change) {
  return change.old_pod != nullptr && change.old_pod->assigned &&
         core::Collide(pod.spec->host_ports, change.old_pod->spec->host_ports);
}

bool Affinity(const HintContext& context, const HintPod& pod, const HintChange& change) {
  if (change.new_node == nullptr) return false;
  const core::Strings& strings = context.cluster.strings();
  if (!core::MatchesRequiredNodeAffinity(*pod.spec, *change.new_node, strings)) return false;
  return change.old_node == nullptr || !context.rules.compares_old_node() ||
         !core::MatchesRequiredNodeAffinity(*pod.spec, *change.old_node, strings);
}

bool Unschedulable(const HintContext& context, const HintPod& pod, const HintChange& change) {
  if (change.new_node != nullptr) {
    const bool before = context.rules.compares_old_node() && change.old_node != nullptr &&
                        !change.old_node->unschedulable;
    return !before && !change.new_node->unschedulable;
  }
  if (change.new_pod == nullptr || change.new_pod->uid != pod.uid) return false;
  const core::Taint taint{context.unschedulable, core::kEmptyText, core::Effect::kNoSchedule};
  return core::Tolerates(change.new_pod->spec->tolerations, taint);
}

bool Taints(const HintContext&, const HintPod& pod, const HintChange& change) {
  if (change.new_node == nullptr) {
    return change.new_pod != nullptr && change.new_pod->uid == pod.uid;
  }
  const auto allows = [&](const core::Node* node) {
    return node != nullptr && core::UntoleratedTaint(*pod.spec, *node) == nullptr;
  };
  return !allows(change.old_node) && allows(change.new_node);
}

// One existing pod has to satisfy all terms, so all are asked of the one that changed.
bool PodAffinity(const HintContext& context, const HintPod& pod, const HintChange& change) {
  const HintPod *before = change.old_pod, *after = change.new_pod;
  if (context.rules.own_labels_count() && IsOwn(context, pod, change)) return true;
  const auto& wanted = pod.spec->required_affinity;
  const auto& unwanted = pod.spec->required_anti_affinity;
  if (after == nullptr) {
    const auto selects_us = [&](const core::PodAffinityTerm& term) {
      return core::Matches(term, *pod.spec, context.cluster);
    };
    return AllSelect(context, unwanted, *before) ||
           (context.rules.their_terms_count() &&
            std::ranges::any_of(before->spec->required_anti_affinity, selects_us));
  }
  if (before == nullptr) return AllSelect(context, wanted, *after);
  return (!AllSelect(context, wanted, *before) && AllSelect(context, wanted, *after)) ||
         (AllSelect(context, unwanted, *before) && !AllSelect(context, unwanted, *after));
}

bool PodAffinityOfNode(const HintContext& context, const HintPod& pod, const HintChange& change) {
  if (change.new_node == nullptr) return false;
  const auto value = [](const core::Node* node, core::Id key) {
    return node == nullptr ? core::kNone : core::FindLabel(node->labels, key);
  };
  const auto& wanted = pod.spec->required_affinity;
  const auto& unwanted = pod.spec->required_anti_affinity;
  const auto any = [](const auto& terms, auto test) { return std::ranges::any_of(terms, test); };
  const auto present = [&](const core::PodAffinityTerm& term) {
    return value(change.new_node, term.topology_key) != core::kNone;
  };
  if (!context.rules.topology_needs_change()) return any(wanted, present) || any(unwanted, present);
  if (change.old_node == nullptr) return any(wanted, present) || !unwanted.empty();
  // Whether `to` has a value of the key that `from` has not.
  const auto differs = [&](const core::Node* from, const core::Node* to) {
    return [&value, from, to](const core::PodAffinityTerm& term) {
      const core::Id is = value(to, term.topology_key);
      return is != core::kNone && is != value(from, term.topology_key);
    };
  };
  return any(wanted, differs(change.old_node, change.new_node)) ||
         any(unwanted, differs(change.new_node, change.old_node));
}

bool Spread(const HintContext& context, const HintPod& pod, const HintChange& change) {
  const bool before = change.old_node != nullptr && HasAllKeys(*pod.spec, *change.old_node);
  const bool after = change.new_node != nullptr && HasAllKeys(*pod.spec, *change.new_node);
  if (change.old_node == nullptr) return after;
  if (change.new_node == nullptr) return before;
  if (before != after) return true;
  if (!after) return false;
  if (!context.rules.compares_old_node()) return true;
  return change.old_node->taints != change.new_node->taints ||
         AnyHard(*pod.spec, [&](const core::SpreadConstraint& c) {
           return core::FindLabel(change.old_node->labels, c.topology_key) !=
                  core::FindLabel(change.new_node->labels, c.topology_key);
         });
}

bool SpreadOfPod(const HintContext&, const HintPod& pod, const HintChange& change) {
  const HintPod *before = change.old_pod, *after = change.new_pod;
  const core::Id here = pod.spec->namespace_name;
  if ((before != nullptr && before->spec->namespace_name != here) ||
      (after != nullptr && after->spec->namespace_name != here)) {
    return false;
  }
  const auto counts = [](const core::SpreadConstraint& c, const HintPod* other) {
    return other != nullptr && core::Matches(c.selector, other->spec->labels);
  };
  if (before != nullptr && after != nullptr && after->uid == pod.uid &&
      before->spec->tolerations != after->spec->tolerations) {
    return AnyHard(*pod.spec, [](const core::SpreadConstraint& c) { return c.honor_node_taints; });
  }
  return AnyHard(*pod.spec, [&](const core::SpreadConstraint& c) {
    return counts(c, before) != counts(c, after);
  });
}

}  // namespace

Hints::Hints(const HintRules& rules, core::Cluster& cluster)
    : context_{rules, cluster, cluster.strings().Intern("node.kubernetes.io/unschedulable")} {}

std::optional<bool> Hints::Ask(std::string_view plugin, const HintPod& pod,
                               const HintChange& change) const {
  using Answer = bool (*)(const HintContext&, const HintPod&, const HintChange&);
  struct Row {
    std::string_view plugin;
    Answer of_node, of_pod;  // null: not known
  };
  static constexpr std::array<Row, 10> kRows = {{
      {"NodeResourcesFit", Fit, Fit},
      {"NodeAffinity", Affinity, nullptr},
      {"NodeUnschedulable", Unschedulable, Unschedulable},
      {"TaintToleration", Taints, Taints},
      {"NodePorts", nullptr, Ports},
      {"InterPodAffinity", PodAffinityOfNode, PodAffinity},
      {"PodTopologySpread", Spread, SpreadOfPod},
      {"SchedulingGates", nullptr, Gates},
      {"VolumeRestrictions", nullptr, Restrictions},
      {"NodeVolumeLimits", nullptr, VolumeLimits},
  }};
  const bool of_node = change.old_node != nullptr || change.new_node != nullptr;
  const bool of_pod = change.old_pod != nullptr || change.new_pod != nullptr;
  for (const Row& row : kRows) {
    if (row.plugin != plugin) continue;
    const Answer answer = of_node ? row.of_node : of_pod ? row.of_pod : nullptr;
    if (answer == nullptr) return std::nullopt;
    return answer(context_, pod, change);
  }
  return std::nullopt;
}

bool Hints::Admits(const core::PodSpec& pod, const core::Node& node) const {
  HintChange change;
  change.new_node = &node;
  const bool named = pod.node_name == core::kEmptyText || pod.node_name == node.name;
  return named && Fit(context_, {&pod, 0, false, false, {}}, change) &&
         core::MatchesRequiredNodeAffinity(pod, node, context_.cluster.strings()) &&
         core::UntoleratedTaint(pod, node, core::Effect::kNoSchedule) == nullptr;
}

}  // namespace schedlens::sim::queue
