#ifndef SCHEDLENS_SIM_CLUSTER_OBJECT_READER_H_
#define SCHEDLENS_SIM_CLUSTER_OBJECT_READER_H_

// One Kubernetes object from JSON into the scheduler's structs.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cluster/cluster.h"
#include "sim/cluster/objects_json.h"

namespace schedlens::sim::core {

/// Every method throws Error(kFailed) for what the object may not be; the caller adds which object
/// and file it was.
class ObjectReader {
 public:
  using Json = nlohmann::json;

  explicit ObjectReader(Strings& strings) : strings_(strings) {}

  PodObject ReadPod(const Json& json);
  Node ReadNode(const Json& json);
  Workload ReadWorkload(const Json& json, Workload::Kind kind);
  DisruptionBudget ReadBudget(const Json& json);
  Namespace ReadNamespace(const Json& json);
  PersistentVolume ReadVolume(const Json& json);
  VolumeClaim ReadClaim(const Json& json);
  StorageClass ReadStorageClass(const Json& json);
  CsiNode ReadCsiNode(const Json& json);
  CsiDriver ReadCsiDriver(const Json& json);
  StorageCapacity ReadStorageCapacity(const Json& json);

  /// What objects said that nobody plays, by words such as `pods with spec.xyz`, and how often.
  const std::map<std::string, int>& ignored() const { return ignored_; }

 private:
  Id Intern(const Json& value, const char* key);
  Id NamespaceOf(const Json& json);
  Id KeyOf(const Json& json);  // namespace/name
  // Counts a field that is not played.
  void NoteIgnored(const Json& where, const std::string& what, const char* field);
  void ReadPodVolume(const Json& json, PodSpec& out);
  ObjectLabels ReadLabels(const Json& json);
  static std::vector<Requirement> AsRequirements(const ObjectLabels& labels);
  // False if the operator or the number of its values is not one that Kubernetes parses.
  bool ReadRequirement(const Json& json, bool of_nodes, Requirement& out);
  LabelSelector ReadSelector(const Json& json);
  NodeSelectorTerm ReadNodeTerm(const Json& json);
  NodeAffinity ReadNodeAffinity(const Json& json);
  PodAffinityTerm ReadPodTerm(const Json& json, Id own_namespace);
  void ReadPodTerms(const Json& json, Id own_namespace, std::vector<PodAffinityTerm>& required,
                    std::vector<WeightedPodAffinityTerm>& preferred);
  SpreadConstraint ReadSpread(const Json& json, const ObjectLabels& own);
  Effect ReadEffect(const Json& json);
  Resources ReadResources(const Json& json);
  Container ReadContainer(const Json& json, bool init);
  Id ReadImage(const Json& json);
  void ReadPorts(const Json& container, bool host_network, std::vector<HostPort>& out);
  void ReadPodRequests(const Json& resources, PodSpec& out);
  void ReadResize(const Json& status, const Json& spec, PodSpec& out);
  void ReadActual(const Json& status, Container& out);
  void ReadSpec(const Json& metadata, const Json& spec, PodSpec& out);
  static std::int64_t PriorityOfClass(const Json& spec);
  Controller ReadController(const Json& json);
  // An annotation that does not parse avoids nothing.
  std::vector<Controller> ReadAvoids(const std::string& text);

  Strings& strings_;
  std::map<std::string, int> ignored_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_OBJECT_READER_H_
