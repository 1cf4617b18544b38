#ifndef SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_
#define SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_

// A scheduler's Policy (up to 1.22): predicates, priorities and extenders.

#include "sim/framework/plugin_table.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

struct Policy {
  PluginSets plugins;  ///< instead of the defaults where the file lists predicates or priorities
  std::vector<ExtenderConfiguration> extenders;
  std::int64_t hard_pod_affinity_weight = 1;
};

/// Predicates and priorities as the plugins that took their place. What that release has no plugin
/// for (arguments of one's own, a predicate of an older release) is put down in `found` and left
/// out. Throws as YamlFields::Fail for values of another kind.
Policy ReadPolicy(const YamlFields& yaml, const YAML::Node& map, int minor, FoundInFile* found);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_POLICY_READER_H_
