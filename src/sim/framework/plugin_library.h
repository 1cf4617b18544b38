#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_LIBRARY_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_LIBRARY_H_

// Plugins from a shared library (include/schedlens/plugin.h).

#include <string>
#include <vector>

#include "schedlens/plugin.h"

namespace schedlens::sim::core {

/// The library's plugins; it stays loaded for good. Throws Error: kFailed for a file that cannot be
/// opened or is no library, kUsage for one without the entry points, of another ABI, that registers
/// nothing or a name that is taken (in-tree or in `known`), or that throws.
std::vector<SchedulerPluginFactory> LoadPluginLibrary(
    const std::string& file, const std::vector<SchedulerPluginFactory>& known);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_LIBRARY_H_
