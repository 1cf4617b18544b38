#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_H_

// What a plugin of the reference scheduler is: state for one attempt, verdicts, scores.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster/cluster.h"
#include "sim/framework/configuration.h"
#include "sim/framework/own_points.h"

namespace schedlens::sim::core {

enum class Code : std::uint8_t {
  kSuccess,
  kUnschedulable,  ///< preemption may help
  kUnresolvable,   ///< UnschedulableAndUnresolvable: it cannot
  kError,
};
std::string_view CodeText(Code code);

/// One pod's scheduling attempt.
struct Attempt {
  const Cluster& cluster;
  PodId pod;
  SpecId spec_id;
  const PodSpec& spec;
  int minor;  ///< release
};

/// A filter plugin's subset of nodes worth a look (from 1.24).
struct PreFilterNodes {
  bool all = true;
  std::vector<NodeId> nodes;
};

/// The methods run in the order of the scheduling cycle, always for the attempt that PreFilter (or,
/// for plugins without one, the first call) saw. Nothing here allocates once its buffers have
/// grown, except the Reasons.
class Plugin {
 public:
  virtual ~Plugin() = default;

  virtual Code PreFilter(const Attempt&, PreFilterNodes&) { return Code::kSuccess; }
  virtual std::vector<std::string> PreFilterReasons(const Attempt&) const { return {}; }

  /// True if, as PreFilter found, every node passes: Filter need not be asked.
  virtual bool PassesAll(const Attempt&) const { return false; }
  /// A dry run's node is a changed copy; its id tells which node it is.
  virtual Code Filter(const Attempt&, const NodeInfo&) const { return Code::kSuccess; }
  /// The same for the node as it is, faster where a plugin can.
  virtual Code FilterNode(const Attempt& attempt, NodeId node) const {
    return Filter(attempt, attempt.cluster.node(node));
  }
  /// The same for several nodes; `codes`, same order, say Success before.
  virtual void FilterNodes(const Attempt& attempt, std::span<const NodeId> nodes,
                           std::span<Code> codes) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) codes[i] = FilterNode(attempt, nodes[i]);
  }
  /// Why Filter rejects that node, in kube-scheduler's words and order.
  virtual std::vector<std::string> Reasons(const Attempt&, const NodeInfo&) const { return {}; }

  /// PreFilter's state as if `pod` were on `node` too (1) or no longer (-1). The one undoes the
  /// other.
  virtual void ApplyPod(const Attempt&, PodId, NodeId, int) {}

  virtual void PreScore(const Attempt&, std::span<const NodeId>) {}
  /// True if, as PreScore found, there is nothing to score: the plugin is left out (from 1.27).
  virtual bool SkipsScore(const Attempt&) const { return false; }
  /// True if, as PreScore found, all nodes have the same score: one need be asked.
  virtual bool ScoresAlike(const Attempt& attempt) const { return SkipsScore(attempt); }
  /// Raw scores of the nodes, same order.
  virtual void Score(const Attempt&, std::span<const NodeId>, std::span<std::int64_t> scores) {
    std::fill(scores.begin(), scores.end(), 0);
  }
  /// Whether the plugin has a NormalizeScore.
  virtual bool normalizes() const { return false; }
  virtual void Normalize(const Attempt&, std::span<const NodeId>, std::span<std::int64_t>) {}

  /// What its PostFilter says when it does not help (DefaultPreemption's is the framework's).
  virtual std::vector<std::string> PostFilterReasons(const Attempt&) const { return {}; }
  /// True if its PostFilter fails where its PreFilter did not run: PostFilter ends with an error.
  virtual bool post_filter_needs_prefilter() const { return false; }

  // Of plugins from outside the tree; what the in-tree ones cost is the cost model's.
  /// PreEnqueue, PostFilter, and from Reserve on.
  virtual void Run(ExtensionPoint, const Attempt&, const NodeInfo*, PointAnswer&) {}
  /// What its calls at the point took since it was last asked.
  virtual void TakeTime(ExtensionPoint, std::vector<OwnTime>&) {}
  virtual bool MayHelp(const Attempt&, PluginEvent) const { return true; }
};

/// Scales scores to 0..100 by the highest; `reverse` makes the highest 0. All 0 stay (or become
/// 100).
void NormalizeByMaximum(std::span<std::int64_t> scores, bool reverse);

/// nodeSelector and required node affinity.
bool MatchesRequiredNodeAffinity(const PodSpec& spec, const Node& node, const Strings& strings);

/// Whether all the node's NoSchedule and NoExecute taints are tolerated; else the first that is
/// not.
const Taint* UntoleratedTaint(const PodSpec& spec, const Node& node);

/// The selector of the Services, controllers and sets that a pod belongs to; nothing if there are
/// none.
LabelSelector DefaultSelector(const PodSpec& spec, const Cluster& cluster);

struct PluginContext {
  const Cluster& cluster;
  const Profile& profile;
  int minor;
};
/// Null if there is no built-in plugin of that name.
std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginContext& context);

// One constructor a plugin; the table in plugin.cc lists them.
std::unique_ptr<Plugin> MakeNodeUnschedulable(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodeName(const PluginContext& context);
std::unique_ptr<Plugin> MakeTaintToleration(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodeAffinity(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodePorts(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodeResourcesFit(const PluginContext& context);
std::unique_ptr<Plugin> MakeLeastAllocated(const PluginContext& context);
std::unique_ptr<Plugin> MakeMostAllocated(const PluginContext& context);
std::unique_ptr<Plugin> MakeRequestedToCapacityRatio(const PluginContext& context);
std::unique_ptr<Plugin> MakeBalancedAllocation(const PluginContext& context);
std::unique_ptr<Plugin> MakeImageLocality(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodePreferAvoidPods(const PluginContext& context);
std::unique_ptr<Plugin> MakePodTopologySpread(const PluginContext& context);
std::unique_ptr<Plugin> MakeInterPodAffinity(const PluginContext& context);
std::unique_ptr<Plugin> MakeSelectorSpread(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodeVolumeLimits(const PluginContext& context);
std::unique_ptr<Plugin> MakeVolumeBinding(const PluginContext& context);
std::unique_ptr<Plugin> MakeVolumeRestrictions(const PluginContext& context);
std::unique_ptr<Plugin> MakeVolumeZone(const PluginContext& context);
/// For plugins whose filter every pod without volumes passes, and that score nothing: what they
/// cost is the cost model's.
std::unique_ptr<Plugin> MakePassing(const PluginContext& context);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_H_
