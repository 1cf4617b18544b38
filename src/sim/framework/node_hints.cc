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

bool SameSignature(const PodSpec& a, const PodSpec& b) { return Signature(a) == Signature(b); }

bool NodeHints::Signs(const Attempt& attempt) const {
  const PodSpec& spec = attempt.spec;
  const PluginArgs& args = framework_.profile().args;
  const bool spreads =
      !spec.spread.empty() || args.system_default_constraints || !args.default_constraints.empty();
  const bool affine = !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
                      !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  return attempt.minor >= 35 && !spreads && !affine && spec.resource_claims.empty();
}

std::vector<NodeId> NodeHints::Candidates(const Attempt& attempt, double now_ms, double& age_ms) {
  age_ms = now_ms - scored_ms_;
  if (left_.empty() || !Signs(attempt) || !SameSignature(spec_, attempt.spec)) return {};
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

void NodeHints::HintTaken(NodeId node) {
  last_ = node;
  std::erase_if(left_, [&](const auto& entry) { return entry.second == node; });
}

void NodeHints::Chosen(const Attempt& attempt, NodeId node, std::span<const NodeId> nodes,
                       std::span<const std::int64_t> totals, double now_ms) {
  left_.clear();
  last_ = node;
  scored_ms_ = now_ms;
  if (totals.empty() || !Signs(attempt)) return;
  spec_ = attempt.spec;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] != node) left_.emplace_back(totals[i], nodes[i]);
  }
}

}  // namespace schedlens::sim::core
