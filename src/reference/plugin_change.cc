#include "reference/plugin_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/nearest.h"
#include "reference/cluster_size.h"
#include "reference/setting_change.h"
#include "schedlens/error.h"
#include "sim/framework/plugin_table.h"
#include "sim/scenario/cluster.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::core::ExtensionPoint;

/// Of the node loop's worker time, what runs at once.
constexpr double kWorkersAtOnce = 2;
/// Nodes that are looked at where nobody says how many there are: the fewest of any large cluster.
constexpr int kNodesUnknown = 100;
/// What nobody has measured may be dearer by this factor.
constexpr double kMayBeDearer = 10;

/// `Point/NAME` apart; without a slash there is no point.
std::pair<std::string, std::string> PointAndName(const std::string& key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string::npos) return {"", key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

const SampledPoint& PointOf(const std::string& key) {
  std::string known;
  for (const SampledPoint& row : SampledPoints()) {
    if (ToString(row.name) == PointAndName(key).first) return row;
    known += (known.empty() ? "" : ", ") + std::string(ToString(row.name));
  }
  throw Error(ErrorKind::kUsage, fmt::format("--set {}: a time can be given at {}", key, known));
}

/// Time on top of what was measured at a point, where the fit leaves a step free: on the loop, or
/// for PreBind before its goroutine runs.
Cost FreeStep(ExtensionPoint point) {
  return point == ExtensionPoint::kPreBind ? Cost::kSpawn : Cost::kAssume;
}

void AddSeconds(ExtensionPoint point, double seconds, Fitted* fitted) {
  sim::Distribution& wall = fitted->scenario.segments.back().conditions.costs[FreeStep(point)].wall;
  wall = sim::Distribution::Constant(std::max(0.0, wall.Mean() + seconds));
}

/// Puts `likely` and `extreme` seconds an attempt in place of what was declared there before.
void Declare(const std::string& key, ExtensionPoint point, double likely, double extreme,
             Changed* changed) {
  auto& [was, was_extreme] = changed->declared[key];
  AddSeconds(point, likely - was, &changed->likely);
  AddSeconds(point, extreme - was_extreme, &changed->extreme);
  was = likely;
  was_extreme = extreme;
  changed->differ = changed->differ || likely != extreme;
}

/// Scales what a plugin takes of its points, as far as it was measured; false if it was not.
bool ScaleMeasured(const std::string& key, double factor, const Investigation& investigation,
                   Changed* changed) {
  const auto [point, name] = PointAndName(key);
  bool found = false;
  for (const PluginRow& plugin : investigation.diagnosis.plugins) {
    if (plugin.plugin != name || !plugin.wall_share.value) continue;
    for (const SampledPoint& row : SampledPoints()) {
      if (plugin.extension_point != ToString(row.name)) continue;
      if (!point.empty() && plugin.extension_point != point) continue;
      const double share = std::clamp(*plugin.wall_share.value, 0.0, 1.0);
      // It is a sample of a tenth of the attempts; less gain or more loss at the extreme.
      const double other = factor < 1 ? plugin.wall_share.low.value_or(share / 2)
                                      : plugin.wall_share.high.value_or(1);
      changed->Scale(row.costs, 1 - share * (1 - factor),
                     1 - std::clamp(other, 0.0, 1.0) * (1 - factor));
      changed->assumptions.push_back(Message("whatif.plugin", {{"point", plugin.extension_point},
                                                               {"plugin", name},
                                                               {"share", arg::Share(share)},
                                                               {"factor", arg::Number(factor)}}));
      found = true;
    }
  }
  return found;
}

Error NotMeasured(const std::string& key, const Investigation& investigation) {
  std::vector<std::string> seen;
  for (const PluginRow& plugin : investigation.diagnosis.plugins) {
    seen.push_back(plugin.extension_point + "/" + plugin.plugin);
  }
  return Error(ErrorKind::kInsufficientData,
               seen.empty() ? fmt::format("--set {}: no plugin was measured in this window "
                                          "(scheduler_plugin_execution_duration_seconds)",
                                          key)
                            : fmt::format("--set {}: no such plugin was measured; did you mean {}?",
                                          key, Nearest(key, seen)));
}

}  // namespace

bool Enabled(const sim::core::Configuration& configuration, ExtensionPoint point,
             const std::string& plugin) {
  return std::any_of(configuration.profiles.begin(), configuration.profiles.end(),
                     [&](const sim::core::Profile& profile) {
                       const auto& at = profile.At(point);
                       return std::any_of(at.begin(), at.end(), [&](const auto& enabled) {
                         return enabled.name == plugin;
                       });
                     });
}

void ApplyToPlugin(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kSet) {
    const SampledPoint& row = PointOf(change.key);
    ScaleMeasured(change.key, 0, investigation, changed);
    Declare(change.key, row.point, change.value, change.value, changed);
    changed->assumptions.push_back(
        Message("whatif.plugin.declared",
                {{"plugin", change.key}, {"seconds", arg::Duration(change.value)}}));
    return;
  }
  const double factor = change.kind == ChangeKind::kRemoved ? 0 : change.value;
  if (!ScaleMeasured(change.key, factor, investigation, changed)) {
    throw NotMeasured(change.key, investigation);
  }
}

void AddUnmeasured(const sim::core::OutOfTreePlugin& plugin,
                   const sim::core::Configuration& configuration,
                   const Investigation& investigation, Changed* changed) {
  const auto nodes = NodesOf(investigation);
  const int looked_at =
      nodes ? sim::core::NumFeasibleNodesToFind(configuration.percentage_of_nodes_to_score, *nodes)
            : kNodesUnknown;
  double all = 0;
  for (const SampledPoint& row : SampledPoints()) {
    const std::string key = std::string(ToString(row.name)) + "/" + plugin.name;
    if (!Enabled(configuration, row.point, plugin.name) || changed->declared.contains(key))
      continue;
    const bool by_node =
        row.point == ExtensionPoint::kFilter || row.point == ExtensionPoint::kScore;
    const double seconds =
        by_node ? sim::kDefaultNodeSeconds * looked_at / kWorkersAtOnce : sim::kDefaultCallSeconds;
    Declare(key, row.point, seconds, kMayBeDearer * seconds, changed);
    all += seconds;
  }
  Message text("whatif.config.out_of_tree",
               {{"plugin", plugin.name}, {"seconds", arg::Duration(all)}});
  if (sim::core::IsUnplayed(plugin.name, configuration.release.minor)) {
    text.id = "whatif.config.unplayed";
  } else if (!plugin.close.empty()) {
    text.id = "whatif.config.out_of_tree.close";
    text.args.push_back({"meant", plugin.close});
  }
  changed->assumptions.push_back(std::move(text));
}

}  // namespace schedlens
