#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_ARGS_READER_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_ARGS_READER_H_

// The `args` of a profile's pluginConfig.

#include <string>

#include "sim/framework/configuration.h"
#include "sim/framework/plugin_table.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

/// Reads the arguments of the plugin `name` into `args`. `at` is where an error about all of them
/// points. Plugins without arguments take none. Throws Error(kUsage) with file and line.
void ReadPluginArgs(const YamlFields& yaml, ApiVersion version, const std::string& name,
                    const YAML::Node& at, const YAML::Node& values, PluginArgs& args);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_ARGS_READER_H_
