#include "sim/framework/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "sim/framework/attempt_detail.h"
#include "sim/framework/framework.h"
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

void Reset(const Framework& framework, ScheduleResult& result) {
  result.outcome = Outcome::kUnschedulable;
  result.node = kNone;
  result.searched = result.evaluated = result.feasible = result.tied = 0;
  result.top_score = 0;
  result.prefilter_rejected = result.nominated_node_shortcut = false;
  result.hint = kNone;
  result.hint_taken = false;
  result.rejecting_prefilter = result.rejecting_nominated = kNone;
  const auto size = [&](ExtensionPoint point) { return framework.At(point).size(); };
  result.rejected.assign(size(ExtensionPoint::kFilter), 0);
  result.unresolvable.assign(size(ExtensionPoint::kFilter), 0);
  result.work.filter_calls.assign(size(ExtensionPoint::kFilter), 0);
  result.work.score_calls.assign(size(ExtensionPoint::kScore), 0);
  result.work.prefilter_ran.assign(size(ExtensionPoint::kPreFilter), 0);
  result.work.prescore_ran.assign(size(ExtensionPoint::kPreScore), 0);
  result.work.filter_passes = 0;
  result.work.scored = false;
}

void NotePreFilter(const Framework& framework, ScheduleResult& result) {
  const auto& plugins = framework.At(ExtensionPoint::kPreFilter);
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (result.rejecting_prefilter >= 0 && i > Index(result.rejecting_prefilter)) break;
    result.work.prefilter_ran[i] = 1;
  }
}

void CountCalls(ScheduleResult& result) {
  std::int32_t left = result.evaluated;
  for (std::size_t i = 0; i < result.rejected.size(); ++i) {
    result.work.filter_calls[i] = left;
    left -= result.rejected[i];
  }
}

void SelectHost(std::span<const NodeId> nodes, std::span<const std::int64_t> totals, Random& random,
                ScheduleResult& result) {
  result.top_score = totals[0];
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (totals[i] > result.top_score) {
      result.top_score = totals[i];
      result.node = nodes[i];
      result.tied = 1;
    } else if (totals[i] == result.top_score) {
      ++result.tied;
      if (random.Below(static_cast<std::uint32_t>(result.tied)) == 0) result.node = nodes[i];
    }
  }
}

// The scheduler's sentence about a pod that found no node.

std::string UnavailableMessage(std::int64_t nodes, const std::map<std::string, int>& reasons) {
  std::vector<std::string> texts;
  for (const auto& [reason, count] : reasons) texts.push_back(fmt::format("{} {}", count, reason));
  std::sort(texts.begin(), texts.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(texts, ", "));
}

std::string RefusedMessage(std::int64_t nodes, const std::vector<std::string>& reasons) {
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(reasons, ", "));
}

// DefaultPreemption: who may preempt, the dry run on each node, and the choice among candidates.

bool Framework::PostFilterFails(std::int32_t rejecting) const {
  if (rejecting == kNone) return false;
  const auto& ran = At(ExtensionPoint::kPreFilter);
  const auto& points = At(ExtensionPoint::kPostFilter);
  return std::any_of(points.begin(), points.end(), [&](const Entry& entry) {
    if (!entry.plugin->post_filter_needs_prefilter()) return false;
    const auto last = ran.begin() + rejecting + 1;
    return std::none_of(ran.begin(), last,
                        [&](const Entry& e) { return e.plugin == entry.plugin; });
  });
}

bool Framework::MayPreempt(const Attempt& attempt, Code nominated,
                           std::string_view& why_not) const {
  if (attempt.spec.never_preempts) {
    why_not = "not eligible due to preemptionPolicy=Never.";
    return false;
  }
  const NodeId node = cluster_.pod(attempt.pod).nominated;
  // Whose nominated node cannot be made to fit any more may look for another.
  if (node == kNone || nominated == Code::kUnresolvable) return true;
  for (const PodId pod : cluster_.node(node).pods) {
    const Pod& there = cluster_.pod(pod);
    if (there.terminating && (there.preempted || minor_ < 27) &&
        cluster_.SpecOf(pod).priority < attempt.spec.priority) {
      why_not = "not eligible due to a terminating pod on the nominated node.";
      return false;
    }
  }
  return true;
}

std::int64_t Framework::StartOf(PodId pod) const {
  const std::int64_t start = cluster_.pod(pod).start_ms;
  return start == 0 ? std::numeric_limits<std::int64_t>::max() : start;
}

// A pod that has not started counts as started now, each time it is asked for: of two of them the
// one asked first is the earlier, whichever it is.
bool Framework::MoreImportant(PodId a, PodId b) const {
  const std::int64_t of_a = cluster_.SpecOf(a).priority;
  const std::int64_t of_b = cluster_.SpecOf(b).priority;
  if (of_a != of_b) return of_a > of_b;
  const bool both_now = cluster_.pod(a).start_ms == 0 && cluster_.pod(b).start_ms == 0;
  return both_now || StartOf(a) < StartOf(b);
}

// Most important first. "Now" does not order them, so the outcome depends on the sort: Go sorts up
// to 12 by insertion.
void Framework::SortByImportance(std::vector<PodId>& pods) const {
  constexpr std::size_t kInsertion = 12;
  if (pods.size() > kInsertion) {
    std::reverse(pods.begin(), pods.end());
    std::stable_sort(pods.begin(), pods.end(), [&](PodId a, PodId b) {
      const std::int64_t of_a = cluster_.SpecOf(a).priority;
      const std::int64_t of_b = cluster_.SpecOf(b).priority;
      return of_a != of_b ? of_a > of_b : StartOf(a) < StartOf(b);
    });
    return;
  }
  for (std::size_t i = 1; i < pods.size(); ++i) {
    for (std::size_t j = i; j > 0 && MoreImportant(pods[j], pods[j - 1]); --j) {
      std::swap(pods[j], pods[j - 1]);
    }
  }
}

// Moves the victims whose eviction would violate a budget to the front, order kept.
void Framework::SplitByBudget(std::vector<PodId>& victims, std::size_t& violating) const {
  const auto& budgets = cluster_.budgets();
  allowed_.clear();
  for (const DisruptionBudget& budget : budgets) allowed_.push_back(budget.disruptions_allowed);
  clean_.clear();
  violating = 0;
  for (const PodId pod : victims) {
    const PodSpec& spec = cluster_.SpecOf(pod);
    bool violates = false;
    for (std::size_t i = 0; i < budgets.size() && !spec.labels.empty(); ++i) {
      const DisruptionBudget& budget = budgets[i];
      const bool empty = budget.selector.nothing || budget.selector.requirements.empty();
      if (budget.namespace_name != spec.namespace_name || empty ||
          !Matches(budget.selector, spec.labels)) {
        continue;
      }
      const Id name = cluster_.strings().Find(cluster_.pod(pod).name);
      const auto& done = budget.disrupted_pods;
      if (name != kNone && std::binary_search(done.begin(), done.end(), name)) continue;
      violates |= --allowed_[i] < 0;
    }
    if (violates) {
      victims[violating++] = pod;
    } else {
      clean_.push_back(pod);
    }
  }
  std::copy(clean_.begin(), clean_.end(), victims.begin() + static_cast<std::ptrdiff_t>(violating));
}

bool Framework::SelectVictims(const Attempt& attempt, NodeId node, Candidate& out,
                              std::vector<std::string>& why_not) {
  dry_ = cluster_.node(node);
  std::vector<PodId> potential;
  for (const PodId pod : dry_.pods) {
    if (cluster_.SpecOf(pod).priority < attempt.spec.priority) potential.push_back(pod);
  }
  ++dry_run_nodes_;
  dry_run_pods_ += static_cast<std::int64_t>(potential.size());
  if (potential.empty()) {
    why_not = {"No preemption victims found for incoming pod"};
    return false;
  }
  const auto move = [&](PodId pod, int sign) {
    CountPod(dry_, cluster_, pod, sign);
    Apply(attempt, pod, node, sign);
  };
  for (const PodId pod : potential) move(pod, -1);
  const bool helps = RunFiltersOnCopy(attempt, dry_, &why_not).code == Code::kSuccess;
  if (!helps) {
    for (const PodId pod : potential) Apply(attempt, pod, node, 1);
    return false;
  }
  SortByImportance(potential);
  std::size_t violating = 0;
  SplitByBudget(potential, violating);
  out.node = node;
  out.pdb_violations = 0;
  out.victims.clear();
  for (std::size_t i = 0; i < potential.size(); ++i) {
    move(potential[i], 1);
    if (RunFiltersOnCopy(attempt, dry_, nullptr).code == Code::kSuccess) continue;
    move(potential[i], -1);
    out.victims.push_back(potential[i]);
    out.pdb_violations += i < violating;
  }
  for (const PodId pod : out.victims) Apply(attempt, pod, node, 1);
  if (minor_ >= 30 && violating > 0 && violating < potential.size()) {
    SortByImportance(out.victims);
  }
  return true;
}

void Framework::DryRun(const Attempt& attempt, std::span<const NodeId> nodes, Random& random,
                       PreemptionDetail& detail) {
  dry_run_filter_calls_ = dry_run_pods_ = 0;
  dry_run_nodes_ = 0;
  detail.candidates.clear();
  detail.failures.clear();
  if (nodes.empty()) return;
  const auto count = static_cast<std::int64_t>(nodes.size());
  const std::int64_t wanted =
      std::min(count, std::max(count * profile_.args.min_candidate_nodes_percentage / 100,
                               profile_.args.min_candidate_nodes_absolute));
  const auto offset = random.Below(static_cast<std::uint32_t>(count));
  bool clean = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const NodeId node = nodes[static_cast<std::size_t>((offset + i) % count)];
    Candidate candidate;
    std::vector<std::string> why_not;
    if (!SelectVictims(attempt, node, candidate, why_not)) {
      detail.failures.emplace_back(node, std::move(why_not));
      continue;
    }
    clean |= candidate.pdb_violations == 0;
    detail.candidates.push_back(std::move(candidate));
    if (clean && static_cast<std::int64_t>(detail.candidates.size()) >= wanted) break;
  }
}

Framework::Rank Framework::RankOf(const Candidate& candidate) const {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t sum = 0, top = kLowest, start = std::numeric_limits<std::int64_t>::max();
  for (const PodId pod : candidate.victims) {
    const std::int64_t priority = cluster_.SpecOf(pod).priority;
    sum += priority + (std::int64_t{1} << 31);
    if (priority > top) {
      top = priority;
      start = StartOf(pod);
    } else if (priority == top) {
      start = std::min(start, StartOf(pod));
    }
  }
  const std::int64_t first =
      candidate.victims.empty() ? kLowest : cluster_.SpecOf(candidate.victims[0]).priority;
  return {candidate.pdb_violations, first, sum, candidate.victims.size(), -start};
}

std::int32_t Framework::PickCandidate(const std::vector<Candidate>& candidates) const {
  std::int32_t best = kNone;
  Rank best_rank;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Rank rank = RankOf(candidates[i]);
    if (best == kNone || rank < best_rank) {
      best = static_cast<std::int32_t>(i);
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace schedlens::sim::core
