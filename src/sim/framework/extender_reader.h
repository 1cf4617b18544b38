#ifndef SCHEDLENS_SIM_FRAMEWORK_EXTENDER_READER_H_
#define SCHEDLENS_SIM_FRAMEWORK_EXTENDER_READER_H_

// The extenders of a KubeSchedulerConfiguration.

#include <vector>

#include "sim/framework/configuration.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

/// Adds those of the list. Throws as ReadConfiguration.
void ReadExtenders(const YamlFields& f, const YAML::Node& node,
                   std::vector<ExtenderConfiguration>& extenders);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_EXTENDER_READER_H_
