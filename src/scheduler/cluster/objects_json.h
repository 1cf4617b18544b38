#pragma once

// Kubernetes objects from JSON, as the API server and kubectl print them, into a Cluster.

#include <map>

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::core {

/// What a List held, by kind.
struct Loaded {
  std::int32_t nodes = 0, pods = 0;
  std::int32_t ignored = 0;  ///< kinds the scheduler does not look at, and finished pods
  /// What is not played of objects that are: `pods with spec.xyz`, how many.
  std::map<std::string, int> ignored_fields;
};

/// `objects of kind Job (1), pods with spec.xyz (3)`; empty if nothing is.
std::string IgnoredText(const std::map<std::string, int>& ignored);

/// Puts a v1 List (or one object) into the cluster, in order: nodes before pods whatever the list's
/// order. Pods with a nodeName are bound, others pending; Succeeded and Failed ones are ignored.
/// Pods that differ in name only share a spec. Without `nodes` or `pods` those are skipped. `file`
/// names the text in errors. Throws Error(kFailed) for text that is not JSON or for an invalid
/// object (with its name), and Error(kUsage) for a pod with what is not modelled.
Loaded LoadObjects(std::string_view json, std::string_view file, Cluster& cluster,
                   bool nodes = true, bool pods = true);

/// A pod with what is not in its spec.
struct PodObject {
  PodSpec spec;
  std::string name;
  Id uid = 0;
  std::string phase;
  std::int64_t start_ms = 0;  ///< 0 if it has not started
  bool terminating = false;
  bool preempted_by_scheduler = false;  ///< condition DisruptionTarget, PreemptionByScheduler
  Id nominated_node = 0;                ///< name; 0 for none
};

/// Which devices a pod gets is not modelled: one that claims some is refused with this.
inline constexpr const char* kClaimsNotModelled =
    "spec.resourceClaims (dynamic resource allocation) is not modelled; remove it to place the pod "
    "by the rest of its spec";

/// It has left its node, and counts no more.
inline bool IsFinished(const PodObject& pod) {
  return pod.phase == "Succeeded" || pod.phase == "Failed";
}

/// A Pod from YAML (or JSON), as a person writes a manifest, defaulted as the API server would
/// (limits become requests, TCP, host ports of hostNetwork); `metadata.name` may be missing. Throws
/// Error(kUsage) naming `file` and the line, Error(kFailed) for a value that cannot be.
PodObject ReadPodManifest(std::string_view yaml, std::string_view file, Strings& strings);
Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings);

// A manifest as a person hands it in: a file of its own, with lines to point at.
/// Throws Error(kUsage) naming the file and the line: text that is not YAML, another kind, no
/// containers, scheduling gates (such a pod is not scheduled), a value that cannot be.
PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings);

}  // namespace schedlens::sim::core
