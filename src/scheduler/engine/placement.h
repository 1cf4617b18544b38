#pragma once

// Where pods go: the scheduling algorithm on the scenario's cluster, in the event loop's terms.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/cost/attempt_costs.h"
#include "scheduler/engine/pod_watch.h"
#include "scheduler/engine/scheduling_queue.h"
#include "scheduler/framework/algorithm.h"
#include "scheduler/framework/plugin_table.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

struct PlacementDecision {
  int node = -1;        ///< -1: no node fits
  int searched = 0;     ///< nodes that could have been looked at
  int evaluated = 0;    ///< nodes that went through the filters
  int passed = 0;       ///< nodes that passed the filters
  int feasible = 0;     ///< nodes that passed, the extenders' filter included
  bool enough = false;  ///< the search ended early: more nodes may pass
  bool error = false;
  std::string_view prefilter;      ///< the PreFilter plugin that refused the pod, "" if none
  bool prefilter_failed = false;   ///< PreFilter refused; no node was looked at
  bool hinted = false;             ///< the pod before left a node to try (from 1.35)
  bool hint_taken = false;         ///< and it fitted
  core::HintFlushes hint_flushes;  ///< why what such pods left was dropped
  bool alone_tried = false;        ///< the hinted or the nominated node was tried first, alone
  bool alone_taken = false;        ///< and it fitted: no other node was looked at
  std::string_view alone_out;      ///< the plugin that rejected it
  unsigned rejections = 0;         ///< bits of Rejection, when no node fits
  std::span<const PluginRejections> rejected;  ///< in the plugins' order; until the next Place
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
  /// `scenario` must outlive it. Throws Error(kUsage) for an invalid manifest or
  /// configuration.
  Placement(const Scenario& scenario, std::uint64_t seed);
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// One attempt at `now`, its own nomination first; places nothing.
  const PlacementDecision& Place(PodNumber pod, std::size_t pod_template, Nanos now = 0);
  /// Returns whether PreBind has volumes to write.
  bool Assume(PodNumber pod, std::size_t pod_template, int node);
  /// The informer shows it bound: its node has changed once more.
  void Confirmed(PodNumber pod);
  /// When its kubelet started it: decides which victims are the more important.
  void Started(PodNumber pod, std::int64_t start_ms) {
    if (pod < core_of_.size() && core_of_[pod] != core::kNone)
      cluster_.SetStart(core_of_[pod], start_ms);
  }
  /// It has a deletionTimestamp; its room stays taken until Remove.
  void Terminating(PodNumber pod) {
    if (pod < core_of_.size() && core_of_[pod] != core::kNone)
      cluster_.SetTerminating(core_of_[pod]);
  }
  /// Forgets a pod wherever it is, its nomination too; unknown pods are ignored.
  void Remove(PodNumber pod);
  /// A preempting pod's claim to a node; -1 withdraws it. Assume and Remove do too.
  void Nominate(PodNumber pod, std::size_t pod_template, int node) {
    cluster_.Nominate(Known(pod, pod_template), node);
  }
  /// DefaultPreemption for the pod whose Place just found no node.
  PreemptionPlan Preempt(PodNumber pod, std::size_t pod_template);
  /// All about the last Place, which was of a pod of that template.
  core::AttemptDetail Explain(std::size_t pod_template) const;
  /// All about the last Preempt.
  WatchedPreemption ExplainPreemption(std::size_t pod_template) const;
  /// Places pods of the manifest until one finds no node, and leaves them there. Extenders are not
  /// asked and nothing is preempted. Throws Error(kUsage) as ReadPodFile does, and for a
  /// schedulerName that no profile has.
  FitResult Fit(std::string_view manifest, const std::string& file);

  // Plugins from outside the tree.
  bool has_plugins() const { return !scenario_.plugins.empty(); }
  /// PreEnqueue, PostFilter, and from Reserve on; `node` is -1 where the point has none.
  core::PointAnswer RunPlugins(ExtensionPoint point, PodNumber pod, std::size_t pod_template,
                               int node);
  /// What their calls at the point took in the last Place, or Preempt after it.
  std::vector<core::OwnTime> TakeTimes(ExtensionPoint point) {
    return std::exchange(own_times_[kube::IndexOf(point)], {});
  }
  /// True if none but they refused the pod.
  bool OwnRefused(PodNumber pod) const;
  /// False if none but they refused the pod, and none of these expects anything of the event.
  bool MayHelp(PodEvent event, PodNumber pod, std::size_t pod_template);

  /// A further node of that group; returns its index.
  int AddNode(std::size_t group);
  /// Returns the pods that were on it. They are forgotten with the node.
  std::vector<PodNumber> DeleteNode(int node);

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
  cost::ClusterWork TakeSnapshot();
  /// What of a template's pods makes work, and for which plugins.
  const cost::PodShape& ShapeOf(std::size_t pod_template) const { return shapes_[pod_template]; }
  const cost::ProfilePlugins& PluginsOf(std::size_t pod_template) const {
    return plugins_[profile_of_[pod_template]];
  }
  /// Images on a node, on average.
  double ImagesPerNode() const;
  /// Whether a required affinity term of `waiting` selects pods of `assigned`.
  bool Attracts(std::size_t assigned, std::size_t waiting) const;
  /// No node over capacity; what tests check.
  bool WithinCapacity() const;

 private:
  class Extenders;
  void FindShapes();
  void Count(core::PodId pod, core::NodeId node, int sign);
  void Touch(core::NodeId node);
  core::PodId Known(PodNumber pod, std::size_t pod_template);
  void Judge(core::Algorithm& algorithm);
  void NoteRefusal(PodNumber pod);
  void KeepTimes(core::Algorithm& algorithm);

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
  std::vector<std::uint8_t> touched_;                         // by node, since the last snapshot
  std::vector<core::NodeId> changed_;                         // those nodes
  std::vector<int> numbers_;                                  // nodes made, by group
  std::vector<core::PodId> core_of_;                          // by pod; kNone if unknown
  std::vector<PodNumber> pod_of_;                             // by core pod
  std::unique_ptr<Extenders> extenders_;                      // null without any
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
