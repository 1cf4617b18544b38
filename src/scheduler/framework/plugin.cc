#include "scheduler/framework/plugin.h"

#include <algorithm>

#include "kube/words.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

// For plugins whose filter every pod without volumes passes, and that score nothing: what they cost
// is the cost model's.
class Passing : public Plugin {
 public:
  bool PassesAll(const Attempt&) const override { return true; }
  bool SkipsScore(const Attempt&) const override { return true; }
};

// Of pods without claims on devices: others are refused when they are read (kClaimsNotModelled).
class DynamicResources : public Plugin {
 public:
  bool PassesAll(const Attempt&) const override { return true; }
  bool normalizes() const override { return true; }
  bool post_filter_needs_prefilter() const override { return true; }
  std::vector<std::string> PostFilterReasons(const Attempt&) const override {
    return {"no new claims to deallocate"};
  }
};

constexpr PluginMaker kDynamicResources[] = {{"DynamicResources", Make<DynamicResources>}};

}  // namespace

std::string_view CodeText(Code code) {
  using enum kube::StatusCode;
  constexpr kube::StatusCode kCodes[] = {kSuccess, kUnschedulable, kUnresolvable, kError};
  return ToString(kCodes[static_cast<std::size_t>(code)]);
}

void NormalizeByMaximum(std::span<std::int64_t> scores, bool reverse) {
  std::int64_t highest = 0;
  for (const std::int64_t score : scores) highest = std::max(highest, score);
  for (std::int64_t& score : scores) {
    if (highest != 0) score = 100 * score / highest;
    if (reverse) score = 100 - (highest == 0 ? 0 : score);
  }
}

bool MatchesRequiredNodeAffinity(const PodSpec& spec, const Node& node, const Strings& strings) {
  for (const Label& label : spec.node_selector) {
    if (FindLabel(node.labels, label.key) != label.value) return false;
  }
  return MatchesAny(spec.node_affinity.required, node.labels, node.name, strings);
}

const Taint* UntoleratedTaint(const PodSpec& spec, const Node& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != Effect::kNoSchedule && taint.effect != Effect::kNoExecute) continue;
    if (!Tolerates(spec.tolerations, taint)) return &taint;
  }
  return nullptr;
}

std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginContext& context) {
  for (const std::span<const PluginMaker> rows :
       {NodePlugins(), ResourcePlugins(), SpreadPlugins(), AffinityPlugins(), VolumePlugins(),
        std::span<const PluginMaker>(kDynamicResources)}) {
    const auto row = std::ranges::find(rows, name, &PluginMaker::name);
    if (row != rows.end()) return row->make(context);
  }
  return PointsOf(name, context.minor) == 0 ? nullptr : std::make_unique<Passing>();
}

}  // namespace schedlens::sim::core
