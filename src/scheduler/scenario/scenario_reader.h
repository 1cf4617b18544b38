#pragma once

// A scenario from YAML; scenario.h has what users call.

#include <string>

#include "scheduler/scenario/scenario.h"

namespace YAML {
class Node;
}  // namespace YAML

namespace schedlens::sim {

/// Of a mapping, without the objects of `options`; what it says together is not checked. Throws
/// Error(kUsage) with file, line and path.
Scenario ReadScenario(const YAML::Node& root, const std::string& file,
                      const ScenarioOptions& options);

}  // namespace schedlens::sim
