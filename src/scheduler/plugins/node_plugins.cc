// Plugins that look at the node alone: cordon, name, taints, host ports, avoidance, labels, images.

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

class NodeUnschedulable : public Plugin {
 public:
  explicit NodeUnschedulable(const PluginContext& context)
      : key_(context.cluster.strings().Intern("node.kubernetes.io/unschedulable")) {}

  bool PassesAll(const Attempt& attempt) const override {
    return attempt.cluster.unschedulable_nodes() == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    if (!info.node.unschedulable) return Code::kSuccess;
    const Taint taint{key_, kEmptyText, Effect::kNoSchedule};
    if (Tolerates(attempt.spec.tolerations, taint)) return Code::kSuccess;
    return Reject(Code::kUnresolvable, why, "node(s) were unschedulable");
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    return attempt.cluster.hot(node).unschedulable ? Plugin::FilterNode(attempt, node)
                                                   : Code::kSuccess;
  }

 private:
  Id key_;
};

class NodeName : public Plugin {
 public:
  bool PassesAll(const Attempt& attempt) const override {
    return attempt.spec.node_name == kEmptyText;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const Id name = attempt.spec.node_name;
    if (name == kEmptyText || name == info.node.name) return Code::kSuccess;
    return Reject(Code::kUnresolvable, why,
                  attempt.minor >= 22 ? "node(s) didn't match the requested node name"
                                      : "node(s) didn't match the requested hostname");
  }
};

class TaintToleration : public Plugin {
 public:
  bool PassesAll(const Attempt& attempt) const override {
    return attempt.cluster.tainted_nodes() == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const Taint* taint = UntoleratedTaint(attempt.spec, info.node);
    if (taint == nullptr) return Code::kSuccess;
    if (why == nullptr || attempt.minor >= 34) {
      return Reject(Code::kUnresolvable, why, "node(s) had untolerated taint(s)");
    }
    const Strings& strings = attempt.cluster.strings();
    const std::string text =
        fmt::format("{{{}: {}}}", strings.Text(taint->key), strings.Text(taint->value));
    return Reject(Code::kUnresolvable, why,
                  attempt.minor >= 24
                      ? fmt::format("node(s) had untolerated taint {}", text)
                      : fmt::format("node(s) had taint {}, that the pod didn't tolerate", text));
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    return attempt.cluster.hot(node).has_taints ? Plugin::FilterNode(attempt, node)
                                                : Code::kSuccess;
  }

  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = attempt.cluster.hot(nodes[i]).has_taints
                      ? Intolerable(attempt.spec, attempt.cluster.node(nodes[i]).node)
                      : 0;
    }
  }
  bool ScoresAlike(const Attempt& attempt) const override {
    return attempt.cluster.tainted_nodes() == 0;
  }
  void Normalize(const Attempt&, NodeSpan, ScoreSpan scores) override {
    NormalizeByMaximum(scores, true);
  }

 private:
  // PreferNoSchedule taints that no toleration for that effect or for any tolerates.
  static std::int64_t Intolerable(const PodSpec& spec, const Node& node) {
    return std::ranges::count_if(node.taints, [&](const Taint& taint) {
      return taint.effect == Effect::kPreferNoSchedule && !Tolerates(spec.tolerations, taint);
    });
  }
};

class NodePorts : public Plugin {
 public:
  explicit NodePorts(const PluginContext& context)
      : any_(context.cluster.strings().Intern("0.0.0.0")) {}

  bool PassesAll(const Attempt& attempt) const override { return attempt.spec.host_ports.empty(); }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    for (const HostPort& port : attempt.spec.host_ports) {
      for (const HostPort& used : info.used_ports) {
        const bool same_ip = used.ip == port.ip || used.ip == any_ || port.ip == any_;
        if (same_ip && used.port == port.port && used.protocol == port.protocol) {
          return Reject(Code::kUnschedulable, why,
                        "node(s) didn't have free ports for the requested pod ports");
        }
      }
    }
    return Code::kSuccess;
  }

 private:
  Id any_;
};

class NodePreferAvoidPods : public Plugin {
 public:
  explicit NodePreferAvoidPods(const PluginContext& context)
      : replication_controller_(context.cluster.strings().Intern("ReplicationController")),
        replica_set_(context.cluster.strings().Intern("ReplicaSet")) {}

  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    std::ranges::fill(scores, 100);
    const auto& owner = attempt.spec.controller;
    if (!owner || (owner->kind != replication_controller_ && owner->kind != replica_set_)) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& avoids = attempt.cluster.node(nodes[i]).node.avoids;
      const bool avoided = std::ranges::any_of(avoids, [&](const Controller& c) {
        return c.kind == owner->kind && c.uid == owner->uid;
      });
      if (avoided) scores[i] = 0;
    }
  }

 private:
  Id replication_controller_, replica_set_;
};

// NodeAffinity: nodeSelector and node affinity, the pod's own and the configuration's.

class NodeAffinityPlugin : public Plugin {
 public:
  explicit NodeAffinityPlugin(const PluginContext& context)
      : name_field_(context.cluster.strings().Intern("metadata.name")) {
    Strings& strings = context.cluster.strings();
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
    std::ranges::sort(names);
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
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const Strings& strings = attempt.cluster.strings();
    if (!MatchesAny(added_required_, info.node.labels, info.node.name, strings)) {
      return Reject(Code::kUnresolvable, why,
                    "node(s) didn't match scheduler-enforced node affinity");
    }
    if (MatchesRequiredNodeAffinity(attempt.spec, info.node, strings)) return Code::kSuccess;
    return Reject(Code::kUnresolvable, why,
                  attempt.minor >= 22 ? "node(s) didn't match Pod's node affinity/selector"
                                      : "node(s) didn't match Pod's node affinity");
  }

  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    const auto& preferred = attempt.spec.node_affinity.preferred;
    std::ranges::fill(scores, 0);
    if (preferred.empty() && added_preferred_.empty()) return;
    const Strings& strings = attempt.cluster.strings();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = attempt.cluster.node(nodes[i]).node;
      scores[i] = WeightOf(added_preferred_, node, strings) + WeightOf(preferred, node, strings);
    }
  }
  bool SkipsScore(const Attempt& attempt) const override {
    return attempt.spec.node_affinity.preferred.empty() && added_preferred_.empty();
  }
  void Normalize(const Attempt&, NodeSpan, ScoreSpan scores) override {
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
      std::erase_if(*out, [&](Id name) { return !std::ranges::binary_search(field.values, name); });
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

  static NodeSelectorTerm Compile(const NodeSelectorTermText& text, Strings& strings) {
    NodeSelectorTerm out;
    const auto add = [&](const std::vector<RequirementText>& from, std::vector<Requirement>& to) {
      for (const RequirementText& r : from) {
        Requirement& requirement = to.emplace_back();
        requirement.key = strings.Intern(r.key);
        const auto op = OperatorOf(r.op);
        if (!op) out.invalid = true;
        requirement.op = op.value_or(Operator::kIn);
        for (const auto& value : r.values) requirement.values.push_back(strings.Intern(value));
        std::ranges::sort(requirement.values);
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

// ImageLocality: nodes that already have the pod's images, weighted by how widespread they are.

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMiB;
constexpr std::int64_t kMostPerContainer = 1000 * kMiB;

class ImageLocality : public Plugin {
 public:
  bool ScoresAlike(const Attempt& attempt) const override { return !attempt.cluster.has_images(); }
  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    const PodSpec& spec = attempt.spec;
    images_.clear();
    for (const Container& container : spec.containers) images_.push_back(container.image);
    if (attempt.minor >= 30) {
      for (const Container& container : spec.init_containers) images_.push_back(container.image);
    }
    const std::int64_t most = kMostPerContainer * static_cast<std::int64_t>(images_.size());
    // Volumes' images count in the sum, not in its upper bound.
    if (attempt.minor >= 36) {
      images_.insert(images_.end(), spec.image_volumes.begin(), spec.image_volumes.end());
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& there = attempt.cluster.node(nodes[i]).images;
      std::int64_t sum = 0;
      for (const Id image : images_) {
        if (!there.empty()) sum += PartOf(image, there, attempt.cluster.node_count());
      }
      sum = sum < kLeast ? kLeast : std::min(sum, most);
      scores[i] = most == kLeast ? 0 : 100 * (sum - kLeast) / (most - kLeast);
    }
  }

 private:
  // The image's size, less the fewer nodes have it.
  static std::int64_t PartOf(Id image, const std::vector<ImageState>& images, std::int32_t nodes) {
    const auto at =
        std::lower_bound(images.begin(), images.end(), image,
                         [](const ImageState& state, Id name) { return state.name < name; });
    if (at == images.end() || at->name != image) return 0;
    const double spread = static_cast<double>(at->nodes) / static_cast<double>(nodes);
    return static_cast<std::int64_t>(static_cast<double>(at->size_bytes) * spread);
  }

  std::vector<Id> images_;  // of the pod
};

constexpr PluginMaker kNodePlugins[] = {
    {"NodeUnschedulable", Make<NodeUnschedulable>},
    {"NodeName", Make<NodeName>},
    {"TaintToleration", Make<TaintToleration>},
    {"NodePorts", Make<NodePorts>},
    {"NodePreferAvoidPods", Make<NodePreferAvoidPods>},
    {"NodeAffinity", Make<NodeAffinityPlugin>},
    {"ImageLocality", Make<ImageLocality>},
};

}  // namespace

std::span<const PluginMaker> NodePlugins() { return kNodePlugins; }

}  // namespace schedlens::sim::core
