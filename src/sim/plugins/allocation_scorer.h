#ifndef SCHEDLENS_SIM_PLUGINS_ALLOCATION_SCORER_H_
#define SCHEDLENS_SIM_PLUGINS_ALLOCATION_SCORER_H_

// Scores on what a node would have given away: Least-, MostAllocated and RequestedToCapacityRatio.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/framework/plugin.h"

namespace schedlens::sim::core {

enum class ResourceKind : std::uint8_t { kCpu, kMemory, kEphemeral, kScalar, kIgnored };

struct WeighedResource {
  ResourceKind kind = ResourceKind::kIgnored;
  Id name = 0;
  std::int64_t weight = 1;
};

/// cpu and memory if the configuration names none.
std::vector<WeighedResource> CompileResources(std::vector<ResourceWeight> resources,
                                              Strings& strings);

/// What a node has and what it would have to give away with the pod on it.
struct ResourceUse {
  std::int64_t capacity = 0;
  std::int64_t requested = 0;
};

/// What the pod asks for of the resource.
std::int64_t RequestOf(const PodSpec& spec, const WeighedResource& resource);

/// `real` counts requests as they are, else with defaults for cpu and memory.
ResourceUse UseOf(const Attempt& attempt, NodeId node, const WeighedResource& resource, bool real);

/// Least-, MostAllocated or the ratio over weighted resources, on requests with defaults.
class AllocationScorer {
 public:
  AllocationScorer(ScoringStrategy strategy, const std::vector<ResourceWeight>& resources,
                   std::vector<ShapePoint> shape, const PluginContext& context);

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) const;

 private:
  std::int64_t SimpleScore(const Attempt& attempt, NodeId node) const;
  std::int64_t ScoreOf(const Attempt& attempt, NodeId node) const;
  std::int64_t Of(const ResourceUse& use, int minor) const;

  ScoringStrategy strategy_;
  std::vector<WeighedResource> resources_;
  std::vector<ShapePoint> shape_;
  bool simple_ = false;  // LeastAllocated of cpu and memory, equally
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_PLUGINS_ALLOCATION_SCORER_H_
