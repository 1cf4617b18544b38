// NodeAffinity: nodeSelector and node affinity, the pod's own and the configuration's.

#include <algorithm>

#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

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
  bool SkipsScore(const Attempt& attempt) const override {
    return attempt.spec.node_affinity.preferred.empty() && added_preferred_.empty();
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

}  // namespace

std::unique_ptr<Plugin> MakeNodeAffinity(const PluginContext& context) {
  return std::make_unique<NodeAffinityPlugin>(context);
}

}  // namespace schedlens::sim::core
