#pragma once

// Parts of the scheduler's configuration, and where in a file it is: alone, among other documents
// (what Helm renders), in a list of objects, or in a field or a text of one: a ConfigMap, the
// machine's configuration, the files that a node is set up with.

#include "base/yaml_load.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {

/// Each KubeSchedulerConfiguration and each scheduler's Policy, in the file's order, with its
/// place: `file`, with the key of the text where it is in one. Everything else is passed by. Throws
/// Error(kUsage) for what is not YAML; of a text in an object only where the file has no
/// configuration besides.
std::vector<std::pair<YAML::Node, std::string>> ConfigurationsIn(std::string_view text,
                                                                 const std::string& file);

/// The one that the flags of a container that runs kube-scheduler give, in a file without any:
/// nothing where there is none, or where they name a file. Throws Error(kUsage) for a flag that is
/// no number.
std::optional<Configuration> ConfigurationOfFlags(std::string_view text, const std::string& file,
                                                  const std::optional<Release>& release,
                                                  FoundInFile* found);

/// Throws Error(kUsage) for a file that has none: which kinds it has instead, and the file that
/// `--config` in it names.
[[noreturn]] void ThrowNoConfiguration(std::string_view text, const std::string& file);

/// A Policy of the scheduler (`kind: Policy`, up to 1.22), not one of other programs.
bool IsPolicy(const YAML::Node& map);

/// Adds the extenders of a configuration or Policy. Throws as YamlMap.
void ReadExtenders(YamlMap& map, std::vector<ExtenderConfiguration>& extenders);

/// Reads the arguments of the plugin `name` into `args`; `at` is where an error about all of them
/// points. Plugins without arguments take none. Throws as YamlMap.
void ReadPluginArgs(YamlMap map, ApiVersion version, const std::string& name, const YAML::Node& at,
                    PluginArgs& args);

}  // namespace schedlens::sim::core
