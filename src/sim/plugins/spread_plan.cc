#include "sim/plugins/spread_plan.h"

#include <algorithm>

#include "sim/cluster/pod_index.h"

namespace schedlens::sim::core {

SpreadPlans::SpreadPlans(const PluginContext& context)
    : minor_(context.minor), system_defaults_(context.profile.args.system_default_constraints) {
  Strings& strings = *context.cluster.shared_strings();
  std::vector<ConstraintText> texts = context.profile.args.default_constraints;
  if (system_defaults_) {
    texts = {{3, "kubernetes.io/hostname", false}, {5, "topology.kubernetes.io/zone", false}};
  }
  for (const ConstraintText& text : texts) {
    SpreadConstraint& constraint = defaults_.emplace_back();
    constraint.max_skew = text.max_skew;
    constraint.topology_key = strings.Intern(text.topology_key);
    constraint.hard = text.hard;
  }
}

const SpreadPlan& SpreadPlans::Of(const Attempt& attempt) {
  if (plans_.size() <= Index(attempt.spec_id)) {
    plans_.resize(Index(std::max(attempt.cluster.spec_limit(), attempt.spec_id + 1)));
  }
  SpreadPlan& plan = plans_[Index(attempt.spec_id)];
  if (plan.version == attempt.cluster.version()) return plan;
  plan = SpreadPlan();
  plan.version = attempt.cluster.version();
  const auto& own = attempt.spec.spread;
  // With constraints of its own or of the file's, a node must have every key.
  plan.all_keys = !own.empty() || !system_defaults_;
  std::vector<SpreadConstraint> constraints = own;
  if (own.empty()) {
    const LabelSelector selector = DefaultSelector(attempt.spec, attempt.cluster);
    if (!selector.nothing) {
      constraints = defaults_;
      for (SpreadConstraint& c : constraints) c.selector = selector;
    }
  }
  for (const SpreadConstraint& c : constraints) {
    auto& list = c.hard ? plan.hard : plan.soft;
    auto& groups = c.hard ? plan.hard_groups : plan.soft_groups;
    list.push_back(Compile(attempt, c, list, groups));
  }
  return plan;
}

PlannedConstraint SpreadPlans::Compile(const Attempt& attempt, const SpreadConstraint& from,
                                       const std::vector<PlannedConstraint>& before,
                                       std::size_t& groups) const {
  PlannedConstraint out;
  out.key = from.topology_key;
  out.max_skew = from.max_skew;
  out.min_domains = from.min_domains;
  out.affinity = minor_ < 26 || from.honor_node_affinity;
  out.taints = minor_ >= 26 && from.honor_node_taints;
  PodAffinityTerm term;
  term.selector = from.selector;
  term.namespaces = {attempt.spec.namespace_name};
  if (minor_ >= 27) {
    auto& requirements = term.selector.requirements;
    requirements.insert(requirements.end(), from.match_label_keys.begin(),
                        from.match_label_keys.end());
  }
  out.self = Matches(term.selector, attempt.spec.labels);
  out.counts = minor_ < 30 || term.selector.nothing || !term.selector.requirements.empty();
  out.tally = attempt.cluster.index().Tally({term}, false);
  // Constraints on one key share their counts until 1.32.
  const auto same = std::find_if(before.begin(), before.end(), [&](const PlannedConstraint& c) {
    return c.key == out.key && minor_ < 33;
  });
  out.group = same != before.end() ? same->group : groups++;
  return out;
}

}  // namespace schedlens::sim::core
