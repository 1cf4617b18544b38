#pragma once

// What a plugin of the reference scheduler is: state for one attempt, verdicts, scores.

#include <type_traits>

#include "schedlens/plugin.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/framework/configuration.h"

namespace schedlens::sim::core {

// What plugins from outside the tree do and cost beyond filtering and scoring.

/// What one plugin's calls at a point took together.
struct OwnTime {
  std::string_view plugin;
  double seconds = 0;
  int calls = 0;
};

/// What the plugins from outside the tree say at one point of one attempt.
struct PointAnswer {
  bool refused = false;
  std::string_view plugin;  ///< that refused
  std::string refusal;
  double seconds = 0;  ///< of all of them
  double wait = 0;     ///< Permit: the longest
  std::vector<OwnTime> times;
};

/// Nothing for a point that plugins are not told of.
std::optional<PluginPoint> PluginPointOf(kube::ExtensionPoint point);
std::optional<PluginEvent> PluginEventOf(kube::PodEvent event);

/// What plugins say: kSuccess, kUnschedulable where preemption may help, kUnresolvable where it
/// cannot, kError.
using Code = kube::StatusCode;

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

using Texts = std::vector<std::string>;
using NodeSpan = std::span<const NodeId>;
using ScoreSpan = std::span<std::int64_t>;

/// The methods run in the order of the scheduling cycle, always for the attempt that PreFilter (or,
/// without one, the first call) saw. Only the reasons allocate once buffers have grown.
class Plugin {
 public:
  virtual ~Plugin() = default;

  virtual Code PreFilter(const Attempt&, PreFilterNodes&) { return Code::kSuccess; }
  virtual Texts PreFilterReasons(const Attempt&) const { return {}; }

  /// True if, as PreFilter found, every node passes: Filter need not be asked.
  virtual bool PassesAll(const Attempt&) const { return false; }
  /// A dry run's node is a changed copy; its id tells which node it is. `why`, if not null, gets
  /// the reasons of a rejection in kube-scheduler's words and order.
  virtual Code Filter(const Attempt&, const NodeInfo&, Texts*) const { return Code::kSuccess; }
  /// The same for the node as it is, faster where a plugin can.
  virtual Code FilterNode(const Attempt& attempt, NodeId node) const {
    return Filter(attempt, attempt.cluster.node(node), nullptr);
  }
  /// The same for several nodes; `codes`, same order, say Success before.
  virtual void FilterNodes(const Attempt& attempt, NodeSpan nodes, std::span<Code> codes) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) codes[i] = FilterNode(attempt, nodes[i]);
  }

  /// PreFilter's state as if `pod` were on `node` too (1) or no longer (-1). The one undoes the
  /// other.
  virtual void ApplyPod(const Attempt&, PodId, NodeId, int) {}

  virtual void PreScore(const Attempt&, NodeSpan) {}
  /// True if, as PreScore found, there is nothing to score: the plugin is left out (from 1.27).
  virtual bool SkipsScore(const Attempt&) const { return false; }
  /// True if, as PreScore found, all nodes have the same score: one need be asked.
  virtual bool ScoresAlike(const Attempt& attempt) const { return SkipsScore(attempt); }
  /// Raw scores of the nodes, same order.
  virtual void Score(const Attempt&, NodeSpan, ScoreSpan scores) { std::ranges::fill(scores, 0); }
  virtual void Normalize(const Attempt&, NodeSpan, ScoreSpan) {}

  // Of plugins from outside the tree; what the in-tree ones cost is the cost model's.
  /// PreEnqueue, PostFilter, and from Reserve on.
  virtual void Run(ExtensionPoint, const Attempt&, const NodeInfo*, PointAnswer&) {}
  /// What its calls at the point took since it was last asked.
  virtual void TakeTime(ExtensionPoint, std::vector<OwnTime>&) {}
  virtual bool MayHelp(const Attempt&, PluginEvent) const { return true; }
};

/// A Filter's `code`, with its reason for who asks.
inline Code Reject(Code code, Texts* why, std::string_view reason) {
  if (why != nullptr) why->emplace_back(reason);
  return code;
}

/// Scales scores to 0..100 by the highest; `reverse` makes the highest 0. All 0 stay (or become
/// 100).
void NormalizeByMaximum(ScoreSpan scores, bool reverse);

/// part * 100 / whole for 0 <= part <= whole, truncated.
std::int64_t Percent(std::int64_t part, std::int64_t whole);
/// The broken line through the shape's points; scores are out of 10 there, out of 100 here.
std::int64_t OnShape(const std::vector<ShapePoint>& shape, std::int64_t utilization);

/// The selector of a pod's Services, controllers and sets; nothing if there are none.
LabelSelector DefaultSelector(const PodSpec& spec, const Cluster& cluster);

struct PluginContext {
  const Cluster& cluster;
  const Profile& profile;
  int minor;
};
/// Null if there is no built-in plugin of that name.
std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginContext& context);

/// A row of a source of scheduler/plugins: how a plugin is made.
struct PluginMaker {
  std::string_view name;
  std::unique_ptr<Plugin> (*make)(const PluginContext&);
};
/// For a row: a `Kind`, of the context if it takes one.
template <typename Kind>
std::unique_ptr<Plugin> Make(const PluginContext& context) {
  if constexpr (std::is_default_constructible_v<Kind>) {
    return std::make_unique<Kind>();
  } else {
    return std::make_unique<Kind>(context);
  }
}
// A table a source of scheduler/plugins; MakePlugin looks into all of them.
std::span<const PluginMaker> NodePlugins();
std::span<const PluginMaker> ResourcePlugins();
std::span<const PluginMaker> SpreadPlugins();
std::span<const PluginMaker> VolumePlugins();

}  // namespace schedlens::sim::core
