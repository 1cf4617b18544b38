#include "scheduler/framework/algorithm.h"

#include <fmt/ranges.h>

#include "schedlens/sim.h"
#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::core {
namespace {

// What filters and scores look at: equal where both are of one kind for the scheduler. Who owns a
// pod, how important it is and where it is nominated is nobody's business here.
PodSpec Signature(PodSpec spec) {
  spec.controller.reset();
  spec.priority = 0;
  spec.never_preempts = false;
  return spec;
}

}  // namespace

Algorithm::Algorithm(const Cluster& cluster, const Configuration& configuration,
                     std::size_t profile, const std::vector<SchedulerPluginFactory>& own_plugins)
    : cluster_(cluster),
      framework_(cluster, configuration, profile, own_plugins),
      percentage_(framework_.profile().percentage_of_nodes_to_score.value_or(
          configuration.percentage_of_nodes_to_score)),
      extended_(!configuration.extenders.empty()),
      hints_(framework_, extended_) {}

void Algorithm::Schedule(PodId pod, Random& random, ExtenderCalls* extenders,
                         ScheduleResult& result, const std::optional<double>& now_ms) {
  const Attempt attempt = framework_.MakeAttempt(pod);
  ScheduleResult fresh;
  for (auto counts : {&ScheduleResult::rejected, &ScheduleResult::unresolvable}) {
    (fresh.*counts).swap(result.*counts);  // they keep their memory
    (fresh.*counts).assign(framework_.At(ExtensionPoint::kFilter).size(), 0);
  }
  result = std::move(fresh);
  const bool hints = now_ms && attempt.minor >= 35;
  Run(attempt, random, extenders, result, hints ? now_ms : std::nullopt);
  if (!hints) return;
  if (result.node == kNone) {
    hints_.Failed();
  } else if (result.hint_taken) {
    hints_.HintTaken(result.node);
  } else {
    const auto kept =
        result.scored ? std::span<const std::int64_t>(totals_) : std::span<const std::int64_t>();
    hints_.Chosen(attempt, result.node, feasible_, kept, std::move(raw_), *now_ms);
  }
}

void Algorithm::Run(const Attempt& attempt, Random& random, ExtenderCalls* extenders,
                    ScheduleResult& result, const std::optional<double>& now_ms) {
  pod_ = attempt.pod;
  prefilter_ = kNone;
  feasible_.clear();
  // An attempt looks at few nodes of a large cluster: only what the last one wrote is taken back.
  for (const NodeId node : judged_) verdicts_[Index(node)] = {};
  judged_.clear();
  seen_.clear();
  verdicts_.resize(Index(cluster_.node_limit()));
  seen_.reserve(verdicts_.size() + 1);
  if (cluster_.node_count() == 0) {
    result.outcome = Outcome::kNoNodes;
    return;
  }
  const Code code = framework_.PreFilter(attempt, subset_, result.rejecting_prefilter);
  if (code != Code::kSuccess) {
    prefilter_ = result.rejecting_prefilter;
    for (const NodeId node : cluster_.order()) VerdictOn(node).code = code;
    return;
  }
  if (now_ms) result.hint = hints_.Offer(attempt, *now_ms, random);
  result.hint_taken = result.hint != kNone && TryAlone(attempt, result.hint, result);
  if (!result.hint_taken && !TryNominated(attempt, extenders, result)) Search(attempt, result);
  if (extenders != nullptr && !feasible_.empty()) extenders->filter(feasible_);
  result.feasible = static_cast<std::int32_t>(feasible_.size());
  if (!feasible_.empty()) Choose(attempt, random, extenders, result);
}

// To be written: nodes that pass need none.
FilterVerdict& Algorithm::VerdictOn(NodeId node) {
  seen_.push_back(node);
  judged_.push_back(node);
  return verdicts_[Index(node)];
}

// Whether a node passes that is tried before the search.
bool Algorithm::TryAlone(const Attempt& attempt, NodeId node, ScheduleResult& result) {
  const FilterVerdict& verdict = VerdictOn(node) = framework_.Filter(attempt, node);
  if (verdict.code != Code::kSuccess) {
    result.rejecting_nominated = verdict.plugin;
    return false;
  }
  feasible_.push_back(node);
  result.searched = result.evaluated = 1;
  return true;
}

// From 1.22 the nominated node is tried alone first. True if it ends the search.
bool Algorithm::TryNominated(const Attempt& attempt, ExtenderCalls* extenders,
                             ScheduleResult& result) {
  const NodeId node = cluster_.pod(attempt.pod).nominated;
  if (attempt.minor < 22 || node == kNone || !TryAlone(attempt, node, result)) return false;
  if (extenders != nullptr) extenders->filter(feasible_);
  if (feasible_.empty()) {
    result.searched = result.evaluated = 0;
    return false;
  }
  return result.nominated_node_shortcut = true;
}

void Algorithm::Search(const Attempt& attempt, ScheduleResult& result) {
  const std::span<const NodeId> nodes =
      subset_.all ? cluster_.order() : std::span<const NodeId>(subset_.nodes);
  const std::size_t count = nodes.size();
  result.searched = static_cast<std::int32_t>(count);
  if (count == 0) return;
  std::int32_t limit = NumFeasibleNodesToFind(percentage_, static_cast<std::int32_t>(count));
  if (attempt.minor >= 30 && !extended_ && framework_.At(ExtensionPoint::kScore).empty()) limit = 1;
  std::size_t at = next_start_ % count, processed = 0;
  // As many nodes as are still looked for cannot be too many.
  while (processed < count && static_cast<std::int32_t>(feasible_.size()) < limit) {
    const std::size_t lacking = Index(limit) - feasible_.size();
    const std::size_t some = std::min({lacking, count - processed, count - at});
    const auto next = nodes.subspan(at, some);
    some_.assign(next.begin(), next.end());
    rejected_.clear();
    framework_.FilterNodes(attempt, some_, rejected_);
    seen_.insert(seen_.end(), next.begin(), next.end());
    feasible_.insert(feasible_.end(), some_.begin(), some_.end());
    for (const auto& [node, verdict] : rejected_) {
      judged_.push_back(node);
      verdicts_[Index(node)] = verdict;
      ++result.rejected[Index(verdict.plugin)];
      result.unresolvable[Index(verdict.plugin)] += verdict.code == Code::kUnresolvable;
    }
    processed += some;
    at = at + some == count ? 0 : at + some;
  }
  next_start_ = (next_start_ + processed) % count;
  result.evaluated = static_cast<std::int32_t>(processed);
}

void Algorithm::Choose(const Attempt& attempt, Random& random, ExtenderCalls* extenders,
                       ScheduleResult& result) {
  result.outcome = Outcome::kScheduled;
  result.node = feasible_[0];
  result.tied = 1;
  if (feasible_.size() == 1) return;
  raw_.clear();
  RawScores* raw = hints_.KeepsRaw(attempt) ? &raw_ : nullptr;
  if (!framework_.Score(attempt, feasible_, totals_, raw, nullptr)) {
    result.outcome = Outcome::kError;
    result.node = kNone;
    return;
  }
  result.scored = true;
  if (extenders != nullptr) extenders->prioritize(totals_);
  // The k-th of equals replaces the one kept with probability 1/k.
  std::int64_t top = totals_[0];
  for (std::size_t i = 1; i < feasible_.size(); ++i) {
    if (totals_[i] > top) {
      top = totals_[i];
      result.node = feasible_[i];
      result.tied = 1;
    } else if (totals_[i] == top) {
      ++result.tied;
      const bool taken = random.Below(static_cast<std::uint32_t>(result.tied)) == 0;
      if (taken) result.node = feasible_[i];
    }
  }
}

void Algorithm::Preempt(PodId pod, Random& random, PreemptionResult& result) {
  const Attempt attempt = framework_.MakeAttempt(pod);
  result = PreemptionResult();
  const NodeId nominated = cluster_.pod(pod).nominated;
  const Code on_nominated = nominated == kNone ? Code::kSuccess : verdicts_[Index(nominated)].code;
  why_not_ = {};
  detail_ = PreemptionDetail();
  result.eligible = framework_.MayPreempt(attempt, on_nominated, why_not_);
  if (!result.eligible) return;
  potential_.clear();
  // Nodes a plugin's subset left out were never judged: until 1.28 preemption tries them.
  for (const NodeId node : cluster_.order()) {
    const Code code = verdicts_[Index(node)].code;
    const bool unjudged = code == Code::kSuccess && attempt.minor <= 28;
    if (code == Code::kUnschedulable || unjudged) potential_.push_back(node);
  }
  result.potential_nodes = static_cast<std::int32_t>(potential_.size());
  // The plugins were not all prepared when PreFilter refused: its rejection stands.
  if (!passed()) return;
  framework_.DryRun(attempt, potential_, random, detail_);
  const std::int32_t best = framework_.PickCandidate(detail_.candidates);
  if (best == kNone) return;
  const Candidate& chosen = detail_.candidates[Index(best)];
  result.node = chosen.node;
  result.victims = chosen.victims;
  // From 1.33 nothing more is done for victims that are all going already.
  const bool all_going =
      attempt.minor >= 33 && std::ranges::all_of(chosen.victims, [&](PodId victim) {
        return cluster_.pod(victim).terminating;
      });
  for (const PodId other : cluster_.node(chosen.node).nominated) {
    if (all_going) break;
    if (other != pod && cluster_.SpecOf(other).priority < attempt.spec.priority) {
      result.clear_nominations.push_back(other);
    }
  }
}

std::string UnavailableMessage(std::int64_t nodes, const std::map<std::string, int>& reasons) {
  std::vector<std::string> texts;
  for (const auto& [reason, count] : reasons) texts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(texts);
  return RefusedMessage(nodes, texts);
}

std::string RefusedMessage(std::int64_t nodes, const std::vector<std::string>& reasons) {
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(reasons, ", "));
}

std::vector<RejectedNodes> Algorithm::Rejections(const Attempt& attempt,
                                                 const std::vector<NodeId>& seen) {
  std::vector<RejectedNodes> out;
  const auto add = [&](NodeId node, const RejectedNodes& like) {
    auto group = std::ranges::find_if(out, [&](const RejectedNodes& known) {
      return known.plugin == like.plugin && known.code == like.code &&
             known.reasons == like.reasons;
    });
    if (group == out.end()) group = out.insert(group, like);
    group->nodes.push_back(node);
  };
  std::vector<NodeId> fit = feasible_;
  std::ranges::sort(fit);
  for (const NodeId node : seen) {
    const FilterVerdict& verdict = verdicts_[Index(node)];
    RejectedNodes like{ExtensionPoint::kFilter, "", verdict.code, {}, {}};
    if (!passed()) {
      like.point = ExtensionPoint::kPreFilter;
      const auto& entry = framework_.At(like.point)[Index(prefilter_)];
      like.plugin = entry.name;
      like.reasons = entry.plugin->PreFilterReasons(attempt);
    } else if (verdict.code != Code::kSuccess) {
      like.plugin = NameOf(like.point, verdict.plugin);
      for (const Rejected& rejected : framework_.Explain(attempt, node, verdict, false)) {
        like.reasons = rejected.reasons;
      }
    } else if (std::ranges::binary_search(fit, node)) {
      continue;
    } else {
      like.plugin = "extender";
      like.code = Code::kUnschedulable;
      like.reasons = {"an extender's filter took it off"};
    }
    add(node, like);
  }
  std::ranges::stable_sort(
      out, [](const auto& a, const auto& b) { return a.nodes.size() > b.nodes.size(); });
  return out;
}

void Algorithm::ExplainScores(const Attempt& attempt, AttemptDetail& out) {
  std::vector<std::int64_t> own;
  std::vector<std::vector<std::int64_t>> norm;
  framework_.Score(attempt, feasible_, own, nullptr, &norm);
  const auto& plugins = framework_.At(ExtensionPoint::kScore);
  for (const std::int32_t i : framework_.scoring()) {
    out.score_plugins.push_back({plugins[Index(i)].name, plugins[Index(i)].weight});
  }
  for (std::size_t i = 0; i < feasible_.size(); ++i) {
    ScoredNode& node = out.scored.emplace_back();
    node.node = feasible_[i];
    node.total = totals_[i];
    node.extenders = totals_[i] - own[i];
    for (const auto& row : norm) node.scores.push_back(row[i]);
  }
  std::ranges::stable_sort(out.scored, [&](const auto& a, const auto& b) {
    if (a.total != b.total) return a.total > b.total;
    return a.node == out.node && b.node != out.node;
  });
}

void Algorithm::Explain(const ScheduleResult& result, AttemptDetail& out) {
  const Attempt attempt = framework_.MakeAttempt(pod_);
  out = AttemptDetail();
  out.node = result.node;
  out.nodes = cluster_.node_count();
  out.feasible = result.feasible;
  out.tied = result.tied;
  out.nominated_first = result.nominated_node_shortcut;
  std::vector<NodeId> seen = seen_;
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  out.rejected = Rejections(attempt, seen);
  if (!subset_.all && passed()) {
    out.outside = out.nodes - static_cast<std::int32_t>(subset_.nodes.size());
  }
  out.unseen = std::max(0, out.nodes - out.outside - static_cast<std::int32_t>(seen.size()));
  if (result.scored) ExplainScores(attempt, out);
  if (result.outcome != Outcome::kScheduled) out.message = FailureMessage();
}

std::string Algorithm::FailureMessage() {
  if (cluster_.node_count() == 0) return "no nodes available to schedule pods";
  const Attempt attempt = framework_.MakeAttempt(pod_);
  std::map<std::string, int> reasons;
  if (!passed()) {
    const auto& plugins = framework_.At(ExtensionPoint::kPreFilter);
    const auto refused = plugins[Index(prefilter_)].plugin->PreFilterReasons(attempt);
    if (attempt.minor >= 27) return RefusedMessage(cluster_.node_count(), refused);
    for (const std::string& reason : refused) reasons[reason] += cluster_.node_count();
  }
  const bool counts_left_out = attempt.minor >= 32 && !subset_.all && passed();
  for (const NodeId node : cluster_.order()) {
    const FilterVerdict& verdict = verdicts_[Index(node)];
    const bool unseen = verdict.plugin == kNone && verdict.code == Code::kSuccess;
    if (unseen && counts_left_out) ++reasons[framework_.LeftOutReason()];
    if (verdict.plugin == kNone) continue;
    for (const Rejected& r : framework_.Explain(attempt, node, verdict, false)) {
      for (const std::string& reason : r.reasons) ++reasons[reason];
    }
  }
  return UnavailableMessage(cluster_.node_count(), reasons);
}

bool NodeHints::Signs(const Attempt& attempt) const {
  const PodSpec& spec = attempt.spec;
  const PluginArgs& args = framework_.profile().args;
  const bool spreads =
      !spec.spread.empty() || args.system_default_constraints || !args.default_constraints.empty();
  return attempt.minor >= 35 && !signs_nothing_ && !spreads && !HasAffinity(spec);
}

std::vector<NodeId> NodeHints::Candidates(const Attempt& attempt) {
  // However old they are.
  if (left_.empty() || !WhyDropped(attempt, scored_ms_).empty()) return {};
  // Where the last node takes another, its new score may still be the best.
  if (framework_.Filter(attempt, last_).code == Code::kSuccess) {
    rescored_ = attempt.minor >= 37 && Rescore(attempt);
    if (!rescored_) return {};
  }
  const std::int64_t best = *std::ranges::max_element(totals_);
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    if (totals_[i] == best) out.push_back(left_[i]);
  }
  return out;
}

// The last node rejoins the others, which keep the plugins' own scores: what normalizes looks at
// all of them again.
bool NodeHints::Rescore(const Attempt& attempt) {
  std::vector<std::int64_t> total;
  RawScores raw;
  framework_.Score(attempt, std::span(&last_, 1), total, &raw, nullptr);
  const auto& scoring = framework_.scoring();
  if (scoring.size() != raw_.size()) return false;
  left_.push_back(last_);
  totals_.assign(left_.size(), 0);
  for (std::size_t k = 0; k < scoring.size(); ++k) {
    const auto& entry = framework_.At(ExtensionPoint::kScore)[Index(scoring[k])];
    raw_[k].push_back(raw[k].front());
    std::vector<std::int64_t> scores = raw_[k];
    entry.plugin->Normalize(attempt, left_, scores);
    for (std::size_t i = 0; i < left_.size(); ++i) totals_[i] += scores[i] * entry.weight;
  }
  return true;
}

void NodeHints::Remove(NodeId node) {
  const auto found = std::ranges::find(left_, node);
  if (found == left_.end()) return;
  const auto at = found - left_.begin();
  left_.erase(left_.begin() + at);
  totals_.erase(totals_.begin() + at);
  for (auto& row : raw_) row.erase(row.begin() + at);
}

void NodeHints::Drop(std::string_view reason) {
  left_.clear();
  flushes_.push_back(reason);
}

// Empty: they are still of use.
std::string_view NodeHints::WhyDropped(const Attempt& attempt, double now_ms) const {
  if (skipped_) return "pod_skipped";
  if (failed_) return "pod_failed";
  if (!Signs(attempt)) return "pod_not_batchable";
  if (Signature(spec_) != Signature(attempt.spec)) return "pod_incompatible";
  if (now_ms - scored_ms_ > kMaxAgeMs) return "expired";
  if (last_ == kNone || !attempt.cluster.node(last_).alive) return "node_missing";
  return "";
}

NodeId NodeHints::Offer(const Attempt& attempt, double now_ms, Random& random) {
  rescored_ = false;
  if (left_.empty()) return kNone;
  std::string_view why = WhyDropped(attempt, now_ms);
  std::vector<NodeId> best;
  if (why.empty()) {
    best = Candidates(attempt);
    if (best.empty()) why = "node_not_full";
  }
  if (!why.empty()) {
    Drop(why);
    return kNone;
  }
  const auto count = static_cast<std::uint32_t>(best.size());
  return best[count == 1 ? 0 : random.Below(count)];
}

void NodeHints::HintTaken(NodeId node) {
  last_ = node;
  failed_ = skipped_ = false;
  Remove(node);
  if (left_.empty()) Drop("empty_list");
}

void NodeHints::Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
                       std::span<const std::int64_t> totals, RawScores raw, double now_ms) {
  left_.clear();
  last_ = node;
  scored_ms_ = now_ms;
  failed_ = skipped_ = false;
  if (!Signs(attempt)) return Drop("pod_not_batchable");
  if (totals.size() < 2) return Drop("empty_list");
  spec_ = attempt.spec;
  left_.assign(nodes.begin(), nodes.end());
  totals_.assign(totals.begin(), totals.end());
  raw_ = std::move(raw);
  Remove(node);
}

}  // namespace schedlens::sim::core

namespace schedlens {

// Placing the pending pods of a cluster (include/schedlens/sim.h).
std::vector<PlacedPod> PlacePendingPods(std::string_view objects_json,
                                        std::string_view configuration_yaml,
                                        std::string_view kubernetes_version, std::uint64_t seed,
                                        const std::vector<SchedulerPluginFactory>& plugins) {
  using namespace sim::core;
  const sim::Release release = sim::Release::Parse(kubernetes_version);
  Cluster cluster(release, std::make_shared<Strings>());
  LoadObjects(objects_json, "objects", cluster);
  std::vector<std::string> names;
  for (const SchedulerPluginFactory& plugin : plugins) names.push_back(plugin.name);
  const Configuration configuration =
      configuration_yaml.empty()
          ? DefaultConfiguration(release)
          : ReadConfiguration(configuration_yaml, "configuration", release, names);
  std::vector<std::unique_ptr<Algorithm>> algorithms;
  for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
    algorithms.push_back(std::make_unique<Algorithm>(cluster, configuration, i, plugins));
  }

  std::vector<PodId> pending;
  for (PodId pod = 0; pod < cluster.pod_limit(); ++pod) {
    const auto& info = cluster.pod(pod);
    if (!info.alive || info.node != kNone || info.terminating) continue;
    if (cluster.SpecOf(pod).scheduling_gates == 0) pending.push_back(pod);
  }
  std::ranges::stable_sort(pending, [&](PodId a, PodId b) {
    return cluster.SpecOf(a).priority > cluster.SpecOf(b).priority;
  });
  sim::Random random(seed);
  std::vector<PlacedPod> out;
  ScheduleResult result;
  for (const PodId pod : pending) {
    const PodSpec& spec = cluster.SpecOf(pod);
    const std::string& scheduler = cluster.strings().Text(spec.scheduler_name);
    PlacedPod& placed = out.emplace_back();
    placed.pod = cluster.strings().Text(spec.namespace_name) + "/" + cluster.pod(pod).name;
    const auto profile =
        std::ranges::find(configuration.profiles, scheduler, &Profile::scheduler_name);
    if (profile == configuration.profiles.end()) {
      placed.message = fmt::format("no profile is named {}", scheduler);
      continue;
    }
    Algorithm& algorithm =
        *algorithms[static_cast<std::size_t>(profile - configuration.profiles.begin())];
    algorithm.Schedule(pod, random, nullptr, result);
    placed.feasible = result.feasible;
    if (result.outcome == Outcome::kScheduled) {
      placed.node = cluster.strings().Text(cluster.node(result.node).node.name);
      cluster.BindPod(pod, result.node);
    } else {
      placed.message = algorithm.FailureMessage();
    }
  }
  return out;
}

}  // namespace schedlens
