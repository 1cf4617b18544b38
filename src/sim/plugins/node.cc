// Plugins that look at the node alone: cordon, name, taints, node affinity, host ports, avoidance.

#include <fmt/format.h>

#include <algorithm>

#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

class NodeUnschedulable : public Plugin {
 public:
  explicit NodeUnschedulable(const PluginContext& context)
      : key_(context.cluster.shared_strings()->Intern("node.kubernetes.io/unschedulable")) {}

  bool PassesAll(const Attempt& attempt) const override {
    return attempt.cluster.unschedulable_nodes() == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    if (!info.node.unschedulable) return Code::kSuccess;
    const Taint taint{key_, kEmptyText, Effect::kNoSchedule};
    const auto& tolerations = attempt.spec.tolerations;
    const bool tolerated = std::any_of(tolerations.begin(), tolerations.end(),
                                       [&](const auto& t) { return Tolerates(t, taint); });
    return tolerated ? Code::kSuccess : Code::kUnresolvable;
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    return attempt.cluster.hot(node).unschedulable ? Filter(attempt, attempt.cluster.node(node))
                                                   : Code::kSuccess;
  }
  Texts Reasons(const Attempt&, const NodeInfo&) const override {
    return {"node(s) were unschedulable"};
  }

 private:
  Id key_;
};

class NodeName : public Plugin {
 public:
  bool PassesAll(const Attempt& attempt) const override {
    return attempt.spec.node_name == kEmptyText;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    const Id name = attempt.spec.node_name;
    return name == kEmptyText || name == info.node.name ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo&) const override {
    return {attempt.minor >= 22 ? "node(s) didn't match the requested node name"
                                : "node(s) didn't match the requested hostname"};
  }
};

class TaintToleration : public Plugin {
 public:
  bool PassesAll(const Attempt& attempt) const override {
    return attempt.cluster.tainted_nodes() == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    return UntoleratedTaint(attempt.spec, info.node) == nullptr ? Code::kSuccess
                                                                : Code::kUnresolvable;
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    return attempt.cluster.hot(node).has_taints ? Filter(attempt, attempt.cluster.node(node))
                                                : Code::kSuccess;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    if (attempt.minor >= 34) return {"node(s) had untolerated taint(s)"};
    const Taint* taint = UntoleratedTaint(attempt.spec, info.node);
    if (taint == nullptr) return {};
    const Strings& strings = attempt.cluster.strings();
    const std::string text =
        fmt::format("{{{}: {}}}", strings.Text(taint->key), strings.Text(taint->value));
    return {attempt.minor >= 24
                ? fmt::format("node(s) had untolerated taint {}", text)
                : fmt::format("node(s) had taint {}, that the pod didn't tolerate", text)};
  }

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = attempt.cluster.hot(nodes[i]).has_taints
                      ? Intolerable(attempt.spec, attempt.cluster.node(nodes[i]).node)
                      : 0;
    }
  }
  bool normalizes() const override { return true; }
  void Normalize(const Attempt&, std::span<const NodeId>, std::span<std::int64_t> scores) override {
    NormalizeByMaximum(scores, true);
  }

 private:
  // PreferNoSchedule taints that no toleration for that effect or for any tolerates.
  static std::int64_t Intolerable(const PodSpec& spec, const Node& node) {
    return std::count_if(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
      return taint.effect == Effect::kPreferNoSchedule &&
             std::none_of(spec.tolerations.begin(), spec.tolerations.end(),
                          [&](const Toleration& t) { return Tolerates(t, taint); });
    });
  }
};

class NodeAffinityPlugin : public Plugin {
 public:
  explicit NodeAffinityPlugin(const PluginContext& context)
      : name_field_(context.cluster.shared_strings()->Intern("metadata.name")) {
    Strings& strings = *context.cluster.shared_strings();
    const AddedAffinity& added = context.profile.args.added_affinity;
    if (added.required) {
      added_required_.emplace();
      for (const auto& term : *added.required) added_required_->push_back(Compile(term, strings));
    }
    for (const auto& [weight, term] : added.preferred) {
      added_preferred_.push_back({Compile(term, strings), weight});
    }
  }

  Code PreFilter(const Attempt& attempt, PreFilterNodes& out) override {
    const auto& required = attempt.spec.node_affinity.required;
    if (attempt.minor < 24 || !required || required->empty()) return Code::kSuccess;
    std::vector<Id> names;
    for (const NodeSelectorTerm& term : *required) {
      const auto of_term = NamesOf(term);
      if (!of_term) return Code::kSuccess;
      names.insert(names.end(), of_term->begin(), of_term->end());
    }
    if (names.empty()) return Code::kUnresolvable;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    out.all = false;
    for (const Id name : names) {
      const NodeId node = attempt.cluster.FindNode(name);
      if (node != kNone) out.nodes.push_back(node);
    }
    return Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {"pod affinity terms conflict"}; }

  bool PassesAll(const Attempt& attempt) const override {
    return !added_required_ && attempt.spec.node_selector.empty() &&
           !attempt.spec.node_affinity.required;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    const bool fits =
        PassesAdded(attempt, info.node) &&
        MatchesRequiredNodeAffinity(attempt.spec, info.node, attempt.cluster.strings());
    return fits ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    if (!PassesAdded(attempt, info.node)) {
      return {"node(s) didn't match scheduler-enforced node affinity"};
    }
    return {attempt.minor >= 22 ? "node(s) didn't match Pod's node affinity/selector"
                                : "node(s) didn't match Pod's node affinity"};
  }

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    const auto& preferred = attempt.spec.node_affinity.preferred;
    std::fill(scores.begin(), scores.end(), 0);
    if (preferred.empty() && added_preferred_.empty()) return;
    const Strings& strings = attempt.cluster.strings();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = attempt.cluster.node(nodes[i]).node;
      scores[i] = WeightOf(added_preferred_, node, strings) + WeightOf(preferred, node, strings);
    }
  }
  bool normalizes() const override { return true; }
  void Normalize(const Attempt&, std::span<const NodeId>, std::span<std::int64_t> scores) override {
    NormalizeByMaximum(scores, false);
  }

 private:
  // The node names a term is limited to; nothing if it is not.
  std::optional<std::vector<Id>> NamesOf(const NodeSelectorTerm& term) const {
    std::optional<std::vector<Id>> out;
    for (const Requirement& field : term.fields) {
      if (field.key != name_field_ || field.op != Operator::kIn) continue;
      if (!out) {
        out = field.values;
        continue;
      }
      std::erase_if(*out, [&](Id name) {
        return !std::binary_search(field.values.begin(), field.values.end(), name);
      });
    }
    return out;
  }

  static std::int64_t WeightOf(const std::vector<PreferredTerm>& terms, const Node& node,
                               const Strings& strings) {
    std::int64_t sum = 0;
    for (const PreferredTerm& term : terms) {
      if (Matches(term.term, node.labels, node.name, strings)) sum += term.weight;
    }
    return sum;
  }

  bool PassesAdded(const Attempt& attempt, const Node& node) const {
    return !added_required_ ||
           std::any_of(added_required_->begin(), added_required_->end(), [&](const auto& term) {
             return Matches(term, node.labels, node.name, attempt.cluster.strings());
           });
  }

  static NodeSelectorTerm Compile(const NodeSelectorTermText& text, Strings& strings) {
    NodeSelectorTerm out;
    const auto add = [&](const std::vector<RequirementText>& from, std::vector<Requirement>& to) {
      for (const RequirementText& r : from) {
        Requirement& requirement = to.emplace_back();
        requirement.key = strings.Intern(r.key);
        constexpr std::string_view kOperators[] = {"In",           "NotIn", "Exists",
                                                   "DoesNotExist", "Gt",    "Lt"};
        const auto* op = std::find(std::begin(kOperators), std::end(kOperators), r.op);
        if (op == std::end(kOperators)) out.invalid = true;
        if (op != std::end(kOperators)) {
          requirement.op = static_cast<Operator>(op - std::begin(kOperators));
        }
        for (const auto& value : r.values) requirement.values.push_back(strings.Intern(value));
        std::sort(requirement.values.begin(), requirement.values.end());
      }
    };
    add(text.expressions, out.expressions);
    add(text.fields, out.fields);
    return out;
  }

  Id name_field_;
  std::optional<std::vector<NodeSelectorTerm>> added_required_;
  std::vector<PreferredTerm> added_preferred_;
};

class NodePorts : public Plugin {
 public:
  explicit NodePorts(const PluginContext& context)
      : any_(context.cluster.shared_strings()->Intern("0.0.0.0")) {}

  bool PassesAll(const Attempt& attempt) const override { return attempt.spec.host_ports.empty(); }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    for (const HostPort& port : attempt.spec.host_ports) {
      for (const HostPort& used : info.used_ports) {
        const bool same_ip = used.ip == port.ip || used.ip == any_ || port.ip == any_;
        if (same_ip && used.port == port.port && used.protocol == port.protocol) {
          return Code::kUnschedulable;
        }
      }
    }
    return Code::kSuccess;
  }
  Texts Reasons(const Attempt&, const NodeInfo&) const override {
    return {"node(s) didn't have free ports for the requested pod ports"};
  }

 private:
  Id any_;
};

class NodePreferAvoidPods : public Plugin {
 public:
  explicit NodePreferAvoidPods(const PluginContext& context)
      : replication_controller_(context.cluster.shared_strings()->Intern("ReplicationController")),
        replica_set_(context.cluster.shared_strings()->Intern("ReplicaSet")) {}

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    std::fill(scores.begin(), scores.end(), 100);
    const auto& owner = attempt.spec.controller;
    if (!owner || (owner->kind != replication_controller_ && owner->kind != replica_set_)) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& avoids = attempt.cluster.node(nodes[i]).node.avoids;
      const bool avoided = std::any_of(avoids.begin(), avoids.end(), [&](const Controller& c) {
        return c.kind == owner->kind && c.uid == owner->uid;
      });
      if (avoided) scores[i] = 0;
    }
  }

 private:
  Id replication_controller_, replica_set_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeUnschedulable(const PluginContext& context) {
  return std::make_unique<NodeUnschedulable>(context);
}
std::unique_ptr<Plugin> MakeNodeName(const PluginContext&) { return std::make_unique<NodeName>(); }
std::unique_ptr<Plugin> MakeTaintToleration(const PluginContext&) {
  return std::make_unique<TaintToleration>();
}
std::unique_ptr<Plugin> MakeNodeAffinity(const PluginContext& context) {
  return std::make_unique<NodeAffinityPlugin>(context);
}
std::unique_ptr<Plugin> MakeNodePorts(const PluginContext& context) {
  return std::make_unique<NodePorts>(context);
}
std::unique_ptr<Plugin> MakeNodePreferAvoidPods(const PluginContext& context) {
  return std::make_unique<NodePreferAvoidPods>(context);
}

}  // namespace schedlens::sim::core
