#pragma once

// Kubernetes objects from JSON, as the API server and kubectl print them, into a Cluster.

#include <map>
#include <nlohmann/json_fwd.hpp>

#include "base/text.h"
#include "base/yaml_load.h"
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

/// object_types.txt, embedded.
const std::vector<EmbeddedFile>& ObjectTypesTexts();

/// What is wrong with an object, and where.
struct FieldFault {
  std::vector<std::string> path;  ///< keys, and places in lists, from 0
  std::string why;                ///< `spec: unknown field ...`
};
/// The first field of an object of the API type `type` (`Pod`, `Node`, ...) that its type does not
/// have, whose value its type does not allow, or that is not modelled; nothing for a type that is
/// not in the table. With `unknown` it is read as a cluster printed it, who may be newer: a field
/// that resembles none of its type's is put there, as what is not modelled, and passes.
std::optional<FieldFault> FaultOf(const nlohmann::json& object, std::string_view type,
                                  std::vector<std::string>* unknown = nullptr);
using OnFault = std::function<void(const YAML::Node& at, const std::string& why)>;
/// The same of a manifest that a person wrote: calls `fail` with the key or element at fault.
void CheckManifest(const YAML::Node& manifest, std::string_view type, const OnFault& fail);

/// A node affinity that is no pod's own, as text for ReadNodeAffinity. Complains as the map does of
/// its keys, and of values as CheckManifest does, also of one that cannot be.
std::string NodeAffinityText(YamlMap manifest);
NodeAffinity ReadNodeAffinity(const std::string& text, Strings& strings);

/// Puts the objects of a file into the cluster: JSON or YAML, in one document or several, by
/// themselves or in lists; nodes before pods whatever the order. Pods with a nodeName are bound,
/// others pending; Succeeded and Failed ones are ignored. Pods that differ in name only share a
/// spec. Without `nodes` or `pods` those are skipped. `file` names the text in errors. Throws
/// Error(kFailed) for text that is neither and for an object that cannot be read (with its name),
/// Error(kUsage), with the line, for a field that looks mistyped or a value that its type does not
/// allow, and for a pod with what is not modelled.
Loaded LoadObjects(std::string_view text, std::string_view file, Cluster& cluster,
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
  std::string maker;          ///< of a file: the object whose template it is, `Deployment web`
  std::int64_t replicas = 1;  ///< that the maker asks for
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

/// A Pod, or the template of a Deployment, ReplicaSet, ReplicationController, StatefulSet or Job,
/// in a file of its own; other objects may stand beside it. Throws Error(kUsage) naming the file
/// and the line: text that is not YAML, another kind, several of them, what CheckManifest refuses,
/// no containers, scheduling gates (such a pod is not scheduled), a value that cannot be.
PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings);

}  // namespace schedlens::sim::core
