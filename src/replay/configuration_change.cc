#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "replay/named_configuration.h"
#include "replay/setting_change.h"
#include "schedlens/error.h"
#include "scheduler/framework/plugin_table.h"
#include "scheduler/scenario/cluster.h"
#include "scheduler/scenario/scenario_reader.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::core::Configuration;
using sim::core::ExtensionPoint;
using sim::core::FoundInFile;
using sim::core::OutOfTreePlugin;

/// Points whose plugins are sampled, and what they cost.
struct SampledPoint {
  ExtensionPoint point;
  std::vector<Cost> costs;
};
const std::vector<SampledPoint>& SampledPoints() {
  static const std::vector<SampledPoint> rows = {
      {ExtensionPoint::kPreFilter, {Cost::kPreFilter}},
      {ExtensionPoint::kFilter, {Cost::kFilter}},
      {ExtensionPoint::kPreScore, {Cost::kPreScore}},
      {ExtensionPoint::kScore, {Cost::kScore}},
      {ExtensionPoint::kReserve, {Cost::kReserveWait}},
      {ExtensionPoint::kPreBind, {Cost::kPreBind, Cost::kPreBindWait}},
  };
  return rows;
}

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
    if (ToString(row.point) == PointAndName(key).first) return row;
    known += (known.empty() ? "" : ", ") + std::string(ToString(row.point));
  }
  throw Error(ErrorKind::kUsage, fmt::format("--set {}: a time can be given at {}", key, known));
}

/// Time on top of what was measured at a point, where the fit leaves a step free: on the loop, or
/// for PreBind before its goroutine runs.
Cost FreeStep(ExtensionPoint point) {
  return point == ExtensionPoint::kPreBind ? Cost::kSpawn : Cost::kAssume;
}

void AddSeconds(ExtensionPoint point, double seconds, Fitted* fitted) {
  sim::Distribution& wall = fitted->now().costs[FreeStep(point)].wall;
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
      if (plugin.extension_point != ToString(row.point)) continue;
      if (!point.empty() && plugin.extension_point != point) continue;
      const double share = std::clamp(*plugin.wall_share.value, 0.0, 1.0);
      // It is a sample of a tenth of the attempts; less gain or more loss at the extreme.
      const double other = factor < 1 ? plugin.wall_share.low.value_or(share / 2)
                                      : plugin.wall_share.high.value_or(1);
      changed->Scale(row.costs, 1 - share * (1 - factor),
                     1 - std::clamp(other, 0.0, 1.0) * (1 - factor));
      changed->Say("whatif.plugin", {{"point", plugin.extension_point},
                                     {"plugin", name},
                                     {"share", arg::Share(share)},
                                     {"factor", arg::Number(factor)}});
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

/// Whether a profile runs the plugin at that point.
bool Enabled(const Configuration& configuration, ExtensionPoint point, const std::string& plugin) {
  for (const sim::core::Profile& profile : configuration.profiles) {
    for (const auto& enabled : profile.At(point)) {
      if (enabled.name == plugin) return true;
    }
  }
  return false;
}

void ApplyClient(const Configuration& configuration, const Investigation& investigation,
                 Changed* changed) {
  for (Fitted* fitted : changed->Both()) {
    fitted->scenario.qps = configuration.client_qps;
    fitted->scenario.client_burst = configuration.client_burst;
  }
  Message limit("whatif.config.client.default",
                {{"qps", arg::Number(configuration.client_qps)},
                 {"burst", arg::Count(configuration.client_burst)}});
  if (changed->likely.limited) {
    limit.id = "whatif.config.client";
    limit.args.push_back({"rate", arg::Number(investigation.evidence->dispersion->rate)});
  }
  changed->assumptions.push_back(std::move(limit));
  FollowRollOut(investigation, changed);
}

void ApplyExtenders(const Configuration& configuration, const Investigation& investigation,
                    Changed* changed) {
  const WindowEvidence& c = *investigation.evidence;
  const bool loop_seen = LoopExtenderSeen(investigation);
  bool binds = false, loops = false;
  for (const sim::core::ExtenderConfiguration& extender : configuration.extenders) {
    binds = binds || !extender.bind_verb.empty();
    loops = loops || !extender.filter_verb.empty() || !extender.prioritize_verb.empty();
  }
  const bool bind_seen = c.now.breakdown.extender_binds > 0;
  if (bind_seen && !binds) RemoveBinder(investigation, changed);
  if (loop_seen && !loops) RemoveLoopExtender(investigation, changed);
  if (bind_seen && binds) changed->Say("whatif.config.binder");
  if (loop_seen && loops) changed->Say("whatif.config.loop_extender");
  if ((!bind_seen && binds) || (!loop_seen && loops)) {
    changed->Say("whatif.config.extender_not_seen");
  }
}

void ApplyPlugins(const Configuration& configuration, const Investigation& investigation,
                  Changed* changed) {
  for (const SampledPoint& row : SampledPoints()) {
    double gone = 0;
    std::string names;
    for (const PluginRow& plugin : investigation.diagnosis.plugins) {
      if (plugin.extension_point != ToString(row.point) || !plugin.wall_share.value ||
          Enabled(configuration, row.point, plugin.plugin)) {
        continue;
      }
      gone += *plugin.wall_share.value;
      names += (names.empty() ? "" : ", ") + plugin.plugin;
    }
    if (names.empty()) continue;
    changed->Scale(row.costs, std::max(0.0, 1 - gone), 1);
    changed->Say("whatif.config.plugins", {{"point", std::string(ToString(row.point))},
                                           {"plugins", names},
                                           {"gone", arg::Share(std::min(1.0, gone))}});
  }
}

/// In-tree plugins that the file enables beyond the defaults and that no sample of the window
/// shows.
void NameNewPlugins(const Configuration& configuration, const Investigation& investigation,
                    const std::vector<OutOfTreePlugin>& out_of_tree, Changed* changed) {
  const Configuration defaults = sim::core::DefaultConfiguration(configuration.release);
  std::set<std::string> fresh;
  for (const SampledPoint& row : SampledPoints()) {
    for (const sim::core::Profile& profile : configuration.profiles) {
      for (const auto& plugin : profile.At(row.point)) {
        if (!Enabled(defaults, row.point, plugin.name)) fresh.insert(plugin.name);
      }
    }
  }
  for (const PluginRow& measured : investigation.diagnosis.plugins) fresh.erase(measured.plugin);
  for (const OutOfTreePlugin& plugin : out_of_tree) fresh.erase(plugin.name);
  for (const std::string& name : fresh) {
    changed->Say("whatif.config.new_plugin", {{"plugin", name}});
  }
}

}  // namespace

void ApplyToPlugin(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kSet) {
    const SampledPoint& row = PointOf(change.key);
    ScaleMeasured(change.key, 0, investigation, changed);
    Declare(change.key, row.point, change.value, change.value, changed);
    changed->Say("whatif.plugin.declared",
                 {{"plugin", change.key}, {"seconds", arg::Duration(change.value)}});
    return;
  }
  const double factor = change.kind == ChangeKind::kRemoved ? 0 : change.value;
  if (!ScaleMeasured(change.key, factor, investigation, changed)) {
    throw NotMeasured(change.key, investigation);
  }
}

void AddUnmeasured(const OutOfTreePlugin& plugin, const Configuration& configuration,
                   const Investigation& investigation, Changed* changed) {
  const auto nodes = NodesOf(investigation);
  const int looked_at =
      nodes ? sim::core::NumFeasibleNodesToFind(configuration.percentage_of_nodes_to_score, *nodes)
            : kNodesUnknown;
  double all = 0;
  for (const SampledPoint& row : SampledPoints()) {
    const std::string key = std::string(ToString(row.point)) + "/" + plugin.name;
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

void ApplyConfiguration(const Change& change, const Investigation& investigation,
                        Changed* changed) {
  FoundInFile found;
  const Configuration configuration =
      ReadAsFound(change.text, change.file, investigation.diagnosis, &found);
  for (Message& remark : RemarksOn(found, configuration)) {
    changed->assumptions.push_back(std::move(remark));
  }
  ApplyClient(configuration, investigation, changed);
  ApplyExtenders(configuration, investigation, changed);
  std::int32_t percentage = configuration.percentage_of_nodes_to_score;
  if (!configuration.profiles.empty()) {
    percentage = configuration.profiles.front().percentage_of_nodes_to_score.value_or(percentage);
  }
  ApplyPercentage(percentage, investigation, changed);
  ApplyParallelism(configuration.parallelism, changed);
  ApplyPlugins(configuration, investigation, changed);
  NameNewPlugins(configuration, investigation, found.out_of_tree, changed);
  for (const OutOfTreePlugin& plugin : found.out_of_tree) {
    AddUnmeasured(plugin, configuration, investigation, changed);
  }
  changed->Say("whatif.config.no_change");
}

}  // namespace schedlens
