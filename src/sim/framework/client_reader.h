#ifndef SCHEDLENS_SIM_FRAMEWORK_CLIENT_READER_H_
#define SCHEDLENS_SIM_FRAMEWORK_CLIENT_READER_H_

// How a scheduler talks to the API server, by its KubeSchedulerConfiguration.

#include "sim/framework/configuration.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

/// `clientConnection`: queries a second and burst; 0 leaves the default. Throws as
/// ReadConfiguration.
void ReadClientConnection(const YamlFields& f, const YAML::Node& node, Configuration& out);

/// `leaderElection` changes nothing here; its fields are checked. Throws as ReadConfiguration.
void CheckLeaderElection(const YamlFields& f, const YAML::Node& node);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_CLIENT_READER_H_
