#pragma once

// One profile's plugins and how the extension points run them: PreFilter, Filter with nominated
// pods, PreScore, Score, and preemption's dry run.

#include <tuple>

#include "scheduler/base/random.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {

/// A user's plugin that a profile enables at `points`. What it throws becomes Error(kFailed) with
/// its name and the point.
std::unique_ptr<Plugin> AdaptOwnPlugin(std::string name, std::unique_ptr<SchedulerPlugin> own,
                                       Points points);

/// The library's plugins; it stays loaded for good. Throws Error: kFailed for a file that cannot be
/// opened or is no library, kUsage for one without the entry points, of another ABI, that registers
/// nothing or a name that is taken (in-tree or in `known`), or that throws.
std::vector<SchedulerPluginFactory> LoadPluginLibrary(
    const std::string& file, const std::vector<SchedulerPluginFactory>& known);

/// What the filters say of one node.
struct FilterVerdict {
  Code code = Code::kSuccess;
  std::int32_t plugin = kNone;  ///< index of the first Filter plugin that rejects
  std::int8_t failed_pass = 0;  ///< 1, or 2: only without the nominated pods
  bool nominated_pods = false;  ///< pods nominated to the node were considered
};

/// A rejection of one plugin in words.
struct Rejected {
  std::int32_t plugin = kNone;
  Code code = Code::kSuccess;
  Texts reasons;
};

/// A node where preemption would help.
struct Candidate {
  NodeId node = kNone;
  std::vector<PodId> victims;  ///< in the scheduler's order
  std::int64_t pdb_violations = 0;
};

/// All that preemption found out, for those who want to see.
struct PreemptionDetail {
  std::vector<Candidate> candidates;
  /// Nodes where it would not help, and why.
  std::vector<std::pair<NodeId, Texts>> failures;
  std::int64_t pods = 0;  ///< of lower priority, on all of these nodes
};

/// By plugin, then in the order of nodes.
using RawScores = std::vector<std::vector<std::int64_t>>;

class Framework {
 public:
  struct Entry {
    std::string name;
    std::int64_t weight = 0;
    Plugin* plugin = nullptr;
  };

  /// Throws Error(kUsage) for a plugin that does not exist.
  Framework(const Cluster& cluster, const Configuration& configuration, std::size_t profile,
            const std::vector<SchedulerPluginFactory>& own_plugins);

  const Profile& profile() const { return profile_; }
  int minor() const { return minor_; }
  const std::vector<Entry>& At(ExtensionPoint point) const {
    return entries_[static_cast<std::size_t>(point)];
  }
  Attempt MakeAttempt(PodId pod) const {
    cluster_.TakeSnapshot();
    const SpecId spec = cluster_.pod(pod).spec;
    return {cluster_, pod, spec, cluster_.spec(spec), minor_};
  }

  /// Prepares all plugins. Success, or the first refusal with the index of its PreFilter plugin in
  /// `rejecting`. NodeAffinity alone names `nodes`.
  Code PreFilter(const Attempt& attempt, PreFilterNodes& nodes, std::int32_t& rejecting);
  /// The message's words for nodes that PreFilter left out (from 1.32).
  static std::string LeftOutReason() { return "node(s) didn't satisfy plugin(s) [NodeAffinity]"; }
  /// Filters with and without nominated pods, after PreFilter.
  FilterVerdict Filter(const Attempt& attempt, NodeId node);
  /// The same for several nodes: takes those off `nodes` that do not pass, and adds them to
  /// `rejected`.
  void FilterNodes(const Attempt& attempt, std::vector<NodeId>& nodes,
                   std::vector<std::pair<NodeId, FilterVerdict>>& rejected);
  /// The rejection in words, and with `all` also what the later plugins say.
  std::vector<Rejected> Explain(const Attempt& attempt, NodeId node, const FilterVerdict& verdict,
                                bool all);

  /// PreScore, Score, Normalize, weights. `totals` gets one sum a node. `raw` and `norm`, if not
  /// null, get a row for each plugin of `scoring`. False if a plugin left 0..100.
  bool Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::vector<std::int64_t>& totals, RawScores* raw, RawScores* norm);
  /// The Score plugins asked the last time, by index: from 1.27 those with something to say.
  const std::vector<std::int32_t>& scoring() const { return scoring_; }

  // Plugins from outside the tree.
  PointAnswer RunOwn(ExtensionPoint point, PodId pod, NodeId node);
  std::vector<OwnTime> TakeTimes(ExtensionPoint point);
  /// True for a plugin that is not there.
  bool MayHelp(PodId pod, PluginEvent event, std::string_view plugin) const;

  /// Whether the pod may preempt at all; `why_not` gets the reason. `nominated` is the verdict on
  /// the pod's nominated node in this attempt.
  bool MayPreempt(const Attempt& attempt, Code nominated, std::string_view& why_not) const;
  /// The dry run over `nodes` from a random offset. Stops when enough candidates are known.
  void DryRun(const Attempt& attempt, std::span<const NodeId> nodes, Random& random,
              PreemptionDetail& detail);
  /// How good a candidate is, smaller is better: budget violations, priority of the first victim,
  /// sum of priorities, number of victims, minus the earliest start of the most important ones.
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::size_t, std::int64_t>;
  Rank RankOf(const Candidate& candidate) const;
  /// The best candidate's index, the first of equals; kNone if there is none.
  std::int32_t PickCandidate(const std::vector<Candidate>& candidates) const;

 private:
  // Runs the filters in order until one rejects.
  FilterVerdict RunFilters(const Attempt& attempt, const NodeInfo& info, Texts* why);
  FilterVerdict RunFiltersOnCopy(const Attempt& attempt, const NodeInfo& info, Texts* why);
  bool CollectNominated(const Attempt& attempt, NodeId node);
  template <typename Use>
  void WithNominated(const Attempt& attempt, const NodeInfo& info, const Use& use);
  void Apply(const Attempt& attempt, PodId pod, NodeId node, int sign);
  bool SelectVictims(const Attempt& attempt, NodeId node, Candidate& out, Texts& why_not,
                     std::int64_t& pods);

  const Cluster& cluster_;
  Profile profile_;
  int minor_;
  std::vector<std::pair<std::string, std::unique_ptr<Plugin>>> plugins_;
  std::array<std::vector<Entry>, kExtensionPoints> entries_;
  std::vector<Plugin*> stateful_;      // asked to PreFilter though not listed there
  std::vector<std::uint8_t> skips_;    // Filter plugins that may answer Skip at PreFilter
  std::vector<std::uint8_t> skipped_;  // those that did: they are not asked again in this attempt
  std::vector<Code> codes_;
  std::vector<std::int32_t> scoring_;
  std::vector<std::int32_t> active_;  // Filter plugins that may reject some node this time
  std::vector<PodId> nominated_;
  NodeInfo with_nominated_, dry_;
  std::vector<std::int64_t> scores_;
};

}  // namespace schedlens::sim::core
