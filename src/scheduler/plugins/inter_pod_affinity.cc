// InterPodAffinity: required affinity and anti-affinity of the pod and of the pods that are there,
// and preferences of both as a score.

#include <algorithm>
#include <limits>

#include "scheduler/cluster/cluster.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/topology_sums.h"

namespace schedlens::sim::core {
namespace {

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

constexpr PluginMaker kAffinityPlugins[] = {
    {"InterPodAffinity", Make<InterPodAffinity>},
};

}  // namespace

std::span<const PluginMaker> AffinityPlugins() { return kAffinityPlugins; }

}  // namespace schedlens::sim::core
