#ifndef SCHEDLENS_SIM_CLUSTER_POD_MANIFEST_H_
#define SCHEDLENS_SIM_CLUSTER_POD_MANIFEST_H_

// A pod's manifest as a person hands it in: a file of its own, with lines to point at.

#include <string_view>

#include "sim/cluster/objects_json.h"

namespace schedlens::sim::core {

/// Throws Error(kUsage) naming the file and the line: text that is not YAML, another kind, no
/// containers, scheduling gates (such a pod is not scheduled), a value that cannot be.
PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_POD_MANIFEST_H_
