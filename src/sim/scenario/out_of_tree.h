#ifndef SCHEDLENS_SIM_SCENARIO_OUT_OF_TREE_H_
#define SCHEDLENS_SIM_SCENARIO_OUT_OF_TREE_H_

// Plugins of a configuration that are known by name and cost only.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schedlens/plugin.h"
#include "sim/framework/configuration.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

/// What nobody has measured: seconds a node at Filter and Score, a call elsewhere.
inline constexpr double kDefaultNodeSeconds = 1e-6;
inline constexpr double kDefaultCallSeconds = 5e-6;

/// The point of a configuration's key: `preFilter`, `score`. Nothing for another word.
std::optional<PluginPoint> PluginPointOfKey(std::string_view key);

/// A plugin that passes every node, scores none and takes that long.
SchedulerPluginFactory StandIn(std::string name, const DeclaredPlugin& declared);

/// Adds stand-ins for the plugins of the scenario's configuration that have no code, and a warning
/// for those without declared costs.
void AddStandIns(const std::vector<core::OutOfTreePlugin>& plugins, Scenario* scenario);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_OUT_OF_TREE_H_
