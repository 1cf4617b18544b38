// Plugins that look at the node: cordon, name, taints, host ports, avoidance, labels, images; and
// InterPodAffinity, which looks at the pods there.

#include <limits>

#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/topology_sums.h"

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
    // PreferNoSchedule taints that no toleration for that effect or for any tolerates.
    const auto intolerable = [&](const Taint& taint) {
      return taint.effect == Effect::kPreferNoSchedule &&
             !Tolerates(attempt.spec.tolerations, taint);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = 0;
      if (!attempt.cluster.hot(nodes[i]).has_taints) continue;
      scores[i] = std::ranges::count_if(attempt.cluster.node(nodes[i]).node.taints, intolerable);
    }
  }
  bool ScoresAlike(const Attempt& attempt) const override {
    return attempt.cluster.tainted_nodes() == 0;
  }
  void Normalize(const Attempt&, NodeSpan, ScoreSpan scores) override {
    NormalizeByMaximum(scores, true);
  }
};

class NodePorts : public Plugin {
 public:
  bool PassesAll(const Attempt& attempt) const override { return attempt.spec.host_ports.empty(); }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    if (!Collide(attempt.spec.host_ports, info.used_ports)) return Code::kSuccess;
    return Reject(Code::kUnschedulable, why,
                  "node(s) didn't have free ports for the requested pod ports");
  }
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
    const std::string& added = context.profile.args.added_affinity;
    if (!added.empty()) added_ = ReadNodeAffinity(added, context.cluster.strings());
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
    return !added_.required && attempt.spec.node_selector.empty() &&
           !attempt.spec.node_affinity.required;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const Strings& strings = attempt.cluster.strings();
    if (!MatchesAny(added_.required, info.node.labels, info.node.name, strings)) {
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
    if (preferred.empty() && added_.preferred.empty()) return;
    const Strings& strings = attempt.cluster.strings();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = attempt.cluster.node(nodes[i]).node;
      scores[i] = WeightOf(added_.preferred, node, strings) + WeightOf(preferred, node, strings);
    }
  }
  bool SkipsScore(const Attempt& attempt) const override {
    return attempt.spec.node_affinity.preferred.empty() && added_.preferred.empty();
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

  Id name_field_;
  NodeAffinity added_;
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
    std::size_t counted = images_.size();
    // In 1.36 volumes' images count in the sum, not in its upper bound.
    if (attempt.minor >= 36) {
      images_.insert(images_.end(), spec.image_volumes.begin(), spec.image_volumes.end());
    }
    if (attempt.minor >= 37) counted = images_.size();
    const std::int64_t most = kMostPerContainer * static_cast<std::int64_t>(counted);
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
    const auto at = std::ranges::lower_bound(images, image, {}, &ImageState::name);
    if (at == images.end() || at->name != image) return 0;
    const double spread = static_cast<double>(at->nodes) / static_cast<double>(nodes);
    return static_cast<std::int64_t>(static_cast<double>(at->size_bytes) * spread);
  }

  std::vector<Id> images_;  // of the pod
};

// InterPodAffinity: required affinity and anti-affinity of the pod and of the pods that are there,
// and preferences of both as a score.

struct TalliedTerm {
  const PodAffinityTerm* term = nullptr;
  int tally = 0;
  std::int64_t weight = 1;
};

// What is worked out once for all attempts of a spec.
struct Plan {
  bool ready = false;
  int affinity_tally = 0;  // pods that match all required affinity terms
  bool self = false;       // the pod matches all of its own
  std::vector<TalliedTerm> anti, preferred;
};

class InterPodAffinity : public Plugin {
 public:
  explicit InterPodAffinity(const PluginContext& context)
      : hard_weight_(context.profile.args.hard_pod_affinity_weight),
        ignores_preferred_(context.profile.args.ignore_preferred_terms_of_existing_pods &&
                           context.minor >= 27),
        minor_(context.minor) {}

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    const Plan& plan = PlanOf(attempt);
    PodIndex& index = attempt.cluster.index();
    affinity_.Clear();
    anti_.Clear();
    existing_.Clear();
    for (const PodAffinityTerm& term : attempt.spec.required_affinity) {
      Add(index, {&term, plan.affinity_tally, 1}, affinity_);
    }
    for (const TalliedTerm& term : plan.anti) Add(index, term, anti_);
    for (std::size_t i = 0; i < index.carriers().size(); ++i) {
      const PodSpec& there = attempt.cluster.spec(index.carriers()[i].spec);
      for (const PodAffinityTerm& term : there.required_anti_affinity) {
        if (!Matches(term, attempt.spec, attempt.cluster)) continue;
        const Id key = term.topology_key;
        existing_.For(key, index).Add(index.CarrierBy(i, key), 1);
      }
    }
    affinity_nowhere_ = affinity_.AllZero();
    return Code::kSuccess;
  }

  bool PassesAll(const Attempt& attempt) const override {
    return existing_.AllZero() && anti_.AllZero() &&
           affinity_.AllPositive(attempt.cluster.node_count());
  }

  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const auto rejected = [&](Code code, std::string_view reason) {
      if (minor_ <= 21) Reject(code, why, "node(s) didn't match pod affinity/anti-affinity");
      return Reject(code, why, reason);
    };
    const NodeId node = info.id;
    bool all = true, has_keys = true;
    for (const PodAffinityTerm& term : attempt.spec.required_affinity) {
      const TopologySums* sums = affinity_.Find(term.topology_key);
      // The first pod of a group that wants its own kind needs the keys, but no pod yet.
      has_keys = has_keys && sums->Has(node);
      all = all && has_keys && sums->At(node) > 0;
    }
    if (!has_keys || (!all && !(affinity_nowhere_ && plan_->self))) {
      return rejected(Code::kUnresolvable, "node(s) didn't match pod affinity rules");
    }
    if (anti_.AnyAt(node)) {
      return rejected(Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules");
    }
    if (existing_.AnyAt(node)) {
      return rejected(Code::kUnschedulable,
                      "node(s) didn't satisfy existing pods anti-affinity rules");
    }
    return Code::kSuccess;
  }

  void ApplyPod(const Attempt& attempt, PodId pod, NodeId node, int sign) override {
    const Plan& plan = PlanOf(attempt);
    PodIndex& index = attempt.cluster.index();
    const SpecId there_id = attempt.cluster.pod(pod).spec;
    const PodSpec& there = attempt.cluster.spec(there_id);
    const auto add = [&](SumsByKey& to, const PodAffinityTerm& term) {
      TopologySums& sums = to.For(term.topology_key, index);
      if (sums.Has(node)) sums.At(node) += sign;
    };
    for (const PodAffinityTerm& term : there.required_anti_affinity) {
      if (Matches(term, attempt.spec, attempt.cluster)) add(existing_, term);
    }
    if (!attempt.spec.required_affinity.empty() &&
        index.TallyMatches(plan.affinity_tally, there_id)) {
      for (const PodAffinityTerm& term : attempt.spec.required_affinity) add(affinity_, term);
      affinity_nowhere_ = affinity_.AllZero();
    }
    for (const TalliedTerm& term : plan.anti) {
      if (index.TallyMatches(term.tally, there_id)) add(anti_, *term.term);
    }
  }

  void PreScore(const Attempt& attempt, NodeSpan nodes) override {
    const Plan& plan = PlanOf(attempt);
    PodIndex& index = attempt.cluster.index();
    scores_.Clear(nodes.size());
    for (const TalliedTerm& term : plan.preferred) {
      scores_.Add(index.CountsBy(term.tally, term.term->topology_key), term.weight, index);
    }
    if (plan.preferred.empty() && ignores_preferred_) return;
    for (std::size_t i = 0; i < index.carriers().size(); ++i) {
      const PodSpec& there = attempt.cluster.spec(index.carriers()[i].spec);
      if (hard_weight_ > 0) {
        for (const auto& term : there.required_affinity) {
          ScoreCarrier(attempt, i, term, hard_weight_);
        }
      }
      for (const auto& t : there.preferred_affinity) ScoreCarrier(attempt, i, t.term, t.weight);
      for (const auto& t : there.preferred_anti_affinity) {
        ScoreCarrier(attempt, i, t.term, -t.weight);
      }
    }
  }

  // No term of either side means any pod.
  bool SkipsScore(const Attempt&) const override { return !scores_.any(); }
  void Score(const Attempt&, NodeSpan nodes, ScoreSpan scores) override {
    scores_.At(nodes, scores);
  }

  // Until 1.24 zero always belongs to the range.
  void Normalize(const Attempt&, NodeSpan, ScoreSpan scores) override {
    std::int64_t lowest = minor_ >= 25 ? std::numeric_limits<std::int64_t>::max() : 0;
    std::int64_t highest = minor_ >= 25 ? std::numeric_limits<std::int64_t>::min() : 0;
    for (const std::int64_t score : scores) {
      lowest = std::min(lowest, score);
      highest = std::max(highest, score);
    }
    const std::int64_t range = scores.empty() ? 0 : highest - lowest;
    for (std::int64_t& score : scores) {
      score = range <= 0 ? 0
                         : static_cast<std::int64_t>(100.0 * (static_cast<double>(score - lowest) /
                                                              static_cast<double>(range)));
    }
  }

 private:
  static void Add(PodIndex& index, const TalliedTerm& term, SumsByKey& to) {
    const Id key = term.term->topology_key;
    to.For(key, index).Add(index.CountsBy(term.tally, key), term.weight);
  }

  void ScoreCarrier(const Attempt& attempt, std::size_t carrier, const PodAffinityTerm& term,
                    std::int64_t weight) {
    if (!Matches(term, attempt.spec, attempt.cluster)) return;
    PodIndex& index = attempt.cluster.index();
    scores_.Add(index.CarrierBy(carrier, term.topology_key), weight, index);
  }

  const Plan& PlanOf(const Attempt& attempt) {
    if (plans_.size() <= Index(attempt.spec_id)) {
      plans_.resize(Index(std::max(attempt.cluster.spec_limit(), attempt.spec_id + 1)));
    }
    Plan& plan = plans_[Index(attempt.spec_id)];
    plan_ = &plan;
    if (plan.ready) return plan;
    plan.ready = true;
    PodIndex& index = attempt.cluster.index();
    const PodSpec& spec = attempt.spec;
    if (!spec.required_affinity.empty()) {
      plan.affinity_tally = index.Tally(spec.required_affinity, true);
      plan.self = index.TallyMatches(plan.affinity_tally, attempt.spec_id);
    }
    for (const auto& term : spec.required_anti_affinity) {
      plan.anti.push_back({&term, index.Tally({term}, true), 1});
    }
    for (const auto& t : spec.preferred_affinity) {
      plan.preferred.push_back({&t.term, index.Tally({t.term}, true), t.weight});
    }
    for (const auto& t : spec.preferred_anti_affinity) {
      plan.preferred.push_back({&t.term, index.Tally({t.term}, true), -t.weight});
    }
    return plan;
  }

  std::int64_t hard_weight_;
  bool ignores_preferred_;
  int minor_;
  std::vector<Plan> plans_;
  const Plan* plan_ = nullptr;
  // PreFilter's: pods that the pod's own terms mean, and pods with terms that mean the pod.
  SumsByKey affinity_, anti_, existing_;
  bool affinity_nowhere_ = true;
  TopologyScores scores_;
};

constexpr PluginMaker kNodePlugins[] = {
    {"NodeUnschedulable", Make<NodeUnschedulable>},
    {"NodeName", Make<NodeName>},
    {"TaintToleration", Make<TaintToleration>},
    {"NodePorts", Make<NodePorts>},
    {"NodePreferAvoidPods", Make<NodePreferAvoidPods>},
    {"NodeAffinity", Make<NodeAffinityPlugin>},
    {"ImageLocality", Make<ImageLocality>},
    {"InterPodAffinity", Make<InterPodAffinity>},
};

}  // namespace

std::span<const PluginMaker> NodePlugins() { return kNodePlugins; }

}  // namespace schedlens::sim::core
