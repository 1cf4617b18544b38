#include "sim/framework/algorithm.h"

#include <algorithm>

#include "sim/framework/attempt_detail.h"
#include "sim/framework/node_hints.h"

namespace schedlens::sim::core {

class Algorithm::Impl {
 public:
  Impl(const Cluster& cluster, const Configuration& configuration, std::size_t profile,
       const std::vector<OwnPlugin>& own_plugins)
      : cluster_(cluster),
        framework_(cluster, configuration, profile, own_plugins),
        percentage_(framework_.profile().percentage_of_nodes_to_score.value_or(
            configuration.percentage_of_nodes_to_score)),
        extended_(!configuration.extenders.empty()),
        hints_(framework_) {
    if (extended_) hints_.SignNothing();
  }

  void Schedule(PodId pod, Random& random, ExtenderCalls* extenders, ScheduleResult& result,
                const std::optional<double>& now_ms) {
    const Attempt attempt = framework_.MakeAttempt(pod);
    Reset(framework_, result);
    const bool hints = now_ms && attempt.minor >= 35;
    Run(attempt, random, extenders, result, hints ? now_ms : std::nullopt);
    if (!hints) return;
    if (result.node == kNone) {
      hints_.Failed();
    } else if (result.hint_taken) {
      hints_.HintTaken(result.node);
    } else {
      const auto kept = result.work.scored ? std::span<const std::int64_t>(totals_)
                                           : std::span<const std::int64_t>();
      hints_.Chosen(attempt, result.node, feasible_, kept, *now_ms);
    }
  }

  void Run(const Attempt& attempt, Random& random, ExtenderCalls* extenders, ScheduleResult& result,
           const std::optional<double>& now_ms) {
    const PodId pod = attempt.pod;
    pod_ = pod;
    if (cluster_.node_count() == 0) {
      result.outcome = Outcome::kNoNodes;
      return;
    }
    ForgetVerdicts();
    const Code code = framework_.PreFilter(attempt, subset_, result.rejecting_prefilter);
    NotePreFilter(framework_, result);
    if (code != Code::kSuccess) {
      result.prefilter_rejected = true;
      prefilter_ = result.rejecting_prefilter;
      for (const NodeId node : cluster_.order()) VerdictOn(node).code = code;
      return;
    }
    prefilter_ = kPassed;
    feasible_.clear();
    if (now_ms) result.hint = hints_.Offer(attempt, *now_ms, random);
    if (!TryHint(attempt, result) && !TryNominated(attempt, extenders, result)) {
      Search(attempt, result);
    }
    if (extenders != nullptr && !feasible_.empty() && !extenders->Filter(pod, feasible_)) {
      result.outcome = Outcome::kError;
      return;
    }
    result.feasible = static_cast<std::int32_t>(feasible_.size());
    CountCalls(result);
    if (feasible_.empty()) return;
    Choose(attempt, random, extenders, result);
  }

  void Preempt(PodId pod, Random& random, PreemptionResult& result) {
    const Attempt attempt = framework_.MakeAttempt(pod);
    result = PreemptionResult();
    const NodeId nominated = cluster_.pod(pod).nominated;
    const Code on_nominated =
        nominated == kNone ? Code::kSuccess : verdicts_[Index(nominated)].code;
    why_not_ = {};
    detail_ = PreemptionDetail();
    result.eligible = framework_.MayPreempt(attempt, on_nominated, why_not_);
    if (!result.eligible) return;
    potential_.clear();
    for (const NodeId node : cluster_.order()) {
      if (MayHelp(verdicts_[Index(node)])) potential_.push_back(node);
    }
    result.potential_nodes = static_cast<std::int32_t>(potential_.size());
    // The plugins were not all prepared when PreFilter refused: its rejection stands.
    if (prefilter_ != kPassed) return;
    framework_.DryRun(attempt, potential_, random, detail_);
    result.candidates = static_cast<std::int32_t>(detail_.candidates.size());
    result.filter_calls = framework_.dry_run_filter_calls();
    result.dry_run_nodes = framework_.dry_run_nodes();
    result.dry_run_pods = framework_.dry_run_pods();
    const std::int32_t best = framework_.PickCandidate(detail_.candidates);
    if (best == kNone) return;
    const Candidate& chosen = detail_.candidates[Index(best)];
    result.node = chosen.node;
    result.victims = chosen.victims;
    result.pdb_violations = chosen.pdb_violations;
    // From 1.33 nothing more is done for victims that are all going already.
    const bool all_going =
        attempt.minor >= 33 &&
        std::all_of(chosen.victims.begin(), chosen.victims.end(),
                    [&](PodId victim) { return cluster_.pod(victim).terminating; });
    for (const PodId other : cluster_.node(chosen.node).nominated) {
      if (all_going) break;
      if (other != pod && cluster_.SpecOf(other).priority < attempt.spec.priority) {
        result.clear_nominations.push_back(other);
      }
    }
  }

  Framework& framework() { return framework_; }
  NodeHints& hints() { return hints_; }
  const PreemptionDetail& preemption() const { return detail_; }
  std::string_view why_not() const { return why_not_; }

  void Explain(const ScheduleResult& result, AttemptDetail& out) {
    ExplainAttempt(framework_, framework_.MakeAttempt(pod_), Trail(), result, out);
    if (result.outcome != Outcome::kScheduled) out.message = FailureMessage();
  }

  std::string FailureMessage() {
    return core::FailureMessage(framework_, framework_.MakeAttempt(pod_), Trail());
  }

 private:
  static constexpr std::int32_t kPassed = -2;  // for prefilter_

  AttemptTrail Trail() const {
    return {prefilter_ == kPassed, prefilter_, subset_, verdicts_, seen_, feasible_, totals_};
  }
  static FilterVerdict Unseen() { return {Code::kSuccess, kNone, 0, false}; }

  // An attempt looks at few nodes of a large cluster: only what the last one wrote is taken back.
  void ForgetVerdicts() {
    for (const NodeId node : judged_) verdicts_[Index(node)] = Unseen();
    judged_.clear();
    seen_.clear();
    verdicts_.resize(Index(cluster_.node_limit()), Unseen());
    seen_.reserve(verdicts_.size() + 1);
  }
  // To be written: nodes that pass need none.
  FilterVerdict& VerdictOn(NodeId node) {
    seen_.push_back(node);
    judged_.push_back(node);
    return verdicts_[Index(node)];
  }

  bool TryHint(const Attempt& attempt, ScheduleResult& result) {
    if (result.hint == kNone) return false;
    ++result.work.filter_passes;
    VerdictOn(result.hint) = framework_.Filter(attempt, result.hint);
    const FilterVerdict& verdict = verdicts_[Index(result.hint)];
    if (verdict.code != Code::kSuccess) {
      result.rejecting_nominated = verdict.plugin;
      return false;
    }
    feasible_.push_back(result.hint);
    result.searched = result.evaluated = 1;
    return result.hint_taken = true;
  }

  // From 1.22 the nominated node is tried alone first. True if it ends the search.
  bool TryNominated(const Attempt& attempt, ExtenderCalls* extenders, ScheduleResult& result) {
    const NodeId node = cluster_.pod(attempt.pod).nominated;
    if (attempt.minor < 22 || node == kNone) return false;
    ++result.work.filter_passes;
    VerdictOn(node) = framework_.Filter(attempt, node);
    if (verdicts_[Index(node)].code != Code::kSuccess) {
      result.rejecting_nominated = verdicts_[Index(node)].plugin;
      return false;
    }
    feasible_.push_back(node);
    if (extenders != nullptr && (!extenders->Filter(attempt.pod, feasible_) || feasible_.empty())) {
      feasible_.clear();
      return false;
    }
    result.searched = result.evaluated = 1;
    result.nominated_node_shortcut = true;
    return true;
  }

  void Search(const Attempt& attempt, ScheduleResult& result) {
    ++result.work.filter_passes;
    const std::span<const NodeId> nodes =
        subset_.all ? cluster_.order() : std::span<const NodeId>(subset_.nodes);
    const std::size_t count = nodes.size();
    result.searched = static_cast<std::int32_t>(count);
    if (count == 0) return;
    std::int32_t limit = NumFeasibleNodesToFind(percentage_, static_cast<std::int32_t>(count));
    if (attempt.minor >= 30 && !extended_ && framework_.At(ExtensionPoint::kScore).empty())
      limit = 1;
    std::size_t at = next_start_ % count;
    std::size_t processed = 0;
    // As many nodes as are still looked for cannot be too many.
    while (processed < count && static_cast<std::int32_t>(feasible_.size()) < limit) {
      const std::size_t lacking = Index(limit) - feasible_.size();
      const std::size_t some = std::min({lacking, count - processed, count - at});
      FilterSome(attempt, nodes.subspan(at, some), result);
      processed += some;
      at = at + some == count ? 0 : at + some;
    }
    next_start_ = (next_start_ + processed) % count;
    result.evaluated = static_cast<std::int32_t>(processed);
  }

  void FilterSome(const Attempt& attempt, std::span<const NodeId> nodes, ScheduleResult& result) {
    some_.assign(nodes.begin(), nodes.end());
    rejected_.clear();
    framework_.FilterNodes(attempt, some_, rejected_);
    seen_.insert(seen_.end(), nodes.begin(), nodes.end());
    feasible_.insert(feasible_.end(), some_.begin(), some_.end());
    for (const auto& [node, verdict] : rejected_) {
      judged_.push_back(node);
      verdicts_[Index(node)] = verdict;
      ++result.rejected[Index(verdict.plugin)];
      result.unresolvable[Index(verdict.plugin)] += verdict.code == Code::kUnresolvable;
    }
  }

  void Choose(const Attempt& attempt, Random& random, ExtenderCalls* extenders,
              ScheduleResult& result) {
    result.outcome = Outcome::kScheduled;
    result.node = feasible_[0];
    result.tied = 1;
    if (feasible_.size() == 1) return;
    if (!framework_.Score(attempt, feasible_, totals_, nullptr, nullptr)) {
      result.outcome = Outcome::kError;
      result.node = kNone;
      return;
    }
    result.work.scored = true;
    const auto count = static_cast<std::int32_t>(feasible_.size());
    for (const std::int32_t i : framework_.scoring()) result.work.score_calls[Index(i)] = count;
    std::fill(result.work.prescore_ran.begin(), result.work.prescore_ran.end(), 1);
    if (extenders != nullptr) extenders->Prioritize(attempt.pod, feasible_, totals_);
    SelectHost(feasible_, totals_, random, result);
  }

  // Nodes a plugin's subset left out were never judged: until 1.28 preemption tries them.
  bool MayHelp(const FilterVerdict& verdict) const {
    if (verdict.code == Code::kUnschedulable) return true;
    return verdict.code == Code::kSuccess && framework_.minor() <= 28;
  }

  const Cluster& cluster_;
  Framework framework_;
  std::int32_t percentage_;
  bool extended_;
  NodeHints hints_;
  std::size_t next_start_ = 0;
  PodId pod_ = kNone;
  std::int32_t prefilter_ = kPassed;
  PreFilterNodes subset_;
  std::vector<FilterVerdict> verdicts_;  // by node; unseen where the last attempt did not look
  std::vector<NodeId> seen_, judged_, feasible_, potential_, some_;
  std::vector<std::pair<NodeId, FilterVerdict>> rejected_;
  std::vector<std::int64_t> totals_;
  PreemptionDetail detail_;
  std::string_view why_not_;
};

Algorithm::Algorithm(const Cluster& cluster, const Configuration& configuration,
                     std::size_t profile, std::vector<OwnPlugin> own_plugins)
    : impl_(std::make_unique<Impl>(cluster, configuration, profile, own_plugins)) {}
Algorithm::~Algorithm() = default;

void Algorithm::Schedule(PodId pod, Random& random, ExtenderCalls* extenders,
                         ScheduleResult& result, const std::optional<double>& now_ms) {
  impl_->Schedule(pod, random, extenders, result, now_ms);
}
NodeHints& Algorithm::hints() { return impl_->hints(); }
void Algorithm::Preempt(PodId pod, Random& random, PreemptionResult& result) {
  impl_->Preempt(pod, random, result);
}
std::string Algorithm::FailureMessage() const { return impl_->FailureMessage(); }
Framework& Algorithm::framework() { return impl_->framework(); }
void Algorithm::Explain(const ScheduleResult& result, AttemptDetail& out) {
  impl_->Explain(result, out);
}
const PreemptionDetail& Algorithm::preemption() const { return impl_->preemption(); }
std::string_view Algorithm::why_not_preempt() const { return impl_->why_not(); }
std::string_view Algorithm::NameOf(ExtensionPoint point, std::int32_t index) const {
  return impl_->framework().At(point)[Index(index)].name;
}

}  // namespace schedlens::sim::core
