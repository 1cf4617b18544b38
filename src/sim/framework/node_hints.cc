#include "sim/framework/node_hints.h"

#include <algorithm>

namespace schedlens::sim::core {
namespace {

// Who owns a pod, how important it is and where it is nominated is nobody's business here.
PodSpec Signature(PodSpec spec) {
  spec.controller.reset();
  spec.priority = 0;
  spec.never_preempts = false;
  return spec;
}

}  // namespace

std::string_view ToString(HintFlush reason) {
  constexpr std::string_view kReasons[] = {"pod_failed",       "pod_skipped",      "node_missing",
                                           "node_not_full",    "empty_list",       "expired",
                                           "pod_incompatible", "pod_not_batchable"};
  return kReasons[static_cast<std::size_t>(reason)];
}

bool SameSignature(const PodSpec& a, const PodSpec& b) { return Signature(a) == Signature(b); }

bool NodeHints::Signs(const Attempt& attempt) const {
  const PodSpec& spec = attempt.spec;
  const PluginArgs& args = framework_.profile().args;
  const bool spreads =
      !spec.spread.empty() || args.system_default_constraints || !args.default_constraints.empty();
  const bool affine = !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
                      !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  return attempt.minor >= 35 && !signs_nothing_ && !spreads && !affine;
}

std::vector<NodeId> NodeHints::Candidates(const Attempt& attempt, double now_ms, double& age_ms) {
  age_ms = now_ms - scored_ms_;
  if (left_.empty() || failed_ || !Signs(attempt) || !SameSignature(spec_, attempt.spec)) return {};
  const Cluster& cluster = attempt.cluster;
  if (last_ == kNone || !cluster.node(last_).alive) return {};
  // Where the last node takes another, its new score may still be the best.
  if (framework_.Filter(attempt, last_).code == Code::kSuccess) return {};
  const auto best = std::max_element(left_.begin(), left_.end());
  std::vector<NodeId> out;
  for (const auto& [score, node] : left_) {
    if (score == best->first) out.push_back(node);
  }
  return out;
}

void NodeHints::Drop(HintFlush reason) {
  left_.clear();
  if (flushes_.count < flushes_.reasons.size()) flushes_.reasons[flushes_.count++] = reason;
}

std::optional<HintFlush> NodeHints::WhyDropped(const Attempt& attempt, double now_ms) {
  if (skipped_) return HintFlush::kPodSkipped;
  if (failed_) return HintFlush::kPodFailed;
  if (!Signs(attempt)) return HintFlush::kPodNotBatchable;
  if (!SameSignature(spec_, attempt.spec)) return HintFlush::kPodIncompatible;
  if (now_ms - scored_ms_ > kMaxAgeMs) return HintFlush::kExpired;
  const Cluster& cluster = attempt.cluster;
  if (last_ == kNone || !cluster.node(last_).alive) return HintFlush::kNodeMissing;
  return std::nullopt;
}

NodeId NodeHints::Offer(const Attempt& attempt, double now_ms, Random& random) {
  if (left_.empty()) return kNone;
  if (const auto reason = WhyDropped(attempt, now_ms)) {
    Drop(*reason);
    return kNone;
  }
  double age = 0;
  const std::vector<NodeId> best = Candidates(attempt, now_ms, age);
  if (best.empty()) {
    Drop(HintFlush::kNodeNotFull);
    return kNone;
  }
  const auto count = static_cast<std::uint32_t>(best.size());
  return best[count == 1 ? 0 : random.Below(count)];
}

void NodeHints::HintTaken(NodeId node) {
  last_ = node;
  failed_ = skipped_ = false;
  std::erase_if(left_, [&](const auto& entry) { return entry.second == node; });
  if (left_.empty()) Drop(HintFlush::kEmptyList);
}

void NodeHints::Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
                       std::span<const std::int64_t> totals, double now_ms) {
  left_.clear();
  last_ = node;
  scored_ms_ = now_ms;
  failed_ = skipped_ = false;
  if (!Signs(attempt)) return Drop(HintFlush::kPodNotBatchable);
  if (totals.size() < 2) return Drop(HintFlush::kEmptyList);
  spec_ = attempt.spec;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] != node) left_.emplace_back(totals[i], nodes[i]);
  }
}

}  // namespace schedlens::sim::core
