#include "scheduler/framework/framework.h"

#include "base/text.h"

namespace schedlens::sim::core {
namespace {

constexpr std::int64_t kNow = std::numeric_limits<std::int64_t>::max();

// By priority, highest first, and by start; a pod that has not started counts as started now.
std::pair<std::int64_t, std::int64_t> Importance(const Cluster& cluster, PodId pod) {
  const std::int64_t start = cluster.pod(pod).start_ms;
  return {-cluster.SpecOf(pod).priority, start == 0 ? kNow : start};
}

// Most important first. "Now" is asked for each time, so of two pods the one asked first is the
// earlier, whichever it is, and the outcome depends on the sort: Go sorts up to 12 by insertion.
void SortByImportance(const Cluster& cluster, std::vector<PodId>& pods) {
  constexpr std::size_t kInsertion = 12;
  if (pods.size() > kInsertion) {
    std::ranges::reverse(pods);
    std::ranges::stable_sort(pods, {}, [&](PodId pod) { return Importance(cluster, pod); });
    return;
  }
  const auto more_important = [&](PodId a, PodId b) {
    const auto of_a = Importance(cluster, a), of_b = Importance(cluster, b);
    return of_a < of_b || (of_a == of_b && of_a.second == kNow);
  };
  for (std::size_t i = 1; i < pods.size(); ++i) {
    for (std::size_t j = i; j > 0 && more_important(pods[j], pods[j - 1]); --j) {
      std::swap(pods[j], pods[j - 1]);
    }
  }
}

// Moves the victims whose eviction would violate a budget to the front, order kept; how many.
std::size_t SplitByBudget(const Cluster& cluster, std::vector<PodId>& victims) {
  const auto& budgets = cluster.budgets();
  std::vector<std::int64_t> allowed;
  for (const DisruptionBudget& budget : budgets) allowed.push_back(budget.disruptions_allowed);
  std::vector<PodId> violating, clean;
  for (const PodId pod : victims) {
    const PodSpec& spec = cluster.SpecOf(pod);
    bool violates = false;
    for (std::size_t i = 0; i < budgets.size() && !spec.labels.empty(); ++i) {
      const DisruptionBudget& budget = budgets[i];
      const bool empty = budget.selector.nothing || budget.selector.requirements.empty();
      if (budget.namespace_name != spec.namespace_name || empty ||
          !Matches(budget.selector, spec.labels)) {
        continue;
      }
      const Id name = cluster.strings().Find(cluster.pod(pod).name);
      const auto& done = budget.disrupted_pods;
      if (name != kNone && std::ranges::binary_search(done, name)) continue;
      violates |= --allowed[i] < 0;
    }
    (violates ? violating : clean).push_back(pod);
  }
  victims = violating;
  victims.insert(victims.end(), clean.begin(), clean.end());
  return violating.size();
}

// For plugins whose filter every pod without volumes passes, and that score nothing: what they cost
// is the cost model's. DynamicResources is one for pods without claims on devices; others are
// refused when they are read (kClaimsNotModelled).
class Passing : public Plugin {
 public:
  /// `scores`: it takes part in scoring, with 0 for every node.
  explicit Passing(bool scores) : scores_(scores) {}
  bool PassesAll(const Attempt&) const override { return true; }
  bool SkipsScore(const Attempt&) const override { return !scores_; }

 private:
  bool scores_;
};

}  // namespace

void NormalizeByMaximum(ScoreSpan scores, bool reverse) {
  std::int64_t highest = 0;
  for (const std::int64_t score : scores) highest = std::max(highest, score);
  for (std::int64_t& score : scores) {
    if (highest != 0) score = 100 * score / highest;
    if (reverse) score = 100 - (highest == 0 ? 0 : score);
  }
}

std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginContext& context) {
  for (const std::span<const PluginMaker> rows :
       {NodePlugins(), ResourcePlugins(), SpreadPlugins(), VolumePlugins()}) {
    const auto row = std::ranges::find(rows, name, &PluginMaker::name);
    if (row != rows.end()) return row->make(context);
  }
  if (PointsOf(name, context.minor) == 0) return nullptr;
  return std::make_unique<Passing>(name == "DynamicResources");
}

Framework::Framework(const Cluster& cluster, const Configuration& configuration,
                     std::size_t profile, const std::vector<SchedulerPluginFactory>& own_plugins)
    : cluster_(cluster),
      profile_(configuration.profiles.at(profile)),
      minor_(configuration.release.minor) {
  const PluginContext context{cluster_, profile_, minor_};
  const auto find = [&](const std::string& name) -> Plugin* {
    for (const auto& [known, plugin] : plugins_) {
      if (known == name) return plugin.get();
    }
    std::unique_ptr<Plugin> made;
    for (const SchedulerPluginFactory& own : own_plugins) {
      if (own.name != name) continue;
      Points points = 0;
      for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
        const auto& listed = profile_.At(point);
        const auto at = std::ranges::find(listed, name, &PluginRef::name);
        if (at != listed.end()) points |= Bit(point);
      }
      made = AdaptOwnPlugin(name, own.make(), points);
    }
    if (!made) made = MakePlugin(name, context);
    if (!made) {
      Raise(ErrorKind::kUsage, "profile `{}`: plugin `{}` does not exist in 1.{}",
            profile_.scheduler_name, name, minor_);
    }
    return plugins_.emplace_back(name, std::move(made)).second.get();
  };
  for (std::size_t i = 0; i < kExtensionPoints; ++i) {
    for (const PluginRef& ref : profile_.plugins[i]) {
      entries_[i].push_back({ref.name, ref.weight, find(ref.name)});
    }
  }
  for (const Entry& entry : At(ExtensionPoint::kFilter)) {
    const auto& listed = At(ExtensionPoint::kPreFilter);
    const bool known = std::ranges::find(listed, entry.plugin, &Entry::plugin) != listed.end();
    if (!known) stateful_.push_back(entry.plugin);
    skips_.push_back(known && minor_ >= 27);
  }
  skipped_.assign(skips_.size(), 0);
}

Code Framework::PreFilter(const Attempt& attempt, PreFilterNodes& nodes, std::int32_t& rejecting) {
  const auto& plugins = At(ExtensionPoint::kPreFilter);
  nodes = PreFilterNodes();
  rejecting = kNone;
  std::ranges::fill(skipped_, 0);
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    PreFilterNodes own;
    const Code code = plugins[i].plugin->PreFilter(attempt, own);
    if (code != Code::kSuccess) {
      rejecting = static_cast<std::int32_t>(i);
      nodes = PreFilterNodes();
      return code;
    }
    if (!own.all) nodes = std::move(own);
  }
  // A filter without its PreFilter still needs its state; its subset of nodes is not asked for.
  for (Plugin* plugin : stateful_) {
    PreFilterNodes unused;
    plugin->PreFilter(attempt, unused);
  }
  active_.clear();
  const auto& filters = At(ExtensionPoint::kFilter);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!filters[i].plugin->PassesAll(attempt)) {
      active_.push_back(static_cast<std::int32_t>(i));
    } else {
      skipped_[i] = skips_[i];
    }
  }
  return Code::kSuccess;
}

FilterVerdict Framework::RunFilters(const Attempt& attempt, const NodeInfo& info, Texts* why) {
  const auto& filters = At(ExtensionPoint::kFilter);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (skipped_[i] != 0) continue;
    const Code code = filters[i].plugin->Filter(attempt, info, why);
    if (code != Code::kSuccess) return {code, static_cast<std::int32_t>(i), 1, false};
  }
  return {};
}

bool Framework::CollectNominated(const Attempt& attempt, NodeId node) {
  nominated_.clear();
  for (const PodId pod : cluster_.node(node).nominated) {
    if (pod != attempt.pod && cluster_.SpecOf(pod).priority >= attempt.spec.priority) {
      nominated_.push_back(pod);
    }
  }
  return !nominated_.empty();
}

void Framework::Apply(const Attempt& attempt, PodId pod, NodeId node, int sign) {
  const auto& filters = At(ExtensionPoint::kFilter);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (skipped_[i] == 0) filters[i].plugin->ApplyPod(attempt, pod, node, sign);
  }
}

// Calls `use` with a copy of the node that has its nominated pods on it.
template <typename Use>
void Framework::WithNominated(const Attempt& attempt, const NodeInfo& info, const Use& use) {
  with_nominated_ = info;
  for (const PodId pod : nominated_) {
    CountPod(with_nominated_, cluster_, pod, 1);
    Apply(attempt, pod, info.id, 1);
  }
  use(with_nominated_);
  for (const PodId pod : nominated_) Apply(attempt, pod, info.id, -1);
}

FilterVerdict Framework::RunFiltersOnCopy(const Attempt& attempt, const NodeInfo& info,
                                          Texts* why) {
  FilterVerdict verdict;
  const bool nominated = CollectNominated(attempt, info.id);
  if (nominated) {
    WithNominated(attempt, info,
                  [&](const NodeInfo& copy) { verdict = RunFilters(attempt, copy, why); });
  }
  if (verdict.code == Code::kSuccess) {
    verdict = RunFilters(attempt, info, why);
    if (nominated && verdict.code != Code::kSuccess) verdict.failed_pass = 2;
  }
  verdict.nominated_pods = nominated;
  return verdict;
}

FilterVerdict Framework::Filter(const Attempt& attempt, NodeId node) {
  if (cluster_.hot(node).has_nominated) {
    return RunFiltersOnCopy(attempt, cluster_.node(node), nullptr);
  }
  const auto& filters = At(ExtensionPoint::kFilter);
  for (const std::int32_t i : active_) {
    const Code code = filters[static_cast<std::size_t>(i)].plugin->FilterNode(attempt, node);
    if (code != Code::kSuccess) return {code, i, 1, false};
  }
  return {};
}

void Framework::FilterNodes(const Attempt& attempt, std::vector<NodeId>& nodes,
                            std::vector<std::pair<NodeId, FilterVerdict>>& rejected) {
  const auto keep = [&](auto passes) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (passes(i)) nodes[kept++] = nodes[i];
    }
    nodes.resize(kept);
  };
  if (cluster_.nominated_pods() > 0) {
    keep([&](std::size_t i) {
      const FilterVerdict verdict = Filter(attempt, nodes[i]);
      if (verdict.code != Code::kSuccess) rejected.emplace_back(nodes[i], verdict);
      return verdict.code == Code::kSuccess;
    });
    return;
  }
  for (const std::int32_t number : active_) {
    codes_.assign(nodes.size(), Code::kSuccess);
    At(ExtensionPoint::kFilter)[Index(number)].plugin->FilterNodes(attempt, nodes, codes_);
    const bool all = std::ranges::all_of(codes_, [](Code code) { return code == Code::kSuccess; });
    if (all) continue;
    keep([&](std::size_t i) {
      if (codes_[i] == Code::kSuccess) return true;
      rejected.emplace_back(nodes[i], FilterVerdict{codes_[i], number, 1, false});
      return false;
    });
  }
}

std::vector<Rejected> Framework::Explain(const Attempt& attempt, NodeId node,
                                         const FilterVerdict& verdict, bool all) {
  std::vector<Rejected> out;
  if (verdict.code == Code::kSuccess) return out;
  const auto& filters = At(ExtensionPoint::kFilter);
  const auto ask = [&](const NodeInfo& info) {
    for (std::size_t i = Index(verdict.plugin); i < filters.size(); ++i) {
      if (skipped_[i] != 0 || (!all && !out.empty())) continue;
      Rejected rejected{static_cast<std::int32_t>(i), Code::kSuccess, {}};
      rejected.code = filters[i].plugin->Filter(attempt, info, &rejected.reasons);
      if (rejected.code != Code::kSuccess) out.push_back(std::move(rejected));
    }
  };
  if (verdict.nominated_pods && verdict.failed_pass == 1) {
    CollectNominated(attempt, node);
    WithNominated(attempt, cluster_.node(node), ask);
  } else {
    ask(cluster_.node(node));
  }
  return out;
}

bool Framework::Score(const Attempt& attempt, std::span<const NodeId> nodes,
                      std::vector<std::int64_t>& totals, RawScores* raw, RawScores* norm) {
  const auto& plugins = At(ExtensionPoint::kScore);
  scoring_.clear();
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    plugins[i].plugin->PreScore(attempt, nodes);
    if (minor_ >= 27 && plugins[i].plugin->SkipsScore(attempt)) continue;
    scoring_.push_back(static_cast<std::int32_t>(i));
  }
  totals.assign(nodes.size(), 0);
  bool in_range = true;
  std::int64_t for_all = 0;
  for (const std::int32_t number : scoring_) {
    const Entry& entry = plugins[Index(number)];
    const bool alike =
        raw == nullptr && norm == nullptr && !nodes.empty() && entry.plugin->ScoresAlike(attempt);
    const auto asked = alike ? nodes.first(1) : nodes;
    scores_.resize(asked.size());
    entry.plugin->Score(attempt, asked, scores_);
    if (raw != nullptr) raw->push_back(scores_);
    entry.plugin->Normalize(attempt, asked, scores_);
    if (norm != nullptr) norm->push_back(scores_);
    for (const std::int64_t score : scores_) in_range &= score >= 0 && score <= 100;
    const std::int64_t weight = entry.weight;
    if (alike) {
      for_all += scores_[0] * weight;
    } else {
      for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += scores_[i] * weight;
    }
  }
  for (std::int64_t& total : totals) total += for_all;
  return in_range;
}

PointAnswer Framework::RunOwn(ExtensionPoint point, PodId pod, NodeId node) {
  PointAnswer out;
  const Attempt attempt = MakeAttempt(pod);
  const NodeInfo* info = node == kNone ? nullptr : &cluster_.node(node);
  for (const auto& [name, plugin] : plugins_) {
    plugin->Run(point, attempt, info, out);
    if (out.refused) break;
  }
  for (const OwnTime& time : out.times) out.seconds += time.seconds;
  return out;
}

std::vector<OwnTime> Framework::TakeTimes(ExtensionPoint point) {
  std::vector<OwnTime> out;
  for (const auto& [name, plugin] : plugins_) plugin->TakeTime(point, out);
  return out;
}

bool Framework::MayHelp(PodId pod, PluginEvent event, std::string_view plugin) const {
  using Named = std::pair<std::string, std::unique_ptr<Plugin>>;
  const auto at = std::ranges::find(plugins_, plugin, &Named::first);
  return at == plugins_.end() || at->second->MayHelp(MakeAttempt(pod), event);
}

// DefaultPreemption: who may preempt, the dry run on each node, and the choice among candidates.

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

bool Framework::SelectVictims(const Attempt& attempt, NodeId node, Candidate& out, Texts& why_not,
                              std::int64_t& pods) {
  dry_ = cluster_.node(node);
  std::vector<PodId> potential;
  for (const PodId pod : dry_.pods) {
    if (cluster_.SpecOf(pod).priority < attempt.spec.priority) potential.push_back(pod);
  }
  pods += static_cast<std::int64_t>(potential.size());
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
  SortByImportance(cluster_, potential);
  const std::size_t violating = SplitByBudget(cluster_, potential);
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
    SortByImportance(cluster_, out.victims);
  }
  return true;
}

void Framework::DryRun(const Attempt& attempt, std::span<const NodeId> nodes, Random& random,
                       PreemptionDetail& detail) {
  detail = PreemptionDetail();
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
    Texts why_not;
    if (!SelectVictims(attempt, node, candidate, why_not, detail.pods)) {
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
  std::int64_t sum = 0;
  std::pair<std::int64_t, std::int64_t> most_important = {0, kNow};
  for (const PodId pod : candidate.victims) {
    const auto importance = Importance(cluster_, pod);
    sum += (std::int64_t{1} << 31) - importance.first;
    most_important =
        pod == candidate.victims[0] ? importance : std::min(most_important, importance);
  }
  const std::int64_t first =
      candidate.victims.empty() ? kLowest : cluster_.SpecOf(candidate.victims[0]).priority;
  return {candidate.pdb_violations, first, sum, candidate.victims.size(), -most_important.second};
}

std::int32_t Framework::PickCandidate(const std::vector<Candidate>& candidates) const {
  const auto best =
      std::ranges::min_element(candidates, {}, [&](const Candidate& c) { return RankOf(c); });
  return best == candidates.end() ? kNone : static_cast<std::int32_t>(best - candidates.begin());
}

}  // namespace schedlens::sim::core
