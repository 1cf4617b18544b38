// NodeResourcesFit: the filter on requests, and the score of the configured strategy.

#include <fmt/format.h>

#include <algorithm>

#include "sim/framework/plugin.h"
#include "sim/plugins/allocation_scorer.h"

namespace schedlens::sim::core {
namespace {

class NodeResourcesFit : public Plugin {
 public:
  explicit NodeResourcesFit(const PluginContext& context)
      : scorer_(context.profile.args.strategy, context.profile.args.fit_resources,
                context.profile.args.fit_shape, context) {
    Strings& strings = *context.cluster.shared_strings();
    for (const auto& name : context.profile.args.ignored_resources) {
      ignored_.push_back(strings.Intern(name));
    }
    groups_ = context.profile.args.ignored_resource_groups;
  }

  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    return Check(attempt, info, nullptr);
  }
  Code FilterNode(const Attempt& attempt, NodeId node) const override {
    const Resources& request = attempt.spec.request;
    const HotNode& hot = attempt.cluster.hot(node);
    if (!request.scalars.empty() || (attempt.minor >= 34 && !FitsIn(attempt, hot))) {
      return Filter(attempt, attempt.cluster.node(node));
    }
    return FitsIn(attempt, hot) ? Code::kSuccess : Code::kUnschedulable;
  }
  void FilterNodes(const Attempt& attempt, std::span<const NodeId> nodes,
                   std::span<Code> codes) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      codes[i] = NodeResourcesFit::FilterNode(attempt, nodes[i]);
    }
  }
  std::vector<std::string> Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    std::vector<std::string> out;
    Check(attempt, info, &out);
    return out;
  }

  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    scorer_.Score(attempt, nodes, scores);
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

  Code Check(const Attempt& attempt, const NodeInfo& info,
             std::vector<std::string>* reasons) const {
    const Resources& request = attempt.spec.request;
    const Resources& capacity = info.node.allocatable;
    Code code = Code::kSuccess;
    const auto reject = [&](std::string_view reason, bool never) {
      if (code != Code::kUnresolvable) {
        code = never && attempt.minor >= 34 ? Code::kUnresolvable : Code::kUnschedulable;
      }
      if (reasons != nullptr) reasons->emplace_back(reason);
    };
    if (static_cast<std::int64_t>(info.pods.size()) + 1 > capacity.pods) {
      reject("Too many pods", false);
    }
    if (request.milli_cpu == 0 && request.memory == 0 && request.ephemeral_storage == 0 &&
        request.scalars.empty()) {
      return code;
    }
    if (!Fits(attempt, request.milli_cpu, info.requested.milli_cpu, capacity.milli_cpu)) {
      reject("Insufficient cpu", request.milli_cpu > capacity.milli_cpu);
    }
    if (!Fits(attempt, request.memory, info.requested.memory, capacity.memory)) {
      reject("Insufficient memory", request.memory > capacity.memory);
    }
    if (!Fits(attempt, request.ephemeral_storage, info.requested.ephemeral_storage,
              capacity.ephemeral_storage)) {
      reject("Insufficient ephemeral-storage",
             request.ephemeral_storage > capacity.ephemeral_storage);
    }
    for (const ScalarAmount& scalar : request.scalars) {
      if (Ignored(attempt, scalar.name)) continue;
      const std::int64_t has = capacity.Scalar(scalar.name);
      if (Fits(attempt, scalar.amount, info.requested.Scalar(scalar.name), has)) continue;
      reject(fmt::format("Insufficient {}", attempt.cluster.strings().Text(scalar.name)),
             scalar.amount > has);
    }
    return code;
  }

  bool Ignored(const Attempt& attempt, Id name) const {
    if (ignored_.empty() && groups_.empty()) return false;
    if (std::find(ignored_.begin(), ignored_.end(), name) != ignored_.end()) return true;
    const std::string& text = attempt.cluster.strings().Text(name);
    const std::string group = text.substr(0, text.find('/'));
    return std::find(groups_.begin(), groups_.end(), group) != groups_.end();
  }

  AllocationScorer scorer_;
  std::vector<Id> ignored_;
  std::vector<std::string> groups_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeResourcesFit(const PluginContext& context) {
  return std::make_unique<NodeResourcesFit>(context);
}

}  // namespace schedlens::sim::core
