// Nodes, workloads, budgets, volumes.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::sim::core {
namespace {

unsigned ReadAccessModes(const Json& spec) {
  // In the order of AccessMode's bits.
  constexpr std::string_view kModes[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                         "ReadWriteOncePod"};
  unsigned out = 0;
  for (const Json& item : ListAt(spec, "accessModes")) {
    const std::string text = Text(item, "accessModes");
    const auto* mode = std::ranges::find(kModes, text);
    if (mode == std::end(kModes)) Bad("unknown access mode `" + text + "`");
    out |= 1U << (mode - std::begin(kModes));
  }
  return out;
}

// The old annotation goes before the field.
const Json& ClassOf(const Json& json) {
  const Json& old =
      At(At(json, "metadata"), "annotations", "volume.beta.kubernetes.io/storage-class");
  return old.is_null() ? At(json, "spec", "storageClassName") : old;
}

bool IsBlock(const Json& spec) { return TextAt(spec, "volumeMode") == "Block"; }

bool IsDeleting(const Json& json) { return !At(json, "metadata", "deletionTimestamp").is_null(); }

class Reader : public ObjectFields {
 public:
  using ObjectFields::ObjectFields;

  Node ReadNode(const Json& json) {
    Node out;
    const Json& metadata = At(json, "metadata");
    const Json& spec = At(json, "spec");
    const Json& status = At(json, "status");
    out.name = InternAt(metadata, "name");
    out.labels = ReadLabels(At(metadata, "labels"));
    out.unschedulable = Truth(spec, "unschedulable");
    for (const Json& taint : ListAt(spec, "taints")) {
      out.taints.push_back(
          {InternAt(taint, "key"), InternAt(taint, "value"), ReadEffect(At(taint, "effect"))});
    }
    const Json& allocatable = At(status, "allocatable");
    out.allocatable = ReadResources(allocatable.is_null() ? At(status, "capacity") : allocatable);
    for (const Json& image : ListAt(status, "images")) {
      Image& added = out.images.emplace_back();
      added.size_bytes = Integer(image, "sizeBytes", 0);
      added.names = Ids(image, "names");
    }
    const Json& avoid =
        At(metadata, "annotations", "scheduler.alpha.kubernetes.io/preferAvoidPods");
    if (avoid.is_string()) out.avoids = ReadAvoids(avoid.get<std::string>());
    return out;
  }

  Workload ReadWorkload(const Json& json, Workload::Kind kind) {
    Workload out;
    out.kind = kind;
    out.name = InternAt(json, "metadata", "name");
    out.namespace_name = NamespaceOf(At(json, "metadata"));
    const Json& selector = At(json, "spec", "selector");
    const bool plain =
        kind == Workload::Kind::kService || kind == Workload::Kind::kReplicationController;
    if (!plain) {
      out.selector = ReadSelector(selector);
    } else if (!selector.is_null()) {
      out.selector.nothing = false;
      out.selector.requirements = AsRequirements(ReadLabels(selector));
    }
    return out;
  }

  DisruptionBudget ReadBudget(const Json& json) {
    DisruptionBudget out;
    out.name = InternAt(json, "metadata", "name");
    out.namespace_name = NamespaceOf(At(json, "metadata"));
    out.selector = ReadSelector(At(json, "spec", "selector"));
    const Json& status = At(json, "status");
    out.disruptions_allowed = Integer(status, "disruptionsAllowed", 0);
    if (const Json& pods = At(status, "disruptedPods"); pods.is_object()) {
      for (const auto& pod : pods.items()) out.disrupted_pods.push_back(strings_.Intern(pod.key()));
    }
    std::ranges::sort(out.disrupted_pods);
    return out;
  }

  Namespace ReadNamespace(const Json& json) {
    return {InternAt(json, "metadata", "name"), ReadLabels(At(json, "metadata", "labels"))};
  }

  void NoteIgnored(const Json& where, const std::string& what, const char* field) {
    if (!At(where, field).is_null()) ++ignored_[what + field];
  }

  std::vector<Controller> ReadAvoids(const std::string& text) {
    std::vector<Controller> out;
    const Json json = Json::parse(ShallowJson(text), nullptr, false);
    if (json.is_discarded()) return out;
    try {
      for (const Json& avoid : ListAt(json, "preferAvoidPods")) {
        out.push_back(ReadController(At(avoid, "podSignature", "podController")));
      }
    } catch (const Error&) {
      out.clear();
    }
    return out;
  }

  // PersistentVolumes, their claims and classes, CSINodes, CSIDrivers and CSIStorageCapacities.

  Id KeyOf(const Json& json) {
    return strings_.Intern(strings_.Text(NamespaceOf(At(json, "metadata"))) + "/" +
                           TextAt(json, "metadata", "name"));
  }

  PersistentVolume ReadVolume(const Json& json) {
    PersistentVolume out;
    const Json& metadata = At(json, "metadata");
    const Json& spec = At(json, "spec");
    out.name = InternAt(metadata, "name");
    out.labels = ReadLabels(At(metadata, "labels"));
    const Json& storage = At(spec, "capacity", "storage");
    if (!storage.is_null()) out.capacity = Amount(storage, "storage", false);
    out.storage_class = Intern(ClassOf(json), "storageClassName");
    out.access_modes = ReadAccessModes(spec);
    out.block = IsBlock(spec);
    out.available = TextAt(json, "status", "phase") == "Available";
    out.deleting = IsDeleting(json);
    out.driver = InternAt(spec, "csi", "driver");
    out.handle = InternAt(spec, "csi", "volumeHandle");
    out.node_affinity = ReadNodeTerms(At(spec, "nodeAffinity", "required"));
    if (const Json& claim = At(spec, "claimRef"); !claim.is_null()) {
      out.claim = strings_.Intern(TextAt(claim, "namespace") + "/" + TextAt(claim, "name"));
      out.claim_uid = InternAt(claim, "uid");
    }
    NoteIgnored(spec, "PersistentVolumes with spec.", "volumeAttributesClassName");
    return out;
  }

  VolumeClaim ReadClaim(const Json& json) {
    VolumeClaim out;
    const Json& metadata = At(json, "metadata");
    const Json& spec = At(json, "spec");
    const Json& annotations = At(metadata, "annotations");
    out.key = KeyOf(json);
    out.name = InternAt(metadata, "name");
    out.uid = InternAt(metadata, "uid");
    const Json& storage = At(At(spec, "resources"), "requests", "storage");
    out.has_request = !storage.is_null();
    if (out.has_request) out.request = Amount(storage, "storage", false);
    out.storage_class = Intern(ClassOf(json), "storageClassName");
    out.access_modes = ReadAccessModes(spec);
    out.block = IsBlock(spec);
    if (const Json& selector = At(spec, "selector"); !selector.is_null()) {
      out.selector = ReadSelector(selector);
    }
    out.volume = InternAt(spec, "volumeName");
    out.bind_completed = !At(annotations, "pv.kubernetes.io/bind-completed").is_null();
    out.selected_node = InternAt(annotations, "volume.kubernetes.io/selected-node");
    out.lost = TextAt(json, "status", "phase") == "Lost";
    out.deleting = IsDeleting(json);
    NoteIgnored(spec, "PersistentVolumeClaims with spec.", "volumeAttributesClassName");
    return out;
  }

  StorageClass ReadStorageClass(const Json& json) {
    StorageClass out;
    out.name = InternAt(json, "metadata", "name");
    const std::string provisioner = TextAt(json, "provisioner");
    out.provisioner = strings_.Intern(provisioner);
    out.no_provisioner = provisioner.empty() || provisioner == "kubernetes.io/no-provisioner";
    const std::string mode = TextAt(json, "volumeBindingMode");
    out.has_mode = !mode.empty();
    out.waits = mode == "WaitForFirstConsumer";
    for (const Json& term : ListAt(json, "allowedTopologies")) {
      auto& requirements = out.allowed_topologies.emplace_back();
      for (const Json& expression : ListAt(term, "matchLabelExpressions")) {
        Requirement& requirement = requirements.emplace_back();
        requirement.key = InternAt(expression, "key");
        requirement.values = Ids(expression, "values");
        std::ranges::sort(requirement.values);
      }
    }
    return out;
  }

  CsiNode ReadCsiNode(const Json& json) {
    CsiNode out;
    out.name = InternAt(json, "metadata", "name");
    for (const Json& driver : ListAt(At(json, "spec"), "drivers")) {
      const Json& allocatable = At(driver, "allocatable");
      if (At(allocatable, "count").is_null()) continue;
      out.limits.emplace_back(InternAt(driver, "name"), Integer(allocatable, "count", 0));
    }
    return out;
  }

  CsiDriver ReadCsiDriver(const Json& json) {
    return {InternAt(json, "metadata", "name"), Truth(At(json, "spec"), "storageCapacity")};
  }

  StorageCapacity ReadStorageCapacity(const Json& json) {
    StorageCapacity out;
    out.key = KeyOf(json);
    out.storage_class = InternAt(json, "storageClassName");
    if (const Json& topology = At(json, "nodeTopology"); !topology.is_null()) {
      out.topology = ReadSelector(topology);
    }
    for (const char* field : {"maximumVolumeSize", "capacity"}) {
      if (out.size || At(json, field).is_null()) continue;
      out.size = Amount(At(json, field), field, false);
    }
    return out;
  }
};

}  // namespace

Node NodeFrom(const Json& json, Strings& strings) {
  std::map<std::string, int> none;
  return Reader(strings, none).ReadNode(json);
}

void PutFrom(const Json& object, Cluster& cluster, Loaded& loaded) {
  using enum Workload::Kind;
  Reader reader(cluster.strings(), loaded.ignored_fields);
  Volumes& volumes = cluster.volumes();
  const std::string kind = TextAt(object, "kind");
  const auto put = [&](Workload::Kind as) { cluster.PutWorkload(reader.ReadWorkload(object, as)); };
  if (kind == "Service") return put(kService);
  if (kind == "ReplicationController") return put(kReplicationController);
  if (kind == "ReplicaSet") return put(kReplicaSet);
  if (kind == "StatefulSet") return put(kStatefulSet);
  if (kind == "PodDisruptionBudget") return cluster.PutBudget(reader.ReadBudget(object));
  if (kind == "Namespace") return cluster.PutNamespace(reader.ReadNamespace(object));
  if (kind == "PersistentVolume") return volumes.Put(reader.ReadVolume(object));
  if (kind == "PersistentVolumeClaim") return volumes.Put(reader.ReadClaim(object));
  if (kind == "StorageClass") return volumes.Put(reader.ReadStorageClass(object));
  if (kind == "CSINode") return volumes.Put(reader.ReadCsiNode(object));
  if (kind == "CSIDriver") return volumes.Put(reader.ReadCsiDriver(object));
  if (kind == "CSIStorageCapacity") return volumes.Put(reader.ReadStorageCapacity(object));
  if (kind != "Node") {
    ++loaded.ignored_fields[fmt::format("objects of kind {}", kind)];
    ++loaded.ignored;
    return;
  }
  Node node = reader.ReadNode(object);
  if (node.name == kEmptyText) Bad("it has no name");
  cluster.AddNode(std::move(node));
  ++loaded.nodes;
}

}  // namespace schedlens::sim::core
