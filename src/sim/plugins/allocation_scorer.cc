#include "sim/plugins/allocation_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/framework/plugin.h"

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

class AllocationScore : public Plugin {
 public:
  explicit AllocationScore(AllocationScorer scorer) : scorer_(std::move(scorer)) {}
  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    scorer_.Score(attempt, nodes, scores);
  }

 private:
  AllocationScorer scorer_;
};

class BalancedAllocation : public Plugin {
 public:
  explicit BalancedAllocation(const PluginContext& context)
      : resources_(CompileResources(context.profile.args.balanced_resources,
                                    *context.cluster.shared_strings())),
        simple_(context.profile.args.balanced_resources.empty()) {}

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = attempt.minor < 22 ? Difference(attempt, nodes[i])
                  : simple_          ? TwoResources(attempt, nodes[i])
                                     : Deviation(attempt, nodes[i], true);
      if (attempt.minor < kMeasuresChange) continue;
      const std::int64_t before = Deviation(attempt, nodes[i], false);
      scores[i] = 50 + (50 + scores[i] - before) / 2;
    }
  }

  // From 1.34 nothing is balanced by a pod that asks for nothing.
  bool SkipsScore(const Attempt& attempt) const override {
    if (attempt.minor < 34) return false;
    return std::all_of(resources_.begin(), resources_.end(), [&](const WeighedResource& resource) {
      return RequestOf(attempt.spec, resource) == 0;
    });
  }

 private:
  // The release from which the score is how much the pod changes the balance.
  static constexpr int kMeasuresChange = 36;

  // Until 1.21: cpu and memory only, with defaults; nothing if either would be full.
  static std::int64_t Difference(const Attempt& attempt, NodeId node) {
    const HotNode& hot = attempt.cluster.hot(node);
    const NonZero& more = attempt.spec.score_nonzero;
    const double cpu = Fraction(hot.nonzero_milli_cpu + more.milli_cpu, hot.milli_cpu);
    const double memory = Fraction(hot.nonzero_memory + more.memory, hot.memory);
    if (cpu >= 1 || memory >= 1) return 0;
    return static_cast<std::int64_t>((1 - std::abs(cpu - memory)) * 100.0);
  }

  static double Fraction(std::int64_t requested, std::int64_t capacity) {
    return capacity == 0 ? 1 : static_cast<double>(requested) / static_cast<double>(capacity);
  }

  std::int64_t TwoResources(const Attempt& attempt, NodeId node) const {
    const HotNode& hot = attempt.cluster.hot(node);
    if (hot.milli_cpu == 0 || hot.memory == 0) return Deviation(attempt, node, true);
    const double cpu =
        std::min(Fraction(hot.used_milli_cpu + attempt.spec.score_milli_cpu, hot.milli_cpu), 1.0);
    const double memory =
        std::min(Fraction(hot.used_memory + attempt.spec.request.memory, hot.memory), 1.0);
    return static_cast<std::int64_t>((1 - std::abs((cpu - memory) / 2)) * 100.0);
  }

  // How even the node's resources are in use, with the pod or without.
  std::int64_t Deviation(const Attempt& attempt, NodeId node, bool with_pod) const {
    double total = 0, first = 0, second = 0;
    int count = 0;
    const auto each = [&](auto use_fraction) {
      for (const WeighedResource& resource : resources_) {
        const ResourceUse use = UseOf(attempt, node, resource, true);
        if (use.capacity == 0) continue;
        const std::int64_t own = with_pod ? 0 : RequestOf(attempt.spec, resource);
        use_fraction(std::min(Fraction(use.requested - own, use.capacity), 1.0));
      }
    };
    each([&](double fraction) {
      total += fraction;
      (count == 0 ? first : second) = fraction;
      ++count;
    });
    double deviation = 0;
    if (count == 2) {
      deviation = std::abs((first - second) / 2);
    } else if (count > 2) {
      const double mean = total / count;
      double sum = 0;
      each([&](double fraction) { sum += (fraction - mean) * (fraction - mean); });
      deviation = std::sqrt(sum / count);
    }
    return static_cast<std::int64_t>((1 - deviation) * 100.0);
  }

  std::vector<WeighedResource> resources_;
  bool simple_;
};

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

// Scores on requests: Least-, MostAllocated, RequestedToCapacityRatio and BalancedAllocation, to
// the bit as each release computes them.

std::unique_ptr<Plugin> MakeLeastAllocated(const PluginContext& context) {
  return std::make_unique<AllocationScore>(AllocationScorer(
      ScoringStrategy::kLeastAllocated, context.profile.args.least_resources, {}, context));
}
std::unique_ptr<Plugin> MakeMostAllocated(const PluginContext& context) {
  return std::make_unique<AllocationScore>(AllocationScorer(
      ScoringStrategy::kMostAllocated, context.profile.args.most_resources, {}, context));
}
std::unique_ptr<Plugin> MakeRequestedToCapacityRatio(const PluginContext& context) {
  return std::make_unique<AllocationScore>(AllocationScorer(
      ScoringStrategy::kRequestedToCapacityRatio, context.profile.args.ratio_resources,
      context.profile.args.ratio_shape, context));
}
std::unique_ptr<Plugin> MakeBalancedAllocation(const PluginContext& context) {
  return std::make_unique<BalancedAllocation>(context);
}

}  // namespace schedlens::sim::core
