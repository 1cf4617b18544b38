// PodTopologySpread with its plans, and SelectorSpread.

#include <cmath>
#include <limits>

#include "scheduler/plugins/spread_plan.h"

namespace schedlens::sim::core {
namespace {

// PodTopologySpread: hard constraints as a filter, soft ones as a score, and default constraints
// for pods of services, controllers and sets.

/// Matching pods by topology value.
struct SpreadGroup {
  const Topology* topology = nullptr;
  std::vector<std::int64_t> counts;   // by domain
  std::vector<std::uint8_t> present;  // domain takes part
  std::int64_t lowest = 0;
  std::int32_t domains = 0;

  /// Hostnames are counted by node elsewhere: nothing is kept by value.
  void Reset(const Topology& of, bool by_value = true) {
    topology = &of;
    const std::size_t values = by_value ? Index(of.domains) : 0;
    counts.assign(values, 0);
    present.assign(values, 0);
    domains = 0;
  }
  void Include(NodeId node) {
    std::uint8_t& in = present[Index(topology->domain[Index(node)])];
    domains += in == 0;
    in = 1;
  }
  void IncludeAll() {
    domains = topology->domains;
    present.assign(present.size(), 1);
  }
  void Add(const DomainCounts& more) {
    for (std::size_t i = 0; i < more.of.size(); ++i) counts[i] += present[i] ? more.of[i] : 0;
  }
  void FindLowest() {
    lowest = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (present[i] != 0) lowest = std::min(lowest, counts[i]);
    }
  }
};

class PodTopologySpread : public Plugin {
 public:
  explicit PodTopologySpread(const PluginContext& context)
      : plans_(context),
        minor_(context.minor),
        hostname_(context.cluster.strings().Intern("kubernetes.io/hostname")) {}

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    plan_ = &plans_.Of(attempt);
    if (plan_->hard.empty()) return Code::kSuccess;
    PodIndex& index = attempt.cluster.index();
    groups_.resize(std::max(groups_.size(), plan_->hard_groups));
    for (const PlannedConstraint& c : plan_->hard) groups_[c.group].Reset(index.TopologyOf(c.key));
    const bool narrow = IsNarrow(attempt, plan_->hard);
    const bool everywhere = !narrow && AllHaveKeys(attempt, plan_->hard);
    for (const NodeId node : everywhere ? NodeSpan() : attempt.cluster.order()) {
      if (!HasKeys(groups_, plan_->hard, node)) continue;
      for (const PlannedConstraint& c : plan_->hard) {
        if (narrow && !TakesPart(attempt, c, node)) continue;
        groups_[c.group].Include(node);
      }
    }
    for (const PlannedConstraint& c : plan_->hard) {
      SpreadGroup& group = groups_[c.group];
      if (everywhere) group.IncludeAll();
      // Until 1.25 the pods of every node count whose value takes part; from 1.26 only those of
      // nodes that take part themselves.
      Count(attempt, c, group, everywhere, [&](NodeId node) {
        return minor_ < 26 ||
               (HasKeys(groups_, plan_->hard, node) && (!narrow || TakesPart(attempt, c, node)));
      });
    }
    for (std::size_t g = 0; g < plan_->hard_groups; ++g) groups_[g].FindLowest();
    all_pass_ = everywhere && std::ranges::all_of(plan_->hard, [&](const auto& c) {
                  const SpreadGroup& group = groups_[c.group];
                  const auto most = std::ranges::max_element(group.counts);
                  return most != group.counts.end() && *most <= MostFor(c, group);
                });
    return Code::kSuccess;
  }

  bool PassesAll(const Attempt&) const override { return plan_->hard.empty() || all_pass_; }

  Code Filter(const Attempt&, const NodeInfo& info, Texts* why) const override {
    const Code code = Check(info.id);
    if (why != nullptr && code != Code::kSuccess) {
      why->push_back("node(s) didn't match pod topology spread constraints");
      if (code == Code::kUnresolvable) why->back() += " (missing required label)";
    }
    return code;
  }
  void FilterNodes(const Attempt&, NodeSpan nodes, std::span<Code> codes) const override {
    for (const PlannedConstraint& c : plan_->hard) {
      const SpreadGroup& group = groups_[c.group];
      const std::int64_t most = MostFor(c, group);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (codes[i] == Code::kSuccess) codes[i] = Check(group, nodes[i], most);
      }
    }
  }

  void ApplyPod(const Attempt& attempt, PodId pod, NodeId node, int sign) override {
    if (plan_->hard.empty() || !HasKeys(groups_, plan_->hard, node)) return;
    const bool narrow = IsNarrow(attempt, plan_->hard);
    for (const PlannedConstraint& c : plan_->hard) {
      if (!attempt.cluster.index().TallyMatches(c.tally, attempt.cluster.pod(pod).spec)) continue;
      if (narrow && !TakesPart(attempt, c, node)) continue;
      SpreadGroup& group = groups_[c.group];
      std::int64_t& count = group.counts[Index(group.topology->domain[Index(node)])];
      const std::int64_t before = count;
      count += sign;
      if (sign < 0) {
        group.lowest = std::min(group.lowest, count);
      } else if (before == group.lowest) {
        group.FindLowest();
      }
    }
  }
  void PreScore(const Attempt& attempt, NodeSpan nodes) override {
    plan_ = &plans_.Of(attempt);
    const auto& soft = plan_->soft;
    if (soft.empty()) return;
    PodIndex& index = attempt.cluster.index();
    soft_groups_.resize(std::max(soft_groups_.size(), plan_->soft_groups));
    soft_sizes_.assign(soft.size(), 0);
    weights_.assign(soft.size(), 0);
    ignored_.assign(nodes.size(), 0);
    for (const PlannedConstraint& c : soft) {
      soft_groups_[c.group].Reset(index.TopologyOf(c.key), c.key != hostname_);
    }
    const bool may_lack_keys = plan_->all_keys && !AllHaveKeys(attempt, soft);
    std::size_t ignored = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (may_lack_keys && !HasKeys(soft_groups_, soft, nodes[i])) {
        ignored_[i] = 1;
        ++ignored;
        continue;
      }
      for (std::size_t k = 0; k < soft.size(); ++k) {
        if (soft[k].key == hostname_) continue;
        SpreadGroup& group = soft_groups_[soft[k].group];
        const std::int32_t before = group.domains;
        group.Include(nodes[i]);
        soft_sizes_[k] += group.domains - before;
      }
    }
    for (std::size_t k = 0; k < soft.size(); ++k) {
      const auto size = soft[k].key == hostname_ ? static_cast<double>(nodes.size() - ignored)
                                                 : static_cast<double>(soft_sizes_[k]);
      weights_[k] = std::log(size + 2);
    }
    const bool narrow = IsNarrow(attempt, soft);
    const bool everywhere = !narrow && AllHaveKeys(attempt, soft);
    for (const PlannedConstraint& c : soft) {
      if (c.key == hostname_) continue;
      Count(attempt, c, soft_groups_[c.group], everywhere, [&](NodeId node) {
        return (!plan_->all_keys || HasKeys(soft_groups_, soft, node)) &&
               (!narrow || TakesPart(attempt, c, node));
      });
    }
  }

  bool SkipsScore(const Attempt&) const override { return plan_->soft.empty(); }
  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    std::ranges::fill(scores, 0);
    const auto& soft = plan_->soft;
    if (soft.empty()) return;
    sums_.assign(nodes.size(), 0);
    for (std::size_t k = 0; k < soft.size(); ++k) {
      const SpreadGroup& group = soft_groups_[soft[k].group];
      const bool by_node = soft[k].key == hostname_;
      const auto& tally = attempt.cluster.index().Counts(soft[k].tally);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t node = Index(nodes[i]);
        if (group.topology->has[node] == 0) continue;
        const std::int64_t count = by_node ? (soft[k].counts ? tally[node] : 0)
                                           : group.counts[Index(group.topology->domain[node])];
        sums_[i] +=
            static_cast<double>(count) * weights_[k] + static_cast<double>(soft[k].max_skew - 1);
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (ignored_[i] != 0) continue;
      scores[i] = static_cast<std::int64_t>(minor_ >= 24 ? std::round(sums_[i]) : sums_[i]);
    }
  }

  void Normalize(const Attempt&, NodeSpan, ScoreSpan scores) override {
    const bool plain = plan_->soft.empty();
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (!plain && ignored_[i] != 0) continue;
      lowest = std::min(lowest, scores[i]);
      highest = std::max(highest, scores[i]);
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (!plain && ignored_[i] != 0) {
        scores[i] = 0;
      } else {
        scores[i] = highest == 0 ? 100 : 100 * (highest + lowest - scores[i]) / highest;
      }
    }
  }

 private:
  using Constraints = std::vector<PlannedConstraint>;
  using Groups = std::vector<SpreadGroup>;

  // Whether some nodes do not take part, so that each must be asked.
  static bool IsNarrow(const Attempt& attempt, const Constraints& constraints) {
    return std::ranges::any_of(constraints, &PlannedConstraint::taints) ||
           !attempt.spec.node_selector.empty() || attempt.spec.node_affinity.required.has_value();
  }

  static bool TakesPart(const Attempt& attempt, const PlannedConstraint& c, NodeId node) {
    const Node& n = attempt.cluster.node(node).node;
    if (c.affinity && !MatchesRequiredNodeAffinity(attempt.spec, n, attempt.cluster.strings())) {
      return false;
    }
    return !c.taints || UntoleratedTaint(attempt.spec, n) == nullptr;
  }

  static bool HasKeys(const Groups& groups, const Constraints& constraints, NodeId node) {
    return std::ranges::all_of(constraints, [&](const PlannedConstraint& c) {
      return groups[c.group].topology->has[Index(node)] != 0;
    });
  }

  // Every node takes part in every constraint: the counts by value are at hand.
  static bool AllHaveKeys(const Attempt& attempt, const Constraints& constraints) {
    return std::ranges::all_of(constraints, [&](const PlannedConstraint& c) {
      return attempt.cluster.index().TopologyOf(c.key).nodes_with_key ==
             attempt.cluster.node_count();
    });
  }
  // Where more pods are than that, none may be added.
  std::int64_t MostFor(const PlannedConstraint& c, const SpreadGroup& group) const {
    const std::int64_t lowest = minor_ >= 27 && group.domains < c.min_domains ? 0 : group.lowest;
    return c.max_skew + lowest - c.self;
  }

  // The pods of the nodes that pass, where their value takes part; of all if it is `everywhere`.
  template <typename Passes>
  static void Count(const Attempt& attempt, const PlannedConstraint& c, SpreadGroup& group,
                    bool everywhere, const Passes& passes) {
    if (!c.counts) return;
    if (everywhere) return group.Add(attempt.cluster.index().CountsBy(c.tally, c.key));
    const auto& tally = attempt.cluster.index().Counts(c.tally);
    for (const NodeId node : attempt.cluster.order()) {
      const std::int32_t count = tally[Index(node)];
      if (count == 0) continue;
      const std::size_t domain = Index(group.topology->domain[Index(node)]);
      if (group.present[domain] != 0 && passes(node)) group.counts[domain] += count;
    }
  }

  static Code Check(const SpreadGroup& group, NodeId node, std::int64_t most) {
    if (group.topology->has[Index(node)] == 0) return Code::kUnresolvable;
    const std::int64_t count = group.counts[Index(group.topology->domain[Index(node)])];
    return count <= most ? Code::kSuccess : Code::kUnschedulable;
  }
  Code Check(NodeId node) const {
    for (const PlannedConstraint& c : plan_->hard) {
      const SpreadGroup& group = groups_[c.group];
      const Code code = Check(group, node, MostFor(c, group));
      if (code != Code::kSuccess) return code;
    }
    return Code::kSuccess;
  }

  SpreadPlans plans_;
  int minor_;
  Id hostname_;
  const SpreadPlan* plan_ = nullptr;
  std::vector<SpreadGroup> groups_, soft_groups_;
  bool all_pass_ = false;  // of the last PreFilter: no node is over a hard constraint
  std::vector<std::int32_t> soft_sizes_;
  std::vector<double> weights_, sums_;
  std::vector<std::uint8_t> ignored_;
};

// SelectorSpread (until 1.24).

constexpr double kZoneWeight = 2.0 / 3.0;

class SelectorSpread : public Plugin {
 public:
  void PreScore(const Attempt& attempt, NodeSpan) override {
    counts_ = nullptr;
    if (!attempt.spec.spread.empty()) return;
    PodAffinityTerm term;
    term.selector = DefaultSelector(attempt.spec, attempt.cluster);
    term.namespaces = {attempt.spec.namespace_name};
    if (term.selector.nothing) return;
    PodIndex& index = attempt.cluster.index();
    counts_ = &index.Counts(index.Tally({term}, false));
  }

  void Score(const Attempt&, NodeSpan nodes, ScoreSpan scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = counts_ == nullptr ? 0 : (*counts_)[Index(nodes[i])];
    }
  }

  void Normalize(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    if (!attempt.spec.spread.empty()) return;
    const Strings& strings = attempt.cluster.strings();
    zones_.clear();
    std::int64_t most = 0, most_in_zone = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      most = std::max(most, scores[i]);
      const auto zone = ZoneOf(attempt.cluster.node(nodes[i]).node.labels, strings);
      if (zone == kNoZone) continue;
      zones_[zone] += scores[i];
    }
    for (const auto& [zone, count] : zones_) most_in_zone = std::max(most_in_zone, count);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double score = Inverse(scores[i], most);
      const auto zone = ZoneOf(attempt.cluster.node(nodes[i]).node.labels, strings);
      if (zone != kNoZone) {
        const double in_zone = Inverse(zones_[zone], most_in_zone);
        score = score * (1.0 - kZoneWeight) + kZoneWeight * in_zone;
      }
      scores[i] = static_cast<std::int64_t>(score);
    }
  }

 private:
  using Zone = std::pair<Id, Id>;
  static constexpr Zone kNoZone = {kEmptyText, kEmptyText};

  static double Inverse(std::int64_t count, std::int64_t most) {
    if (most <= 0) return 100.0;
    return 100.0 * (static_cast<double>(most - count) / static_cast<double>(most));
  }

  const std::vector<std::int32_t>* counts_ = nullptr;
  std::map<Zone, std::int64_t> zones_;
};

constexpr PluginMaker kSpreadPlugins[] = {
    {"PodTopologySpread", Make<PodTopologySpread>},
    {"SelectorSpread", Make<SelectorSpread>},
};

}  // namespace

SpreadPlans::SpreadPlans(const PluginContext& context)
    : minor_(context.minor), system_defaults_(context.profile.args.system_default_constraints) {
  Strings& strings = context.cluster.strings();
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
  const auto same = std::ranges::find_if(
      before, [&](const PlannedConstraint& c) { return c.key == out.key && minor_ < 33; });
  out.group = same != before.end() ? same->group : groups++;
  return out;
}

LabelSelector DefaultSelector(const PodSpec& spec, const Cluster& cluster) {
  LabelSelector out;
  const bool by_owner = cluster.release().minor >= 21;
  const Strings& strings = cluster.strings();
  for (const Workload& workload : cluster.workloads()) {
    if (workload.namespace_name != spec.namespace_name) continue;
    const LabelSelector& selector = workload.selector;
    if (selector.nothing || selector.requirements.empty()) continue;
    bool member = Matches(selector, spec.labels);
    if (by_owner && workload.kind != Workload::Kind::kService) {
      constexpr std::pair<std::string_view, std::string_view> kOwners[] = {
          {"", ""},
          {"v1", "ReplicationController"},
          {"apps/v1", "ReplicaSet"},
          {"apps/v1", "StatefulSet"}};
      const auto& [api_version, kind] = kOwners[static_cast<std::size_t>(workload.kind)];
      member = spec.controller && spec.controller->name == workload.name &&
               strings.Text(spec.controller->kind) == kind &&
               strings.Text(spec.controller->api_version) == api_version;
    }
    if (!member) continue;
    out.nothing = false;
    out.requirements.insert(out.requirements.end(), selector.requirements.begin(),
                            selector.requirements.end());
  }
  return out;
}

std::span<const PluginMaker> SpreadPlugins() { return kSpreadPlugins; }

}  // namespace schedlens::sim::core
