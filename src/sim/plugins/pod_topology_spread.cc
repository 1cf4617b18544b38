// PodTopologySpread: hard constraints as a filter, soft ones as a score, and default constraints
// for pods of services, controllers and sets.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cluster/pod_index.h"
#include "sim/framework/plugin.h"
#include "sim/plugins/spread_plan.h"

namespace schedlens::sim::core {
namespace {

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
        hostname_(context.cluster.shared_strings()->Intern("kubernetes.io/hostname")) {}

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    plan_ = &plans_.Of(attempt);
    all_pass_ = false;
    if (plan_->hard.empty()) return Code::kSuccess;
    PodIndex& index = attempt.cluster.index();
    groups_.resize(std::max(groups_.size(), plan_->hard_groups));
    for (const PlannedConstraint& c : plan_->hard) groups_[c.group].Reset(index.TopologyOf(c.key));
    const bool narrow = IsNarrow(attempt, plan_->hard);
    if (!narrow && AllHaveKeys(attempt, plan_->hard)) {
      CountEverywhere(index);
      return Code::kSuccess;
    }
    for (const NodeId node : attempt.cluster.order()) {
      if (!HasKeys(plan_->hard, node)) continue;
      for (const PlannedConstraint& c : plan_->hard) {
        if (narrow && !TakesPart(attempt, c, node)) continue;
        groups_[c.group].Include(node);
      }
    }
    for (const PlannedConstraint& c : plan_->hard) {
      if (c.counts) Count(attempt, c, narrow);
    }
    for (std::size_t g = 0; g < plan_->hard_groups; ++g) groups_[g].FindLowest();
    return Code::kSuccess;
  }

  bool PassesAll(const Attempt&) const override { return plan_->hard.empty() || all_pass_; }

  Code Filter(const Attempt&, const NodeInfo& info) const override { return Check(info.id); }
  Code FilterNode(const Attempt&, NodeId node) const override { return Check(node); }
  void FilterNodes(const Attempt&, std::span<const NodeId> nodes,
                   std::span<Code> codes) const override {
    for (const PlannedConstraint& c : plan_->hard) {
      const SpreadGroup& group = groups_[c.group];
      const std::int64_t most = MostFor(c, group);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (codes[i] == Code::kSuccess) codes[i] = Check(group, nodes[i], most);
      }
    }
  }
  std::vector<std::string> Reasons(const Attempt&, const NodeInfo& info) const override {
    const std::string reason = "node(s) didn't match pod topology spread constraints";
    return {Check(info.id) == Code::kUnresolvable ? reason + " (missing required label)" : reason};
  }

  void ApplyPod(const Attempt& attempt, PodId pod, NodeId node, int sign) override {
    if (plan_->hard.empty() || !HasKeys(plan_->hard, node)) return;
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
  void PreScore(const Attempt& attempt, std::span<const NodeId> nodes) override {
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
      if (may_lack_keys && !HasSoftKeys(nodes[i])) {
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
    CountSoft(attempt);
  }

  bool SkipsScore(const Attempt&) const override { return plan_->soft.empty(); }
  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    std::fill(scores.begin(), scores.end(), 0);
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

  bool normalizes() const override { return true; }
  void Normalize(const Attempt&, std::span<const NodeId>, std::span<std::int64_t> scores) override {
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
  // Whether some nodes do not take part, so that each must be asked.
  static bool IsNarrow(const Attempt& attempt, const std::vector<PlannedConstraint>& constraints) {
    const bool any_taints = std::any_of(constraints.begin(), constraints.end(),
                                        [](const PlannedConstraint& c) { return c.taints; });
    return any_taints || !attempt.spec.node_selector.empty() ||
           attempt.spec.node_affinity.required.has_value();
  }

  static bool TakesPart(const Attempt& attempt, const PlannedConstraint& c, NodeId node) {
    const Node& n = attempt.cluster.node(node).node;
    if (c.affinity && !MatchesRequiredNodeAffinity(attempt.spec, n, attempt.cluster.strings())) {
      return false;
    }
    return !c.taints || UntoleratedTaint(attempt.spec, n) == nullptr;
  }

  bool HasKeys(const std::vector<PlannedConstraint>& constraints, NodeId node) const {
    return std::all_of(constraints.begin(), constraints.end(), [&](const PlannedConstraint& c) {
      return groups_[c.group].topology->has[Index(node)] != 0;
    });
  }
  bool HasSoftKeys(NodeId node) const {
    return std::all_of(plan_->soft.begin(), plan_->soft.end(), [&](const PlannedConstraint& c) {
      return soft_groups_[c.group].topology->has[Index(node)] != 0;
    });
  }

  // Every node takes part in every constraint: the counts by value are at hand.
  static bool AllHaveKeys(const Attempt& attempt,
                          const std::vector<PlannedConstraint>& constraints) {
    return std::all_of(constraints.begin(), constraints.end(), [&](const PlannedConstraint& c) {
      return attempt.cluster.index().TopologyOf(c.key).nodes_with_key ==
             attempt.cluster.node_count();
    });
  }
  void CountEverywhere(PodIndex& index) {
    for (const PlannedConstraint& c : plan_->hard) {
      SpreadGroup& group = groups_[c.group];
      group.domains = group.topology->domains;
      group.present.assign(group.present.size(), 1);
      if (!c.counts) continue;
      const DomainCounts& counts = index.CountsBy(c.tally, c.key);
      for (std::size_t i = 0; i < counts.of.size(); ++i) group.counts[i] += counts.of[i];
    }
    for (std::size_t g = 0; g < plan_->hard_groups; ++g) groups_[g].FindLowest();
    all_pass_ = std::all_of(plan_->hard.begin(), plan_->hard.end(), [&](const auto& c) {
      const SpreadGroup& group = groups_[c.group];
      const auto most = std::max_element(group.counts.begin(), group.counts.end());
      return most != group.counts.end() && *most <= MostFor(c, group);
    });
  }
  // Where more pods are than that, none may be added.
  std::int64_t MostFor(const PlannedConstraint& c, const SpreadGroup& group) const {
    const std::int64_t lowest = minor_ >= 27 && group.domains < c.min_domains ? 0 : group.lowest;
    return c.max_skew + lowest - c.self;
  }

  // Until 1.25 the pods of every node count whose value takes part; from 1.26 only those of nodes
  // that take part themselves.
  void Count(const Attempt& attempt, const PlannedConstraint& c, bool narrow) {
    SpreadGroup& group = groups_[c.group];
    const auto& tally = attempt.cluster.index().Counts(c.tally);
    const bool everywhere = minor_ < 26;
    for (const NodeId node : attempt.cluster.order()) {
      const std::int32_t count = tally[Index(node)];
      if (count == 0) continue;
      const std::size_t domain = Index(group.topology->domain[Index(node)]);
      if (group.present[domain] == 0) continue;
      if (!everywhere &&
          (!HasKeys(plan_->hard, node) || (narrow && !TakesPart(attempt, c, node)))) {
        continue;
      }
      group.counts[domain] += count;
    }
  }

  void CountSoft(const Attempt& attempt) {
    const bool narrow = IsNarrow(attempt, plan_->soft);
    PodIndex& index = attempt.cluster.index();
    const bool everywhere = !narrow && AllHaveKeys(attempt, plan_->soft);
    for (const PlannedConstraint& c : plan_->soft) {
      if (c.key == hostname_ || !c.counts) continue;
      SpreadGroup& group = soft_groups_[c.group];
      if (everywhere) {
        const DomainCounts& counts = index.CountsBy(c.tally, c.key);
        for (std::size_t i = 0; i < counts.of.size(); ++i) {
          if (group.present[i] != 0) group.counts[i] += counts.of[i];
        }
        continue;
      }
      const auto& tally = index.Counts(c.tally);
      for (const NodeId node : attempt.cluster.order()) {
        const std::int32_t count = tally[Index(node)];
        if (count == 0) continue;
        const std::size_t domain = Index(group.topology->domain[Index(node)]);
        if (group.present[domain] == 0) continue;
        if (plan_->all_keys && !HasSoftKeys(node)) continue;
        if (narrow && !TakesPart(attempt, c, node)) continue;
        group.counts[domain] += count;
      }
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

}  // namespace

std::unique_ptr<Plugin> MakePodTopologySpread(const PluginContext& context) {
  return std::make_unique<PodTopologySpread>(context);
}

}  // namespace schedlens::sim::core
