#ifndef SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_
#define SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_

// Between the public plugin interface and the framework's.

#include <memory>

#include "schedlens/sim.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {

/// The framework's view of a user's plugin.
std::unique_ptr<Plugin> AdaptOwnPlugin(std::unique_ptr<SchedulerPlugin> own);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_OWN_PLUGIN_H_
