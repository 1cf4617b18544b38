#ifndef SCHEDLENS_SIM_OBJECTS_JSON_H_
#define SCHEDLENS_SIM_OBJECTS_JSON_H_

// Kubernetes objects from JSON, as the API server and kubectl print them, into a Cluster.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/cluster.h"

namespace schedlens::sim::core {

/// A Quantity (`100m`, `1.5Gi`, `2e3`, `0.5`) in thousandths, rounded up as MilliValue() does;
/// clamped to int64. Nothing for text that is no quantity.
std::optional<std::int64_t> QuantityMilli(std::string_view text);
/// The same in whole units, rounded up as Value() does.
std::optional<std::int64_t> QuantityValue(std::string_view text);

/// What a List held, by kind.
struct Loaded {
  std::int32_t nodes = 0, pods = 0, pending_pods = 0, workloads = 0, budgets = 0, namespaces = 0;
  std::int32_t ignored = 0;  ///< kinds the scheduler does not look at, and finished pods
};

/// Puts a v1 List (or one object) into the cluster, in order: nodes before pods whatever the list's
/// order. Pods with a nodeName are bound, others pending; Succeeded and Failed ones are ignored.
/// `file` names the text in errors. Throws Error(kFailed) for text that is no JSON or an object
/// that makes no sense (with its name).
Loaded LoadObjects(std::string_view json, std::string_view file, Cluster& cluster);

/// One Pod or Node as YAML or JSON, defaulted as the API server would (limits become requests, TCP,
/// host ports of hostNetwork). Only `spec` and `metadata` matter. Throws Error(kUsage) naming
/// `file`.
PodSpec ReadPodManifest(std::string_view yaml, std::string_view file, Strings& strings,
                        Release release);
Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_OBJECTS_JSON_H_
