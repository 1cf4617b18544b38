#ifndef SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_
#define SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_

// Between the public plugin interface and the framework's.

#include <memory>
#include <string>

#include "schedlens/plugin.h"
#include "sim/framework/plugin.h"
#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {

/// The framework's view of a user's plugin that a profile enables at `points`. What the plugin
/// throws becomes Error(kFailed) with its name and the point.
std::unique_ptr<Plugin> AdaptOwnPlugin(std::string name, std::unique_ptr<SchedulerPlugin> own,
                                       Points points);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_
