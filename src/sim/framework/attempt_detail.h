#ifndef SCHEDLENS_SIM_FRAMEWORK_ATTEMPT_DETAIL_H_
#define SCHEDLENS_SIM_FRAMEWORK_ATTEMPT_DETAIL_H_

// All that one attempt found out about every node, for those who ask why.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/framework/framework.h"

namespace schedlens::sim::core {

/// Nodes that one plugin rejected for the same reasons.
struct RejectedNodes {
  ExtensionPoint point = ExtensionPoint::kFilter;
  std::string plugin;  ///< empty: no single one
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

/// What the algorithm keeps of its last attempt.
struct AttemptTrail {
  bool prefilter_passed = true;
  std::int32_t prefilter = kNone;  ///< the PreFilter plugin that refused
  const PreFilterNodes& subset;
  std::span<const FilterVerdict> verdicts;  ///< by node
  std::span<const NodeId> seen;             ///< may name a node twice
  std::span<const NodeId> feasible;
  std::span<const std::int64_t> totals;  ///< of `feasible`, if it was scored
};

/// Asks the plugins again, while nothing has changed since the attempt.
void ExplainAttempt(Framework& framework, const Attempt& attempt, const AttemptTrail& trail,
                    const ScheduleResult& result, AttemptDetail& out);

/// The scheduler's sentence about a pod that found no node (`0/5 nodes are available: ...`).
std::string FailureMessage(Framework& framework, const Attempt& attempt, const AttemptTrail& trail);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_ATTEMPT_DETAIL_H_
