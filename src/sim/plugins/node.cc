// Plugins that look at the node alone: cordon, name, taints, host ports, avoidance.

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
  bool ScoresAlike(const Attempt& attempt) const override {
    return attempt.cluster.tainted_nodes() == 0;
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
std::unique_ptr<Plugin> MakeNodePorts(const PluginContext& context) {
  return std::make_unique<NodePorts>(context);
}
std::unique_ptr<Plugin> MakeNodePreferAvoidPods(const PluginContext& context) {
  return std::make_unique<NodePreferAvoidPods>(context);
}

}  // namespace schedlens::sim::core
