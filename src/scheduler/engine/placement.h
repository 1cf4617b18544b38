#pragma once

// Where pods go: the scheduling algorithm on the scenario's cluster, in the event loop's terms.

#include <fmt/ranges.h>

#include <unordered_set>

#include "scheduler/cluster/objects_json.h"
#include "scheduler/cost/attempt_costs.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::sim {

/// What one attempt found: `rejected` is in the plugins' order, and good until the next Place.
struct PlacementDecision : cost::SearchWork {
  int node = -1;  ///< -1: no node fits
  bool error = false;
  std::string_view prefilter;      ///< that refused the pod: no node was looked at; "" if none
  bool hinted = false;             ///< the pod before left a node to try (from 1.35)
  bool hint_taken = false;         ///< and it fitted
  bool hint_rescored = false;      ///< the node before was scored anew for it
  core::HintFlushes hint_flushes;  ///< why what such pods left was dropped
  bool alone_tried = false;        ///< the hinted or the nominated node was tried first, alone
  bool alone_taken = false;        ///< and it fitted: no other node was looked at
  std::string_view alone_out;      ///< the plugin that rejected it
  unsigned rejections = 0;         ///< bits of Rejection, when no node fits
};

struct PreemptionPlan {
  int node = -1;
  std::vector<PodNumber> victims;
  /// Less important pods nominated to `node`, which lose their nomination.
  std::vector<PodNumber> outranked;
  cost::PreemptionWork work;
};

/// The scheduler's picture of the cluster: nodes and the pods assumed or bound to them. Every
/// filter and score of the profiles is evaluated; with `placement: simple` the profiles are cut
/// down to node affinity and resources, and all feasible nodes are equal.
class Placement {
 public:
  /// `scenario` must outlive it. Throws Error(kUsage) for a bad manifest or configuration.
  Placement(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario),
        cluster_(scenario.release, scenario.objects ? scenario.objects->shared_strings()
                                                    : std::make_shared<core::Strings>()),
        configuration_(ConfigurationOf(scenario, scenario.simple_placement)),
        numbers_(scenario.nodes.size()),
        random_(seed, 17) {
    if (const core::Cluster* objects = scenario.objects.get(); objects != nullptr) {
      // In their order: none was removed, so that each keeps its id.
      for (core::NodeId id = 0; id < objects->node_limit(); ++id) {
        cluster_.AddNode(objects->node(id).node);
      }
      for (const auto& workload : objects->workloads()) cluster_.PutWorkload(workload);
      for (const auto& budget : objects->budgets()) cluster_.PutBudget(budget);
      for (const auto& [name, labels] : objects->namespaces()) cluster_.PutNamespace(name, labels);
      cluster_.volumes().TakeObjects(objects->volumes());
    }
    for (std::size_t group = 0; group < scenario.nodes.size(); ++group) {
      for (int i = 0; i < scenario.nodes[group].count; ++i) AddNode(group);
    }
    for (const PodTemplate& pod : scenario.templates) {
      const bool real = pod.object_spec != core::kNone;
      core::PodSpec spec =
          real ? scenario.objects->spec(pod.object_spec) : sim::SpecOf(pod, cluster_.strings());
      // A manifest's claim that is not there keeps its pods waiting.
      if (real) LeaveOutUnknownVolumes(cluster_.volumes().knows_claims(), spec);
      specs_.push_back(cluster_.AddSpec(std::move(spec)));
      features_.push_back(pod.features | sim::FeaturesOf(cluster_.spec(specs_.back())));
      const auto& profiles = configuration_.profiles;
      const auto profile = std::ranges::find(profiles, pod.profile, &core::Profile::scheduler_name);
      profile_of_.push_back(
          profile == profiles.end() ? 0 : static_cast<std::size_t>(profile - profiles.begin()));
    }
    for (std::size_t i = 0; i < configuration_.profiles.size(); ++i) {
      algorithms_.push_back(
          std::make_unique<core::Algorithm>(cluster_, configuration_, i, scenario.plugins));
    }
    FindShapes();
  }

  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// One attempt at `now`, its own nomination first; places nothing.
  const PlacementDecision& Place(PodNumber pod, std::size_t pod_template, Nanos now = 0) {
    const std::size_t profile = profile_of_[pod_template];
    core::Algorithm& algorithm = *algorithms_[profile];
    if (std::exchange(last_profile_, profile) != profile) algorithm.hints().Skipped();
    const core::PodId known = Known(pod, pod_template);
    const bool nominated = cluster_.pod(known).nominated != core::kNone;
    KeepTimes(algorithm);
    core::ExtenderCalls extenders = ExtendersOf(scenario_.templates[pod_template]);
    algorithm.Schedule(known, random_, scenario_.extenders.empty() ? nullptr : &extenders, result_,
                       ToSeconds(now) * 1000);
    KeepTimes(algorithm);
    decision_ = PlacementDecision();
    decision_.alone_tried = nominated && !result_.hint_taken &&
                            scenario_.release.prefers_nominated_node() &&
                            result_.rejecting_prefilter == core::kNone;
    Judge(algorithm);
    NoteRefusal(pod);
    return decision_;
  }

  /// Returns whether PreBind has volumes to write. They are bound at once: what the API server and
  /// controllers do meanwhile is PreBind's time.
  bool Assume(PodNumber pod, std::size_t pod_template, int node) {
    const core::PodId known = Known(pod, pod_template);
    const bool volumes = BindVolumes(cluster_, known, node);
    cluster_.BindPod(known, node);
    Count(known, node, 1);
    return volumes;
  }
  /// The informer shows it bound: its node has changed once more.
  void Confirmed(PodNumber pod) {
    const core::PodId known = IdOf(pod);
    const core::NodeId node = known == core::kNone ? core::kNone : cluster_.pod(known).node;
    if (node != core::kNone) changed_.insert(node);
  }
  /// When its kubelet started it: decides which victims are the more important.
  void Started(PodNumber pod, std::int64_t start_ms) {
    if (IdOf(pod) != core::kNone) cluster_.SetStart(IdOf(pod), start_ms);
  }
  /// It has a deletionTimestamp; its room stays taken until Remove.
  void Terminating(PodNumber pod) {
    if (IdOf(pod) != core::kNone) cluster_.SetTerminating(IdOf(pod));
  }
  /// Forgets a pod wherever it is, its nomination too; unknown pods are ignored.
  void Remove(PodNumber pod) {
    const core::PodId known = IdOf(pod);
    if (known == core::kNone) return;
    const core::NodeId node = cluster_.pod(known).node;
    if (node != core::kNone) {
      cluster_.UnbindPod(known);
      Count(known, node, -1);
    }
    cluster_.DeletePod(known);
    core_of_[pod] = core::kNone;
  }

  /// A preempting pod's claim to a node; -1 withdraws it. Assume and Remove do too.
  void Nominate(PodNumber pod, std::size_t pod_template, int node) {
    cluster_.Nominate(Known(pod, pod_template), node);
  }
  /// DefaultPreemption for the pod whose Place just found no node.
  PreemptionPlan Preempt(PodNumber pod, std::size_t pod_template) {
    core::Algorithm& algorithm = AlgorithmOf(pod_template);
    KeepTimes(algorithm);
    algorithm.Preempt(core_of_[pod], random_, preemption_);
    KeepTimes(algorithm);
    const core::PreemptionDetail& dry_run = algorithm.preemption();
    const int candidates = static_cast<int>(dry_run.candidates.size());
    return {preemption_.node,
            PodsOf(preemption_.victims),
            PodsOf(preemption_.clear_nominations),
            {cluster_.node_count(), candidates + static_cast<int>(dry_run.failures.size()),
             dry_run.pods, static_cast<std::int64_t>(cluster_.budgets().size()), candidates}};
  }

  /// All about the last Place, which was of a pod of that template.
  core::AttemptDetail Explain(std::size_t pod_template) const {
    core::AttemptDetail out;
    AlgorithmOf(pod_template).Explain(result_, out);
    return out;
  }
  /// All about the last Preempt.
  WatchedPreemption ExplainPreemption(std::size_t pod_template) const {
    const core::Algorithm& algorithm = AlgorithmOf(pod_template);
    WatchedPreemption out{std::string(algorithm.why_not_preempt()),
                          preemption_.potential_nodes,
                          preemption_.node,
                          {}};
    for (const core::Candidate& candidate : algorithm.preemption().candidates) {
      out.candidates.push_back(
          {candidate.node, PodsOf(candidate.victims), candidate.pdb_violations});
    }
    return out;
  }

  /// Places pods of the manifest until one finds no node, and leaves them there. Extenders are not
  /// asked and nothing is preempted. Throws Error(kUsage) as ReadPodFile does, and for a
  /// schedulerName that no profile has.
  FitResult Fit(std::string_view manifest, const std::string& file) {
    core::Strings& strings = cluster_.strings();
    core::PodObject object = core::ReadPodFile(manifest, file, strings);
    FitResult out;
    out.maker = object.maker;
    out.replicas = object.replicas;
    out.profile = strings.Text(object.spec.scheduler_name);
    out.pod = fmt::format("{}/{}", strings.Text(object.spec.namespace_name),
                          object.name.empty() ? "pod" : object.name);
    std::vector<std::string> profiles;
    for (const auto& profile : configuration_.profiles) profiles.push_back(profile.scheduler_name);
    const auto at = std::ranges::find(profiles, out.profile);
    if (at == profiles.end()) {
      Raise(ErrorKind::kUsage, "{}: no profile schedules pods of schedulerName `{}`; there is {}",
            file, out.profile, fmt::join(profiles, ", "));
    }
    core::Algorithm& algorithm = *algorithms_[static_cast<std::size_t>(at - profiles.begin())];
    const core::SpecId spec = cluster_.AddSpec(std::move(object.spec));
    std::vector<std::int64_t> counts(core::Index(cluster_.node_limit()));
    core::ScheduleResult result;
    while (out.count < FitResult::kMost) {
      const core::PodId pod = cluster_.CreatePod(fmt::format("fit-{}", out.count), spec);
      algorithm.Schedule(pod, random_, nullptr, result);
      if (result.node == core::kNone) {
        algorithm.Explain(result, out.next);
        cluster_.DeletePod(pod);
        break;
      }
      cluster_.BindPod(pod, result.node);
      ++counts[core::Index(result.node)];
      ++out.count;
    }
    out.next.nodes = cluster_.node_count();
    for (int node = 0; node < node_slots(); ++node) {
      out.nodes.push_back(NodeName(node));
      if (counts[core::Index(node)] > 0)
        out.by_node.emplace_back(NodeName(node), counts[core::Index(node)]);
    }
    std::ranges::stable_sort(out.by_node,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
  }

  // Plugins from outside the tree.
  bool has_plugins() const { return !scenario_.plugins.empty(); }
  /// Whether the profile of its pods has any of them at the point.
  bool HasPluginsAt(ExtensionPoint point, std::size_t pod_template) const {
    const auto& at = configuration_.profiles[profile_of_[pod_template]].At(point);
    return has_plugins() && std::ranges::any_of(at, [](const core::PluginRef& plugin) {
             return !core::IsInTree(plugin.name);
           });
  }
  /// PreEnqueue, PostFilter, and from Reserve on; `node` is -1 where the point has none.
  core::PointAnswer RunPlugins(ExtensionPoint point, PodNumber pod, std::size_t pod_template,
                               int node) {
    if (!has_plugins()) return {};
    core::PointAnswer out =
        AlgorithmOf(pod_template).framework().RunOwn(point, Known(pod, pod_template), node);
    if (out.refused) refused_by_[pod] = {out.plugin};
    return out;
  }

  /// What their calls at the point took in the last Place, or Preempt after it.
  std::vector<core::OwnTime> TakeTimes(ExtensionPoint point) {
    return std::exchange(own_times_[kube::IndexOf(point)], {});
  }
  /// True if none but they refused the pod.
  bool OwnRefused(PodNumber pod) const {
    const auto at = refused_by_.find(pod);
    if (at == refused_by_.end()) return false;
    const auto& own = scenario_.plugins;
    return std::ranges::all_of(at->second, [&](std::string_view plugin) {
      return std::ranges::any_of(own, [&](const auto& p) { return p.name == plugin; });
    });
  }

  /// False if none but they refused the pod, and none of these expects anything of the event.
  bool MayHelp(PodEvent event, PodNumber pod, std::size_t pod_template) {
    const auto own_event = core::PluginEventOf(event);
    if (!has_plugins() || !own_event || !OwnRefused(pod)) return true;
    const core::Framework& framework = AlgorithmOf(pod_template).framework();
    const auto& by = refused_by_.at(pod);
    const core::PodId known = Known(pod, pod_template);
    return std::ranges::any_of(
        by, [&](std::string_view plugin) { return framework.MayHelp(known, *own_event, plugin); });
  }

  /// A further node of that group; returns its index.
  int AddNode(std::size_t group) {
    work_.nodes_came_or_went = true;
    return cluster_.AddNode(NodeOf(scenario_.nodes[group], numbers_[group]++, cluster_.strings()));
  }
  /// Returns the pods that were on it. They are forgotten with the node.
  std::vector<PodNumber> DeleteNode(int node) {
    const std::vector<PodNumber> out = PodsOf(cluster_.node(node).pods);
    // Off the node first: the cluster keeps pods whose node is gone.
    for (const PodNumber pod : out) Remove(pod);
    cluster_.RemoveNode(node);
    work_.nodes_came_or_went = true;
    return out;
  }

  core::Cluster& cluster() { return cluster_; }
  const core::Cluster& cluster() const { return cluster_; }
  const core::PodSpec& SpecOf(std::size_t pod_template) const {
    return cluster_.spec(specs_[pod_template]);
  }
  int node_count() const { return cluster_.node_count(); }
  /// Every index ever given, deleted nodes included.
  int node_slots() const { return cluster_.node_limit(); }
  bool alive(int node) const { return cluster_.node(node).alive; }
  const std::string& NodeName(int node) const {
    return cluster_.strings().Text(cluster_.node(node).node.name);
  }
  /// Bits of Feature by template: which plugins have work for its pods.
  const std::vector<unsigned>& features() const { return features_; }
  /// What an attempt that takes its snapshot now finds in the cache.
  cost::ClusterWork TakeSnapshot() {
    work_.nodes = cluster_.node_count();
    work_.tainted_nodes = cluster_.tainted_nodes();
    work_.changed_nodes = static_cast<int>(changed_.size());
    const cost::ClusterWork out = work_;
    work_.nodes_came_or_went = work_.affinity_came_or_went = false;
    changed_.clear();
    return out;
  }

  /// What of a template's pods makes work, and for which plugins.
  const cost::PodShape& ShapeOf(std::size_t pod_template) const { return shapes_[pod_template]; }
  const cost::ProfilePlugins& PluginsOf(std::size_t pod_template) const {
    return plugins_[profile_of_[pod_template]];
  }
  /// Images on a node, on average.
  double ImagesPerNode() const {
    double images = 0;
    for (const core::NodeId node : cluster_.order()) {
      images += static_cast<double>(cluster_.node(node).node.images.size());
    }
    return cluster_.node_count() > 0 ? images / cluster_.node_count() : 0;
  }
  /// Whether a required affinity term of `waiting` selects pods of `assigned`.
  bool Attracts(std::size_t assigned, std::size_t waiting) const {
    const core::PodSpec& pod = SpecOf(assigned);
    const auto& terms = SpecOf(waiting).required_affinity;
    return std::ranges::any_of(terms, [&](const core::PodAffinityTerm& term) {
      return std::ranges::binary_search(term.namespaces, pod.namespace_name) &&
             Matches(term.selector, pod.labels);
    });
  }

  /// No node over capacity; what tests check.
  bool WithinCapacity() const {
    return std::ranges::all_of(cluster_.order(), [&](core::NodeId id) {
      const core::NodeInfo& info = cluster_.node(id);
      const core::Resources& have = info.node.allocatable;
      return info.requested.FitsIn(have) &&
             static_cast<std::int64_t>(info.pods.size()) <= have.pods;
    });
  }

 private:
  /// The extenders' answers about a template's pods: which nodes they take off, how they score the
  /// rest.
  core::ExtenderCalls ExtendersOf(const PodTemplate& pod) {
    return {[&pod, this](std::vector<core::NodeId>& nodes) {
              for (const Extender& extender : scenario_.extenders) {
                const bool asked = extender.filter && extender.rejects > 0;
                if (!asked || !extender.IsInterested(pod)) continue;
                std::erase_if(nodes,
                              [&](core::NodeId) { return random_.Chance(extender.rejects); });
              }
            },
            [&pod, this](std::span<std::int64_t> totals) {
              for (const Extender& extender : scenario_.extenders) {
                if (!extender.prioritize || !extender.IsInterested(pod)) continue;
                for (std::int64_t& total : totals)
                  total += 10 * extender.weight * random_.Below(11);
              }
            }};
  }

  // With `placement: simple` a pod costs what it costs with all plugins.
  void FindShapes() {
    const core::Configuration whole = ConfigurationOf(scenario_, false);
    for (const core::Profile& profile : whole.profiles) plugins_.emplace_back(profile);
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const core::Attempt attempt{cluster_, core::kNone, specs_[i], cluster_.spec(specs_[i]),
                                  scenario_.release.minor};
      shapes_.push_back(cost::ShapeOf(attempt, whole.profiles[profile_of_[i]]));
      const PodTemplate& pod = scenario_.templates[i];
      shapes_.back().bound_claims = pod.bound_claims;
      if (pod.claim && shapes_.back().late_claims == 0) shapes_.back().late_claims = 1;
    }
  }

  // A pod came to its node or left it; the cluster knows already.
  void Count(core::PodId pod, core::NodeId node, int sign) {
    const core::PodSpec& spec = cluster_.SpecOf(pod);
    work_.pods += sign;
    const bool preferred =
        !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
    if (!spec.required_anti_affinity.empty()) work_.with_anti_affinity += sign;
    if (!spec.required_affinity.empty()) work_.with_affinity += sign;
    if (preferred) work_.with_preferred += sign;
    const std::int32_t with = cluster_.node(node).pods_with_affinity;
    if (HasAffinity(spec) && with == (sign > 0 ? 1 : 0)) work_.affinity_came_or_went = true;
    changed_.insert(node);
  }
  core::Algorithm& AlgorithmOf(std::size_t pod_template) const {
    return *algorithms_[profile_of_[pod_template]];
  }
  // The core's pod; kNone for one that it does not know.
  core::PodId IdOf(PodNumber pod) const {
    return pod < core_of_.size() ? core_of_[pod] : core::kNone;
  }
  std::vector<PodNumber> PodsOf(const std::vector<core::PodId>& ids) const {
    std::vector<PodNumber> out;
    for (const core::PodId id : ids) out.push_back(pod_of_[core::Index(id)]);
    return out;
  }
  // The core's pod; one that it does not know yet is made.
  core::PodId Known(PodNumber pod, std::size_t pod_template) {
    if (pod >= core_of_.size()) core_of_.resize(pod + 1, core::kNone);
    core::PodId& known = core_of_[pod];
    if (known == core::kNone) {
      known = cluster_.CreatePod("", specs_[pod_template]);
      if (core::Index(known) >= pod_of_.size()) pod_of_.resize(core::Index(known) + 1);
      pod_of_[core::Index(known)] = pod;
    }
    return known;
  }

  // The result in the event loop's terms.
  void Judge(core::Algorithm& algorithm) {
    PlacementDecision& out = decision_;
    out.error = result_.outcome == core::Outcome::kError;
    out.node = result_.node;
    out.evaluated = result_.evaluated;
    out.searched = result_.searched;
    out.feasible = result_.feasible;
    out.passed = result_.evaluated;
    for (const std::int32_t rejected : result_.rejected) out.passed -= rejected;
    out.enough = result_.evaluated < result_.searched;
    out.hinted = result_.hint != core::kNone;
    out.hint_taken = result_.hint_taken;
    out.hint_rescored = algorithm.hints().rescored();
    out.hint_flushes = algorithm.hints().TakeFlushes();
    out.alone_tried |= out.hinted;
    out.alone_taken = result_.nominated_node_shortcut || result_.hint_taken;
    if (result_.rejecting_nominated != core::kNone) {
      out.alone_out = algorithm.NameOf(ExtensionPoint::kFilter, result_.rejecting_nominated);
    }
    if (result_.rejecting_prefilter != core::kNone) {
      out.prefilter = algorithm.NameOf(ExtensionPoint::kPreFilter, result_.rejecting_prefilter);
      out.rejections = RejectionOf(out.prefilter);
    }
    rejected_.clear();
    for (std::size_t i = 0; i < result_.rejected.size(); ++i) {
      if (result_.rejected[i] == 0) continue;
      const auto plugin = static_cast<std::int32_t>(i);
      rejected_.push_back({algorithm.NameOf(ExtensionPoint::kFilter, plugin),
                           result_.rejected[i] - result_.unresolvable[i], result_.unresolvable[i]});
      if (out.node < 0) out.rejections |= RejectionOf(rejected_.back().plugin);
    }
    out.rejected = rejected_;
  }

  void NoteRefusal(PodNumber pod) {
    if (!has_plugins()) return;
    std::vector<std::string_view> by;
    if (!decision_.prefilter.empty()) by.push_back(decision_.prefilter);
    for (const PluginRejections& rejected : rejected_) by.push_back(rejected.plugin);
    if (decision_.node >= 0 || by.empty()) {
      refused_by_.erase(pod);
    } else {
      refused_by_[pod] = std::move(by);
    }
  }

  // Once before a call too: what an explanation asked for is nobody's time.
  void KeepTimes(core::Algorithm& algorithm) {
    if (!has_plugins()) return;
    for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
      own_times_[kube::IndexOf(point)] = algorithm.framework().TakeTimes(point);
    }
  }

  const Scenario& scenario_;
  core::Cluster cluster_;
  core::Configuration configuration_;
  std::vector<std::unique_ptr<core::Algorithm>> algorithms_;  // by profile
  std::vector<std::size_t> profile_of_;                       // by template
  std::vector<core::SpecId> specs_;                           // by template
  std::vector<unsigned> features_;                            // by template
  std::vector<cost::PodShape> shapes_;                        // by template
  std::vector<cost::ProfilePlugins> plugins_;                 // by profile, not cut down
  cost::ClusterWork work_;                                    // since the last snapshot
  std::unordered_set<core::NodeId> changed_;                  // since the last snapshot
  std::vector<int> numbers_;                                  // nodes made, by group
  std::vector<core::PodId> core_of_;                          // by pod; kNone if unknown
  std::vector<PodNumber> pod_of_;                             // by core pod
  Random random_;
  core::ScheduleResult result_;
  core::PreemptionResult preemption_;
  std::size_t last_profile_ = 0;
  PlacementDecision decision_;
  std::vector<PluginRejections> rejected_;
  std::unordered_map<PodNumber, std::vector<std::string_view>> refused_by_;  // with own plugins
  std::array<std::vector<core::OwnTime>, core::kExtensionPoints> own_times_;
};

}  // namespace schedlens::sim
