// Scores on requests: Least-, MostAllocated, RequestedToCapacityRatio and BalancedAllocation, to
// the bit as each release computes them.

#include <algorithm>
#include <cmath>

#include "sim/framework/plugin.h"
#include "sim/plugins/allocation_scorer.h"

namespace schedlens::sim::core {
namespace {

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
