#ifndef SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_
#define SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_

// A scheduler's Policy (up to 1.22): predicates, priorities and extenders; and what it shares with
// a KubeSchedulerConfiguration.

#include <string>
#include <vector>

#include "sim/framework/configuration.h"
#include "sim/framework/plugin_names.h"
#include "sim/framework/plugin_table.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

/// Adds those of the list. Throws as ReadConfiguration.
void ReadExtenders(const YamlFields& f, const YAML::Node& node,
                   std::vector<ExtenderConfiguration>& extenders);

/// Reads the arguments of the plugin `name` into `args`. `at` is where an error about all of them
/// points. Plugins without arguments take none. Throws Error(kUsage) with file and line.
void ReadPluginArgs(const YamlFields& yaml, ApiVersion version, const std::string& name,
                    const YAML::Node& at, const YAML::Node& values, PluginArgs& args);

struct Policy {
  PluginSets plugins;  ///< instead of the defaults where the file lists predicates or priorities
  std::vector<ExtenderConfiguration> extenders;
  PluginArgs args;
};

/// Predicates and priorities as the plugins that took their place. What that release has no plugin
/// for (a predicate of an older release) is put down in `found` and left out; a plugin that nothing
/// here plays goes to `names`, or without it to `found` too. Throws as YamlFields::Fail for values
/// of another kind.
Policy ReadPolicy(const YamlFields& yaml, const YAML::Node& map, int minor, PluginNames* names,
                  FoundInFile* found);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_
