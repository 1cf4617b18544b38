#pragma once

// The default algorithm: one scheduling attempt of one pod against a cluster, and preemption.
// Virtual time, costs and the queue are not its business: it counts work, others price it.

#include "scheduler/framework/framework.h"

namespace schedlens::sim::core {

enum class Outcome : std::uint8_t {
  kScheduled,      ///< `node` was chosen
  kUnschedulable,  ///< no node fits (FitError): PostFilter comes next
  kNoNodes,        ///< the snapshot is empty
  kError,          ///< a plugin failed
};

/// One attempt's result. Reuse the object: its vectors keep their memory.
struct ScheduleResult {
  Outcome outcome = Outcome::kUnschedulable;
  NodeId node = kNone;
  std::int32_t searched = 0;   ///< nodes that could have been looked at
  std::int32_t evaluated = 0;  ///< nodes that were looked at
  std::int32_t feasible = 0;   ///< nodes that passed all filters
  std::int32_t tied = 0;       ///< nodes with the highest total
  bool nominated_node_shortcut = false;
  NodeId hint = kNone;      ///< tried first of all, alone: what the pod before leaves (from 1.35)
  bool hint_taken = false;  ///< and it fitted
  std::int32_t rejecting_prefilter = kNone;  ///< index of the PreFilter plugin that refused
  /// By Filter plugin of the profile: nodes it rejected (first rejection of each node), and of
  /// these UnschedulableAndUnresolvable.
  std::vector<std::int32_t> rejected, unresolvable;
  /// The Filter plugin that rejected the hinted or nominated node when it was tried alone.
  std::int32_t rejecting_nominated = kNone;
  bool scored = false;  ///< PreScore and Score ran: more than one feasible node
};

struct PreemptionResult {
  bool eligible = false;
  NodeId node = kNone;               ///< nominated; kNone if none helps
  std::vector<PodId> victims;        ///< in the scheduler's order
  std::int32_t potential_nodes = 0;  ///< not UnschedulableAndUnresolvable
  /// Lower-priority pods nominated to `node`: their nomination is to be cleared.
  std::vector<PodId> clear_nominations;
};

/// An extender's part in the search, as whoever simulates its HTTP calls provides it.
struct ExtenderCalls {
  std::function<void(std::vector<NodeId>& nodes)> filter;  ///< keeps the nodes that pass
  /// Adds weight * score * 10 to the totals (same order as the nodes).
  std::function<void(std::span<std::int64_t> totals)> prioritize;
};

/// `0/5 nodes are available: 2 Insufficient cpu, ....` for nodes counted by reason.
std::string UnavailableMessage(std::int64_t nodes, const std::map<std::string, int>& reasons);
/// The same for a pod that PreFilter refused, as from 1.27.
std::string RefusedMessage(std::int64_t nodes, const std::vector<std::string>& reasons);

// All that one attempt found out about every node, for those who ask why.

/// Nodes that one plugin rejected for the same reasons.
struct RejectedNodes {
  ExtensionPoint point = ExtensionPoint::kFilter;
  std::string plugin;
  Code code = Code::kUnschedulable;
  std::vector<std::string> reasons;
  std::vector<NodeId> nodes;
  friend bool operator==(const RejectedNodes&, const RejectedNodes&) = default;
};

struct ScorePlugin {
  std::string name;
  std::int64_t weight = 0;
  friend bool operator==(const ScorePlugin&, const ScorePlugin&) = default;
};

struct ScoredNode {
  NodeId node = kNone;
  std::int64_t total = 0;
  std::int64_t extenders = 0;        ///< the part of `total` that extenders gave
  std::vector<std::int64_t> scores;  ///< 0 to 100 by Score plugin, before its weight
  friend bool operator==(const ScoredNode&, const ScoredNode&) = default;
};

struct AttemptDetail {
  NodeId node = kNone;                  ///< the winner
  std::int32_t nodes = 0;               ///< in the cluster
  std::int32_t outside = 0;             ///< not in the set of nodes that PreFilter left
  std::int32_t unseen = 0;              ///< the search ended before them
  std::int32_t feasible = 0;            ///< passed everything
  std::int32_t tied = 0;                ///< share the highest total
  bool nominated_first = false;         ///< the nominated node fitted and was taken unscored
  std::vector<RejectedNodes> rejected;  ///< largest group first
  std::vector<ScorePlugin> score_plugins;
  std::vector<ScoredNode> scored;  ///< best first; empty if a single node needed no scores
  std::string message;             ///< the scheduler's sentence if no node fits
  friend bool operator==(const AttemptDetail&, const AttemptDetail&) = default;
};

// Opportunistic batching (from 1.35): the scores of one pod name the node to try first for the next
// pod of its kind: as long as the node chosen last is full, from 1.37 on with that node's new score
// where it is not.

/// Why one attempt dropped scores, in order, as the label `reason` of batch_cache_flushed_total
/// spells it: of what was kept before it, and of what it might have kept.
using HintFlushes = std::vector<std::string_view>;

class NodeHints {
 public:
  /// How long scores are good for.
  static constexpr double kMaxAgeMs = 500;

  /// `framework` must outlive it. `signs_nothing`: with an extender in the profile no pod signs.
  explicit NodeHints(Framework& framework, bool signs_nothing = false)
      : framework_(framework), signs_nothing_(signs_nothing) {}

  /// Whether pods of the spec have a signature: without, they neither leave nor take hints. A pod
  /// with constraints of its own or by default, or with (anti-)affinity to pods, has none.
  bool Signs(const Attempt& attempt) const;

  /// The nodes with the highest score that is left, of which the scheduler takes one by chance;
  /// empty if no hint is given. Ask once an attempt, after PreFilter.
  std::vector<NodeId> Candidates(const Attempt& attempt);
  /// When the scores were made.
  double scored_ms() const { return scored_ms_; }
  /// The node to try first, one of the Candidates of scores that are not too old; kNone if no hint
  /// is given. Drops scores that are no longer of use.
  NodeId Offer(const Attempt& attempt, double now_ms, Random& random);

  /// What the attempt came to. A hint that was taken leaves the scores as they are, less its node.
  void HintTaken(NodeId node);
  /// Whether it asks for raw scores of the attempt: from 1.37, of pods with a signature.
  bool KeepsRaw(const Attempt& attempt) const { return attempt.minor >= 37 && Signs(attempt); }
  /// `totals` in the order of `nodes`; empty if nothing was scored. `raw` is a row for each of the
  /// framework's scoring plugins where KeepsRaw.
  void Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
              std::span<const std::int64_t> totals, RawScores raw, double now_ms);
  /// The pod was not scheduled.
  void Failed() { failed_ = true; }
  /// Between two attempts of this profile there was another one.
  void Skipped() { skipped_ = true; }
  /// Whether the last Candidates scored the node chosen last anew.
  bool rescored() const { return rescored_; }
  /// Why scores were dropped since this was last asked.
  HintFlushes TakeFlushes() { return std::exchange(flushes_, {}); }

 private:
  std::string_view WhyDropped(const Attempt& attempt, double now_ms) const;
  void Drop(std::string_view reason);
  void Remove(NodeId node);
  bool Rescore(const Attempt& attempt);

  Framework& framework_;
  bool signs_nothing_;
  PodSpec spec_;  // of the pod that was scored
  // The nodes that are left; nothing raw before 1.37.
  std::vector<NodeId> left_;
  std::vector<std::int64_t> totals_;
  RawScores raw_;
  NodeId last_ = kNone;
  double scored_ms_ = 0;
  bool failed_ = false, skipped_ = false, rescored_ = false;
  HintFlushes flushes_;
};

/// Schedules pods of one profile on one cluster. Keep one for each profile; `Schedule` changes no
/// pod and no node: the caller binds the pod (assume) afterwards.
class Algorithm {
 public:
  /// `cluster` must outlive it. Throws Error(kUsage) for a plugin that does not exist.
  Algorithm(const Cluster& cluster, const Configuration& configuration, std::size_t profile,
            const std::vector<SchedulerPluginFactory>& own_plugins = {});
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  /// One attempt. `extenders` may be null. Allocates nothing once warm. With `now_ms`, the time of
  /// the attempt, pods leave node hints to those after them (see NodeHints).
  void Schedule(PodId pod, Random& random, ExtenderCalls* extenders, ScheduleResult& result,
                const std::optional<double>& now_ms = std::nullopt);
  NodeHints& hints() { return hints_; }
  /// DefaultPreemption for the pod whose Schedule just returned kUnschedulable.
  void Preempt(PodId pod, Random& random, PreemptionResult& result);
  /// The scheduler's own sentence about the last unschedulable attempt (`0/5 nodes are available:
  /// ...`). Composed on demand.
  std::string FailureMessage();
  Framework& framework() { return framework_; }
  /// All about the attempt whose Schedule just returned `result`, before anything changes: asks the
  /// plugins again.
  void Explain(const ScheduleResult& result, AttemptDetail& out);
  /// What the dry run of the last Preempt found; nothing for a pod that was not eligible.
  const PreemptionDetail& preemption() const { return detail_; }
  /// Why the last Preempt was not eligible; empty if it was.
  std::string_view why_not_preempt() const { return why_not_; }
  /// The name of one of the profile's plugins, by its index at that point.
  std::string_view NameOf(ExtensionPoint point, std::int32_t index) const {
    return framework_.At(point)[Index(index)].name;
  }

 private:
  void Run(const Attempt& attempt, Random& random, ExtenderCalls* extenders, ScheduleResult& result,
           const std::optional<double>& now_ms);
  FilterVerdict& VerdictOn(NodeId node);
  bool TryAlone(const Attempt& attempt, NodeId node, ScheduleResult& result);
  bool TryNominated(const Attempt& attempt, ExtenderCalls* extenders, ScheduleResult& result);
  void Search(const Attempt& attempt, ScheduleResult& result);
  void Choose(const Attempt& attempt, Random& random, ExtenderCalls* extenders,
              ScheduleResult& result);
  bool passed() const { return prefilter_ == kNone; }
  std::vector<RejectedNodes> Rejections(const Attempt& attempt, const std::vector<NodeId>& seen);
  void ExplainScores(const Attempt& attempt, AttemptDetail& out);

  const Cluster& cluster_;
  Framework framework_;
  std::int32_t percentage_;
  bool extended_;
  NodeHints hints_;
  std::size_t next_start_ = 0;
  PodId pod_ = kNone;               // of the last attempt, as all below
  std::int32_t prefilter_ = kNone;  // the PreFilter plugin that refused
  PreFilterNodes subset_;
  std::vector<FilterVerdict> verdicts_;  // by node; unseen where the last attempt did not look
  std::vector<NodeId> seen_, judged_, feasible_, potential_,
      some_;  // `seen_` may name a node twice
  std::vector<std::pair<NodeId, FilterVerdict>> rejected_;
  std::vector<std::int64_t> totals_;  // of `feasible_`, if it was scored
  RawScores raw_;                     // behind them, for the hints
  PreemptionDetail detail_;
  std::string_view why_not_;
};

}  // namespace schedlens::sim::core
