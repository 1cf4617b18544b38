#ifndef SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_
#define SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_

// Opportunistic batching (from 1.35): the scores of one pod name the node to try first for the next
// pod of its kind, as long as the node chosen last is full.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/framework/framework.h"

namespace schedlens::sim::core {

/// Whether `a` and `b` are of one kind for the scheduler: what filters and scores look at is equal.
bool SameSignature(const PodSpec& a, const PodSpec& b);

/// Why kept scores were dropped.
enum class HintFlush : std::uint8_t {
  kPodFailed,
  kPodSkipped,
  kNodeMissing,
  kNodeNotFull,
  kEmptyList,
  kExpired,
  kPodIncompatible,
  kPodNotBatchable,
};
/// The label `reason` of batch_cache_flushed_total.
std::string_view ToString(HintFlush reason);

/// Those of one attempt, in order: of what was kept before it, and of what it might have kept.
struct HintFlushes {
  std::array<HintFlush, 2> reasons{};
  std::size_t count = 0;
};

class NodeHints {
 public:
  /// How long scores are good for.
  static constexpr double kMaxAgeMs = 500;

  /// `framework` must outlive it.
  explicit NodeHints(Framework& framework) : framework_(framework) {}

  /// Whether pods of the spec have a signature: without, they neither leave nor take hints. A pod
  /// with constraints of its own or by default, or with (anti-)affinity to pods, has none.
  bool Signs(const Attempt& attempt) const;

  /// The nodes with the highest score that is left, of which the scheduler takes one by chance;
  /// empty if no hint is given. Ask after PreFilter. `age_ms` gets how old the scores are.
  std::vector<NodeId> Candidates(const Attempt& attempt, double now_ms, double& age_ms);
  /// The node to try first, one of the Candidates of scores that are not too old; kNone if no hint
  /// is given. Drops scores that are no longer of use.
  NodeId Offer(const Attempt& attempt, double now_ms, Random& random);

  /// What the attempt came to. A hint that was taken leaves the scores as they are, less its node.
  void HintTaken(NodeId node);
  /// `totals` in the order of `nodes`; empty if nothing was scored.
  void Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
              std::span<const std::int64_t> totals, double now_ms);
  /// The pod was not scheduled.
  void Failed() { failed_ = true; }
  /// Between two attempts of this profile there was another one.
  void Skipped() { skipped_ = true; }
  /// Whether nobody signs: with an extender in the profile.
  void SignNothing() { signs_nothing_ = true; }
  /// Why scores were dropped since this was last asked.
  HintFlushes TakeFlushes() { return std::exchange(flushes_, {}); }

 private:
  std::optional<HintFlush> WhyDropped(const Attempt& attempt, double now_ms);
  void Drop(HintFlush reason);

  Framework& framework_;
  PodSpec spec_;  // of the pod that was scored
  std::vector<std::pair<std::int64_t, NodeId>> left_;
  NodeId last_ = kNone;
  double scored_ms_ = 0;
  bool failed_ = false, skipped_ = false, signs_nothing_ = false;
  HintFlushes flushes_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_NODE_HINTS_H_
