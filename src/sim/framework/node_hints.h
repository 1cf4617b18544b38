#ifndef SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_
#define SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_

// Opportunistic batching (from 1.35): the scores of one pod name the node to try first for the next
// pod of its kind, as long as the node chosen last is full.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/framework/framework.h"

namespace schedlens::sim::core {

/// Whether `a` and `b` are of one kind for the scheduler: what filters and scores look at is equal.
bool SameSignature(const PodSpec& a, const PodSpec& b);

class NodeHints {
 public:
  /// How long scores are good for.
  static constexpr double kMaxAgeMs = 500;

  /// `framework` must outlive it.
  explicit NodeHints(Framework& framework) : framework_(framework) {}

  /// Whether pods of the spec have a signature: without, they neither leave nor take hints. A pod
  /// with constraints of its own or by default, with (anti-)affinity to pods or with claims on
  /// devices has none.
  bool Signs(const Attempt& attempt) const;

  /// The nodes with the highest score that is left, of which the scheduler takes one by chance;
  /// empty if no hint is given. Ask after PreFilter. `age_ms` gets how old the scores are.
  std::vector<NodeId> Candidates(const Attempt& attempt, double now_ms, double& age_ms);

  /// What the attempt came to. A hint that was taken leaves the scores as they are, less its node.
  void HintTaken(NodeId node);
  /// `totals` in the order of `nodes`; empty if nothing was scored.
  void Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
              std::span<const std::int64_t> totals, double now_ms);
  /// The pod was not scheduled.
  void Failed() { left_.clear(); }

 private:
  Framework& framework_;
  PodSpec spec_;  // of the pod that was scored
  std::vector<std::pair<std::int64_t, NodeId>> left_;
  NodeId last_ = kNone;
  double scored_ms_ = 0;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_
