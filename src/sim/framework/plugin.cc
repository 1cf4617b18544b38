#include "sim/framework/plugin.h"

#include <algorithm>

#include "kube/words.h"
#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

using Make = std::unique_ptr<Plugin> (*)(const PluginContext&);

struct PluginRow {
  std::string_view name;
  Make make;
};

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

std::unique_ptr<Plugin> MakeDynamicResources(const PluginContext&) {
  return std::make_unique<DynamicResources>();
}

constexpr PluginRow kRows[] = {
    {"NodeUnschedulable", MakeNodeUnschedulable},
    {"NodeName", MakeNodeName},
    {"TaintToleration", MakeTaintToleration},
    {"NodeAffinity", MakeNodeAffinity},
    {"NodePorts", MakeNodePorts},
    {"NodeResourcesFit", MakeNodeResourcesFit},
    {"NodeResourcesLeastAllocated", MakeLeastAllocated},
    {"NodeResourcesMostAllocated", MakeMostAllocated},
    {"RequestedToCapacityRatio", MakeRequestedToCapacityRatio},
    {"NodeResourcesBalancedAllocation", MakeBalancedAllocation},
    {"ImageLocality", MakeImageLocality},
    {"NodePreferAvoidPods", MakeNodePreferAvoidPods},
    {"PodTopologySpread", MakePodTopologySpread},
    {"InterPodAffinity", MakeInterPodAffinity},
    {"SelectorSpread", MakeSelectorSpread},
    {"DynamicResources", MakeDynamicResources},
    {"NodeVolumeLimits", MakeNodeVolumeLimits},
    {"VolumeBinding", MakeVolumeBinding},
    {"VolumeRestrictions", MakeVolumeRestrictions},
    {"VolumeZone", MakeVolumeZone},
};

}  // namespace

std::string_view CodeText(Code code) {
  switch (code) {
    case Code::kSuccess:
      return ToString(kube::StatusCode::kSuccess);
    case Code::kUnschedulable:
      return ToString(kube::StatusCode::kUnschedulable);
    case Code::kUnresolvable:
      return ToString(kube::StatusCode::kUnresolvable);
    case Code::kError:
      return ToString(kube::StatusCode::kError);
  }
  return "";
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
  const auto& required = spec.node_affinity.required;
  return !required || std::any_of(required->begin(), required->end(), [&](const auto& term) {
    return Matches(term, node.labels, node.name, strings);
  });
}

const Taint* UntoleratedTaint(const PodSpec& spec, const Node& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != Effect::kNoSchedule && taint.effect != Effect::kNoExecute) continue;
    const bool tolerated =
        std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                    [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

std::unique_ptr<Plugin> MakePassing(const PluginContext&) { return std::make_unique<Passing>(); }

std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginContext& context) {
  for (const PluginRow& row : kRows) {
    if (row.name == name) return row.make(context);
  }
  return PointsOf(name, context.minor) == 0 ? nullptr : MakePassing(context);
}

}  // namespace schedlens::sim::core
