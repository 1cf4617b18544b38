// DefaultPreemption: who may preempt, the dry run on each node, and the choice among candidates.

#include <algorithm>
#include <limits>
#include <tuple>

#include "sim/framework/framework.h"

namespace schedlens::sim::core {

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
