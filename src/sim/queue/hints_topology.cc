// Hints of the plugins that look at a node's labels and taints, and at other pods' labels.

#include <algorithm>

#include "sim/cluster/pod_index.h"
#include "sim/queue/hints.h"

namespace schedlens::sim::queue {
namespace {

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
    return std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                       [&](const core::Toleration& one) { return core::Tolerates(one, taint); });
  });
}

bool SameTaints(const core::Node& a, const core::Node& b) {
  return std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(),
                    [](const core::Taint& x, const core::Taint& y) {
                      return x.key == y.key && x.value == y.value && x.effect == y.effect;
                    });
}

// The hard constraints of a pod.
template <typename Test>
bool AnyHard(const core::PodSpec& spec, Test test) {
  return std::any_of(spec.spread.begin(), spec.spread.end(),
                     [&](const core::SpreadConstraint& c) { return c.hard && test(c); });
}

bool HasAllKeys(const core::PodSpec& spec, const core::Node& node) {
  return !AnyHard(spec, [&](const core::SpreadConstraint& c) {
    return core::FindLabel(node.labels, c.topology_key) == core::kNone;
  });
}

}  // namespace

bool Hints::Affinity(const HintPod& pod, const HintChange& change) const {
  if (change.new_node == nullptr) return false;
  const core::Strings& strings = cluster_.strings();
  if (!SelectsNode(*pod.spec, *change.new_node, strings)) return false;
  return change.old_node == nullptr || !rules_.compares_old_node ||
         !SelectsNode(*pod.spec, *change.old_node, strings);
}

bool Hints::Admits(const core::PodSpec& pod, const core::Node& node) const {
  HintChange change;
  change.new_node = &node;
  const bool named = pod.node_name == core::kEmptyText || pod.node_name == node.name;
  return named && Fit({&pod, 0, false, false, {}}, change) &&
         SelectsNode(pod, node, cluster_.strings()) &&
         ToleratesAll(pod, node, core::Effect::kNoSchedule);
}

bool Hints::Unschedulable(const HintPod& pod, const HintChange& change) const {
  if (change.new_node != nullptr) {
    const bool before =
        rules_.compares_old_node && change.old_node != nullptr && !change.old_node->unschedulable;
    return !before && !change.new_node->unschedulable;
  }
  if (change.new_pod == nullptr || change.new_pod->uid != pod.uid) return false;
  const core::Taint taint{unschedulable_, core::kEmptyText, core::Effect::kNoSchedule};
  const auto& tolerations = change.new_pod->spec->tolerations;
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const core::Toleration& one) { return core::Tolerates(one, taint); });
}

bool Hints::Taints(const HintPod& pod, const HintChange& change) const {
  if (change.new_node == nullptr) {
    return change.new_pod != nullptr && change.new_pod->uid == pod.uid;
  }
  const bool before = change.old_node != nullptr && ToleratesAll(*pod.spec, *change.old_node);
  return !before && ToleratesAll(*pod.spec, *change.new_node);
}

bool Hints::AllSelect(const std::vector<core::PodAffinityTerm>& terms, const HintPod& pod) const {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
    return core::Matches(term, *pod.spec, cluster_);
  });
}

// One existing pod has to satisfy all terms, so all are asked of the one that changed.
bool Hints::PodAffinity(const HintPod& pod, const HintChange& change) const {
  const HintPod *before = change.old_pod, *after = change.new_pod;
  const auto own = [&](const HintPod* other) { return other != nullptr && other->uid == pod.uid; };
  if (rules_.own_labels_count && (own(before) || own(after))) return true;
  const auto& wanted = pod.spec->required_affinity;
  const auto& unwanted = pod.spec->required_anti_affinity;
  if (after == nullptr) return AllSelect(unwanted, *before);
  if (before == nullptr) return AllSelect(wanted, *after);
  return (!AllSelect(wanted, *before) && AllSelect(wanted, *after)) ||
         (AllSelect(unwanted, *before) && !AllSelect(unwanted, *after));
}

bool Hints::PodAffinityOfNode(const HintPod& pod, const HintChange& change) const {
  if (change.new_node == nullptr) return false;
  const auto value = [](const core::Node* node, core::Id key) {
    return node == nullptr ? core::kNone : core::FindLabel(node->labels, key);
  };
  const auto& wanted = pod.spec->required_affinity;
  const auto& unwanted = pod.spec->required_anti_affinity;
  const auto any = [](const auto& terms, auto test) {
    return std::any_of(terms.begin(), terms.end(), test);
  };
  const auto present = [&](const core::PodAffinityTerm& term) {
    return value(change.new_node, term.topology_key) != core::kNone;
  };
  if (!rules_.topology_needs_change) return any(wanted, present) || any(unwanted, present);
  if (change.old_node == nullptr) return any(wanted, present) || !unwanted.empty();
  const auto came = [&](const core::PodAffinityTerm& term) {
    const core::Id now = value(change.new_node, term.topology_key);
    return now != core::kNone && now != value(change.old_node, term.topology_key);
  };
  const auto went = [&](const core::PodAffinityTerm& term) {
    const core::Id before = value(change.old_node, term.topology_key);
    return before != core::kNone && before != value(change.new_node, term.topology_key);
  };
  return any(wanted, came) || any(unwanted, went);
}

bool Hints::Spread(const HintPod& pod, const HintChange& change) const {
  const bool before = change.old_node != nullptr && HasAllKeys(*pod.spec, *change.old_node);
  const bool after = change.new_node != nullptr && HasAllKeys(*pod.spec, *change.new_node);
  if (change.old_node == nullptr) return after;
  if (change.new_node == nullptr) return before;
  if (before != after) return true;
  if (!after) return false;
  if (!rules_.compares_old_node) return true;
  return !SameTaints(*change.old_node, *change.new_node) ||
         AnyHard(*pod.spec, [&](const core::SpreadConstraint& c) {
           return core::FindLabel(change.old_node->labels, c.topology_key) !=
                  core::FindLabel(change.new_node->labels, c.topology_key);
         });
}

bool Hints::SpreadOfPod(const HintPod& pod, const HintChange& change) const {
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

}  // namespace schedlens::sim::queue
