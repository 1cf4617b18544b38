#ifndef SCHEDLENS_SIM_FRAMEWORK_CONFIGURATION_FILE_H_
#define SCHEDLENS_SIM_FRAMEWORK_CONFIGURATION_FILE_H_

// Where in a file the scheduler's configuration is: alone, among other documents (what Helm
// renders), in a ConfigMap or in a list of objects.

#include <functional>
#include <string>
#include <string_view>

namespace YAML {
class Node;
}

namespace schedlens::sim::core {

/// Calls `visit(map, place)` for each KubeSchedulerConfiguration and each scheduler's Policy, in
/// the file's order; `place` is `file`, with the ConfigMap's key where it is in one. Objects of
/// other kinds are passed by. Throws Error(kUsage) for what is not YAML.
void EachConfiguration(
    std::string_view text, const std::string& file,
    const std::function<void(const YAML::Node& map, const std::string& place)>& visit);

/// A Policy of the scheduler (`kind: Policy`, up to 1.22), not one of other programs.
bool IsPolicy(const YAML::Node& map);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_CONFIGURATION_FILE_H_
