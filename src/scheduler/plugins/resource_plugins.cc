// Plugins that look at requests: NodeResourcesFit, and the scores on what a node would have given
// away, to the bit as each release computes them.

#include <fmt/format.h>

#include <cmath>

#include "scheduler/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

enum class ResourceKind : std::uint8_t { kCpu, kMemory, kEphemeral, kScalar, kIgnored };

struct WeighedResource {
  ResourceKind kind = ResourceKind::kIgnored;
  Id name = 0;
  std::int64_t weight = 1;
};

/// What a node has and what it would have to give away with the pod on it.
struct ResourceUse {
  std::int64_t capacity = 0, requested = 0;
};

std::int64_t Least(const ResourceUse& use) {
  if (use.capacity == 0 || use.requested > use.capacity) return 0;
  return Percent(use.capacity - use.requested, use.capacity);
}

// cpu and memory if the configuration names none.
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

// What the pod asks for of the resource.
std::int64_t RequestOf(const PodSpec& spec, const WeighedResource& resource) {
  using enum ResourceKind;
  if (resource.kind == kCpu) return spec.score_milli_cpu;
  if (resource.kind == kMemory) return spec.request.memory;
  if (resource.kind == kEphemeral) return spec.request.ephemeral_storage;
  return resource.kind == kScalar ? spec.request.Scalar(resource.name) : 0;
}

// `real` counts requests as they are, else with defaults for cpu and memory.
ResourceUse UseOf(const Attempt& attempt, NodeId node, const WeighedResource& resource, bool real) {
  const HotNode& hot = attempt.cluster.hot(node);
  const PodSpec& spec = attempt.spec;
  const ResourceKind kind = resource.kind;
  const std::int64_t own = RequestOf(spec, resource);
  if (kind == ResourceKind::kCpu) {
    return {hot.milli_cpu,
            real ? hot.used_milli_cpu + own : hot.nonzero_milli_cpu + spec.score_nonzero.milli_cpu};
  }
  if (kind == ResourceKind::kMemory) {
    return {hot.memory,
            real ? hot.used_memory + own : hot.nonzero_memory + spec.score_nonzero.memory};
  }
  if (kind == ResourceKind::kEphemeral) {
    return {hot.ephemeral_storage, hot.used_ephemeral_storage + own};
  }
  if (kind == ResourceKind::kIgnored || (own == 0 && attempt.minor >= 22)) return {};
  const NodeInfo& info = attempt.cluster.node(node);
  return {info.node.allocatable.Scalar(resource.name), info.requested.Scalar(resource.name) + own};
}

/// Least-, MostAllocated or the ratio over weighted resources, on requests with defaults.
class AllocationScore : public Plugin {
 public:
  AllocationScore(ScoringStrategy strategy, const std::vector<ResourceWeight>& resources,
                  std::vector<ShapePoint> shape, const PluginContext& context)
      : strategy_(strategy),
        resources_(CompileResources(resources, context.cluster.strings())),
        shape_(std::move(shape)) {}

  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = ScoreOf(attempt, nodes[i]);
  }

 private:
  std::int64_t ScoreOf(const Attempt& attempt, NodeId node) const {
    const bool skips_absent = attempt.minor >= 22;
    const bool is_ratio = strategy_ == ScoringStrategy::kRequestedToCapacityRatio;
    std::int64_t sum = 0, weights = 0;
    for (const WeighedResource& resource : resources_) {
      const ResourceUse use = UseOf(attempt, node, resource, false);
      if (skips_absent && use.capacity == 0) continue;
      const std::int64_t score = Of(use, attempt.minor);
      // What scores nothing leaves the ratio's mean altogether.
      if (is_ratio && score <= 0) continue;
      sum += score * resource.weight;
      weights += resource.weight;
    }
    if (weights == 0) return 0;
    if (!is_ratio) return sum / weights;
    return static_cast<std::int64_t>(
        std::round(static_cast<double>(sum) / static_cast<double>(weights)));
  }

  std::int64_t Of(const ResourceUse& use, int minor) const {
    if (strategy_ == ScoringStrategy::kLeastAllocated) return Least(use);
    if (strategy_ == ScoringStrategy::kMostAllocated) {
      return use.capacity == 0 ? 0 : Percent(std::min(use.requested, use.capacity), use.capacity);
    }
    if (use.capacity == 0 || use.requested > use.capacity) return OnShape(shape_, 100);
    return OnShape(shape_, minor >= 22 ? Percent(use.requested, use.capacity) : 100 - Least(use));
  }

  ScoringStrategy strategy_;
  std::vector<WeighedResource> resources_;
  std::vector<ShapePoint> shape_;
};

template <ScoringStrategy kStrategy, std::vector<ResourceWeight> PluginArgs::*kResources>
std::unique_ptr<Plugin> MakeAllocation(const PluginContext& context) {
  const PluginArgs& args = context.profile.args;
  return std::make_unique<AllocationScore>(kStrategy, args.*kResources, args.ratio_shape, context);
}

class BalancedAllocation : public Plugin {
 public:
  explicit BalancedAllocation(const PluginContext& context)
      : resources_(
            CompileResources(context.profile.args.balanced_resources, context.cluster.strings())) {}

  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] =
          attempt.minor < 22 ? Difference(attempt, nodes[i]) : Deviation(attempt, nodes[i], true);
      if (attempt.minor < kMeasuresChange) continue;
      const std::int64_t before = Deviation(attempt, nodes[i], false);
      scores[i] = 50 + (50 + scores[i] - before) / 2;
    }
  }

  // From 1.34 nothing is balanced by a pod that asks for nothing.
  bool SkipsScore(const Attempt& attempt) const override {
    if (attempt.minor < 34) return false;
    return std::ranges::all_of(resources_, [&](const WeighedResource& resource) {
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
};

class NodeResourcesFit : public AllocationScore {
 public:
  explicit NodeResourcesFit(const PluginContext& context)
      : AllocationScore(context.profile.args.strategy, context.profile.args.fit_resources,
                        context.profile.args.fit_shape, context),
        groups_(context.profile.args.ignored_resource_groups) {
    for (const auto& name : context.profile.args.ignored_resources) {
      ignored_.push_back(context.cluster.strings().Intern(name));
    }
  }

  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const Resources& request = attempt.spec.request;
    const Resources& capacity = info.node.allocatable;
    Code code = Code::kSuccess;
    if (static_cast<std::int64_t>(info.pods.size()) + 1 > capacity.pods) {
      code = Reject(Code::kUnschedulable, why, "Too many pods");
    }
    if (request.milli_cpu == 0 && request.memory == 0 && request.ephemeral_storage == 0 &&
        request.scalars.empty()) {
      return code;
    }
    const Resources& used = info.requested;
    const auto need = [&](std::int64_t asked, std::int64_t given, std::int64_t has,
                          std::string_view name) {
      if (Fits(attempt, asked, given, has)) return;
      if (code != Code::kUnresolvable) {
        code = asked > has && attempt.minor >= 34 ? Code::kUnresolvable : Code::kUnschedulable;
      }
      if (why != nullptr) why->push_back(fmt::format("Insufficient {}", name));
    };
    need(request.milli_cpu, used.milli_cpu, capacity.milli_cpu, "cpu");
    need(request.memory, used.memory, capacity.memory, "memory");
    need(request.ephemeral_storage, used.ephemeral_storage, capacity.ephemeral_storage,
         "ephemeral-storage");
    for (const ScalarAmount& scalar : request.scalars) {
      if (Ignored(attempt, scalar.name)) continue;
      need(scalar.amount, used.Scalar(scalar.name), capacity.Scalar(scalar.name),
           attempt.cluster.strings().Text(scalar.name));
    }
    return code;
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    const Resources& request = attempt.spec.request;
    const HotNode& hot = attempt.cluster.hot(node);
    if (!request.scalars.empty() || (attempt.minor >= 34 && !FitsIn(attempt, hot))) {
      return Plugin::FilterNode(attempt, node);
    }
    return FitsIn(attempt, hot) ? Code::kSuccess : Code::kUnschedulable;
  }

 private:
  // A request without scalars.
  static bool FitsIn(const Attempt& attempt, const HotNode& hot) {
    const Resources& request = attempt.spec.request;
    if (hot.pods + 1 > hot.max_pods) return false;
    if (request.milli_cpu == 0 && request.memory == 0 && request.ephemeral_storage == 0) {
      return true;
    }
    return Fits(attempt, request.milli_cpu, hot.used_milli_cpu, hot.milli_cpu) &&
           Fits(attempt, request.memory, hot.used_memory, hot.memory) &&
           Fits(attempt, request.ephemeral_storage, hot.used_ephemeral_storage,
                hot.ephemeral_storage);
  }

  // From 1.29 a resource that is not requested is not checked.
  static bool Fits(const Attempt& attempt, std::int64_t asked, std::int64_t used,
                   std::int64_t capacity) {
    return (asked == 0 && attempt.minor >= 29) || asked <= capacity - used;
  }

  bool Ignored(const Attempt& attempt, Id name) const {
    if (ignored_.empty() && groups_.empty()) return false;
    if (std::ranges::find(ignored_, name) != ignored_.end()) return true;
    const std::string& text = attempt.cluster.strings().Text(name);
    const std::string group = text.substr(0, text.find('/'));
    return std::ranges::find(groups_, group) != groups_.end();
  }

  std::vector<Id> ignored_;
  std::vector<std::string> groups_;
};

constexpr PluginMaker kResourcePlugins[] = {
    {"NodeResourcesFit", Make<NodeResourcesFit>},
    {"NodeResourcesLeastAllocated",
     MakeAllocation<ScoringStrategy::kLeastAllocated, &PluginArgs::least_resources>},
    {"NodeResourcesMostAllocated",
     MakeAllocation<ScoringStrategy::kMostAllocated, &PluginArgs::most_resources>},
    {"RequestedToCapacityRatio",
     MakeAllocation<ScoringStrategy::kRequestedToCapacityRatio, &PluginArgs::ratio_resources>},
    {"NodeResourcesBalancedAllocation", Make<BalancedAllocation>},
};

}  // namespace

// A double's quotient is exact here: below 2^46 the product is exact, and a quotient that is not an
// integer is further from one than rounding reaches. It is several times faster than dividing
// integers.
std::int64_t Percent(std::int64_t part, std::int64_t whole) {
  constexpr std::int64_t kExact = std::int64_t{1} << 46;
  if (whole >= kExact) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{part} * 100 / whole);
  }
  return static_cast<std::int64_t>(static_cast<double>(part * 100) / static_cast<double>(whole));
}

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

std::span<const PluginMaker> ResourcePlugins() { return kResourcePlugins; }

}  // namespace schedlens::sim::core
