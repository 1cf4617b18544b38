#include "scheduler/framework/plugin.h"

#include <algorithm>

#include "kube/words.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

// For plugins whose filter every pod without volumes passes, and that score nothing: what they cost
// is the cost model's. DynamicResources is one for pods without claims on devices; others are
// refused when they are read (kClaimsNotModelled).
class Passing : public Plugin {
 public:
  /// `scores`: it takes part in scoring, with 0 for every node.
  explicit Passing(bool scores) : scores_(scores) {}
  bool PassesAll(const Attempt&) const override { return true; }
  bool SkipsScore(const Attempt&) const override { return !scores_; }

 private:
  bool scores_;
};

}  // namespace

std::string_view CodeText(Code code) {
  using enum kube::StatusCode;
  constexpr kube::StatusCode kCodes[] = {kSuccess, kUnschedulable, kUnresolvable, kError};
  return ToString(kCodes[static_cast<std::size_t>(code)]);
}

void NormalizeByMaximum(ScoreSpan scores, bool reverse) {
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
       {NodePlugins(), ResourcePlugins(), SpreadPlugins(), AffinityPlugins(), VolumePlugins()}) {
    const auto row = std::ranges::find(rows, name, &PluginMaker::name);
    if (row != rows.end()) return row->make(context);
  }
  if (PointsOf(name, context.minor) == 0) return nullptr;
  return std::make_unique<Passing>(name == "DynamicResources");
}

}  // namespace schedlens::sim::core
