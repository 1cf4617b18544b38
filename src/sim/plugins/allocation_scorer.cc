#include "sim/plugins/allocation_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedlens::sim::core {
namespace {

// part * 100 / whole for 0 <= part <= whole, truncated. A double's quotient is exact here: below
// 2^46 the product is exact, and a quotient that is not an integer is further from one than
// rounding reaches. It is several times faster than dividing integers.
std::int64_t Percent(std::int64_t part, std::int64_t whole) {
  constexpr std::int64_t kExact = std::int64_t{1} << 46;
  if (whole >= kExact) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{part} * 100 / whole);
  }
  return static_cast<std::int64_t>(static_cast<double>(part * 100) / static_cast<double>(whole));
}

std::int64_t Least(const ResourceUse& use) {
  if (use.capacity == 0 || use.requested > use.capacity) return 0;
  return Percent(use.capacity - use.requested, use.capacity);
}

std::int64_t Most(const ResourceUse& use) {
  if (use.capacity == 0) return 0;
  return Percent(std::min(use.requested, use.capacity), use.capacity);
}

// The broken line through the shape's points; scores are out of 10 there, out of 100 here.
std::int64_t OnShape(const std::vector<ShapePoint>& shape, std::int64_t utilization) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    if (i == 0) return shape[0].score * 10;
    const ShapePoint& a = shape[i - 1];
    const ShapePoint& b = shape[i];
    return a.score * 10 + (b.score * 10 - a.score * 10) * (utilization - a.utilization) /
                              (b.utilization - a.utilization);
  }
  return shape.empty() ? 0 : shape.back().score * 10;
}

}  // namespace

std::vector<WeighedResource> CompileResources(std::vector<ResourceWeight> resources,
                                              Strings& strings) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  std::vector<WeighedResource> out;
  for (const ResourceWeight& r : resources) {
    const ResourceKind kind =
        r.name == "cpu"                 ? ResourceKind::kCpu
        : r.name == "memory"            ? ResourceKind::kMemory
        : r.name == "ephemeral-storage" ? ResourceKind::kEphemeral
        : r.name.find('/') != std::string::npos || r.name.starts_with("hugepages-")
            ? ResourceKind::kScalar
            : ResourceKind::kIgnored;
    out.push_back({kind, strings.Intern(r.name), r.weight});
  }
  return out;
}

std::int64_t RequestOf(const PodSpec& spec, const WeighedResource& resource) {
  switch (resource.kind) {
    case ResourceKind::kCpu:
      return spec.score_milli_cpu;
    case ResourceKind::kMemory:
      return spec.request.memory;
    case ResourceKind::kEphemeral:
      return spec.request.ephemeral_storage;
    case ResourceKind::kScalar:
      return spec.request.Scalar(resource.name);
    case ResourceKind::kIgnored:
      break;
  }
  return 0;
}

ResourceUse UseOf(const Attempt& attempt, NodeId node, const WeighedResource& resource, bool real) {
  const HotNode& hot = attempt.cluster.hot(node);
  const PodSpec& spec = attempt.spec;
  switch (resource.kind) {
    case ResourceKind::kCpu:
      return real
                 ? ResourceUse{hot.milli_cpu, hot.used_milli_cpu + spec.score_milli_cpu}
                 : ResourceUse{hot.milli_cpu, hot.nonzero_milli_cpu + spec.score_nonzero.milli_cpu};
    case ResourceKind::kMemory:
      return real ? ResourceUse{hot.memory, hot.used_memory + spec.request.memory}
                  : ResourceUse{hot.memory, hot.nonzero_memory + spec.score_nonzero.memory};
    case ResourceKind::kEphemeral:
      return {hot.ephemeral_storage, hot.used_ephemeral_storage + spec.request.ephemeral_storage};
    case ResourceKind::kScalar: {
      const std::int64_t amount = spec.request.Scalar(resource.name);
      if (amount == 0 && attempt.minor >= 22) return {};
      const NodeInfo& info = attempt.cluster.node(node);
      return {info.node.allocatable.Scalar(resource.name),
              info.requested.Scalar(resource.name) + amount};
    }
    case ResourceKind::kIgnored:
      break;
  }
  return {};
}

AllocationScorer::AllocationScorer(ScoringStrategy strategy,
                                   const std::vector<ResourceWeight>& resources,
                                   std::vector<ShapePoint> shape, const PluginContext& context)
    : strategy_(strategy),
      resources_(CompileResources(resources, *context.cluster.shared_strings())),
      shape_(std::move(shape)) {
  simple_ = strategy == ScoringStrategy::kLeastAllocated && resources_.size() == 2 &&
            resources_[0].kind == ResourceKind::kCpu &&
            resources_[1].kind == ResourceKind::kMemory && resources_[0].weight == 1 &&
            resources_[1].weight == 1;
}

void AllocationScorer::Score(const Attempt& attempt, std::span<const NodeId> nodes,
                             std::span<std::int64_t> scores) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = simple_ ? SimpleScore(attempt, nodes[i]) : ScoreOf(attempt, nodes[i]);
  }
}

std::int64_t AllocationScorer::SimpleScore(const Attempt& attempt, NodeId node) const {
  const HotNode& hot = attempt.cluster.hot(node);
  const NonZero& more = attempt.spec.score_nonzero;
  if (hot.milli_cpu == 0 || hot.memory == 0) return ScoreOf(attempt, node);
  return (Least({hot.milli_cpu, hot.nonzero_milli_cpu + more.milli_cpu}) +
          Least({hot.memory, hot.nonzero_memory + more.memory})) /
         2;
}

std::int64_t AllocationScorer::ScoreOf(const Attempt& attempt, NodeId node) const {
  const bool skips_absent = attempt.minor >= 22;
  std::int64_t sum = 0, weights = 0;
  for (const WeighedResource& resource : resources_) {
    const ResourceUse use = UseOf(attempt, node, resource, false);
    if (skips_absent && use.capacity == 0) continue;
    const std::int64_t score = Of(use, attempt.minor);
    // What scores nothing leaves the ratio's mean altogether.
    if (strategy_ == ScoringStrategy::kRequestedToCapacityRatio && score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  if (weights == 0) return 0;
  if (strategy_ != ScoringStrategy::kRequestedToCapacityRatio) return sum / weights;
  return static_cast<std::int64_t>(
      std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

std::int64_t AllocationScorer::Of(const ResourceUse& use, int minor) const {
  if (strategy_ == ScoringStrategy::kLeastAllocated) return Least(use);
  if (strategy_ == ScoringStrategy::kMostAllocated) return Most(use);
  if (use.capacity == 0 || use.requested > use.capacity) return OnShape(shape_, 100);
  return OnShape(shape_, minor >= 22 ? Percent(use.requested, use.capacity)
                                     : 100 - Percent(use.capacity - use.requested, use.capacity));
}

}  // namespace schedlens::sim::core
