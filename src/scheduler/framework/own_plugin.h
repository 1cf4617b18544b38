#pragma once

// Plugins from outside the tree (include/schedlens/plugin.h): between their interface and the
// framework's, and shared libraries of them.

#include <memory>
#include <string>
#include <vector>

#include "schedlens/plugin.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {

/// The framework's view of a user's plugin that a profile enables at `points`. What the plugin
/// throws becomes Error(kFailed) with its name and the point.
std::unique_ptr<Plugin> AdaptOwnPlugin(std::string name, std::unique_ptr<SchedulerPlugin> own,
                                       Points points);

/// The library's plugins; it stays loaded for good. Throws Error: kFailed for a file that cannot be
/// opened or is no library, kUsage for one without the entry points, of another ABI, that registers
/// nothing or a name that is taken (in-tree or in `known`), or that throws.
std::vector<SchedulerPluginFactory> LoadPluginLibrary(
    const std::string& file, const std::vector<SchedulerPluginFactory>& known);

}  // namespace schedlens::sim::core
