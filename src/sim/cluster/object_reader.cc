// Nodes, workloads, budgets, volumes, and what several kinds of objects have.

#include "sim/cluster/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/json.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster/json_fields.h"

namespace schedlens::sim::core {
namespace {

// Extended resources have a domain that is not kubernetes.io; hugepages and attachable volumes
// count like them. The scheduler ignores anything else.
bool IsScalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.");
}

using Json = nlohmann::json;

unsigned ReadAccessModes(const Json& spec) {
  constexpr std::pair<std::string_view, AccessMode> kModes[] = {
      {"ReadWriteOnce", kReadWriteOnce},
      {"ReadOnlyMany", kReadOnlyMany},
      {"ReadWriteMany", kReadWriteMany},
      {"ReadWriteOncePod", kReadWriteOncePod},
  };
  unsigned out = 0;
  for (const Json& item : ListAt(spec, "accessModes")) {
    const std::string text = Text(item, "accessModes");
    const auto* mode = std::find_if(std::begin(kModes), std::end(kModes),
                                    [&](const auto& known) { return known.first == text; });
    if (mode == std::end(kModes)) Bad("unknown access mode `" + text + "`");
    out |= mode->second;
  }
  return out;
}

// The old annotation goes before the field.
const Json& ClassOf(const Json& json) {
  const Json& old =
      At(At(At(json, "metadata"), "annotations"), "volume.beta.kubernetes.io/storage-class");
  return old.is_null() ? At(At(json, "spec"), "storageClassName") : old;
}

bool IsBlock(const Json& spec) { return Text(At(spec, "volumeMode"), "volumeMode") == "Block"; }

bool IsDeleting(const Json& json) {
  return !At(At(json, "metadata"), "deletionTimestamp").is_null();
}

}  // namespace

Node ObjectReader::ReadNode(const Json& json) {
  Node out;
  const Json& metadata = At(json, "metadata");
  const Json& spec = At(json, "spec");
  const Json& status = At(json, "status");
  out.name = Intern(At(metadata, "name"), "name");
  out.labels = ReadLabels(At(metadata, "labels"));
  out.unschedulable = Truth(spec, "unschedulable");
  for (const Json& taint : ListAt(spec, "taints")) {
    out.taints.push_back({Intern(At(taint, "key"), "key"), Intern(At(taint, "value"), "value"),
                          ReadEffect(At(taint, "effect"))});
  }
  const Json& allocatable = At(status, "allocatable");
  out.allocatable = ReadResources(allocatable.is_null() ? At(status, "capacity") : allocatable);
  for (const Json& image : ListAt(status, "images")) {
    Image& added = out.images.emplace_back();
    added.size_bytes = Integer(image, "sizeBytes", 0);
    for (const Json& name : ListAt(image, "names")) added.names.push_back(Intern(name, "names"));
  }
  const Json& avoid =
      At(At(metadata, "annotations"), "scheduler.alpha.kubernetes.io/preferAvoidPods");
  if (avoid.is_string()) out.avoids = ReadAvoids(avoid.get<std::string>());
  return out;
}

Workload ObjectReader::ReadWorkload(const Json& json, Workload::Kind kind) {
  Workload out;
  out.kind = kind;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  out.namespace_name = NamespaceOf(json);
  const Json& selector = At(At(json, "spec"), "selector");
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

DisruptionBudget ObjectReader::ReadBudget(const Json& json) {
  DisruptionBudget out;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  out.namespace_name = NamespaceOf(json);
  out.selector = ReadSelector(At(At(json, "spec"), "selector"));
  const Json& status = At(json, "status");
  out.disruptions_allowed = Integer(status, "disruptionsAllowed", 0);
  if (const Json& pods = At(status, "disruptedPods"); pods.is_object()) {
    for (const auto& item : pods.items()) out.disrupted_pods.push_back(strings_.Intern(item.key()));
  }
  std::sort(out.disrupted_pods.begin(), out.disrupted_pods.end());
  return out;
}

Namespace ObjectReader::ReadNamespace(const Json& json) {
  const Json& metadata = At(json, "metadata");
  return {Intern(At(metadata, "name"), "name"), ReadLabels(At(metadata, "labels"))};
}

Id ObjectReader::Intern(const Json& value, const char* key) {
  return strings_.Intern(Text(value, key));
}

void ObjectReader::NoteIgnored(const Json& where, const std::string& what, const char* field) {
  if (!At(where, field).is_null()) ++ignored_[what + field];
}

Id ObjectReader::NamespaceOf(const Json& json) {
  const std::string text = Text(At(At(json, "metadata"), "namespace"), "namespace");
  return strings_.Intern(text.empty() ? "default" : text);
}

ObjectLabels ObjectReader::ReadLabels(const Json& json) {
  ObjectLabels out;
  if (json.is_null()) return out;
  if (!json.is_object()) Bad("labels must be an object");
  for (const auto& item : json.items()) {
    out.push_back({strings_.Intern(item.key()), Intern(item.value(), "label")});
  }
  std::sort(out.begin(), out.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
  return out;
}

std::vector<Requirement> ObjectReader::AsRequirements(const ObjectLabels& labels) {
  std::vector<Requirement> out;
  for (const Label& label : labels) {
    out.push_back({label.key, Operator::kIn, {label.value}});
  }
  return out;
}

bool ObjectReader::ReadRequirement(const Json& json, bool of_nodes, Requirement& out) {
  out.key = Intern(At(json, "key"), "key");
  for (const Json& value : ListAt(json, "values")) out.values.push_back(Intern(value, "values"));
  std::sort(out.values.begin(), out.values.end());
  const std::string op = Text(At(json, "operator"), "operator");
  constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"In", Operator::kIn},         {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists}, {"DoesNotExist", Operator::kDoesNotExist},
      {"Gt", Operator::kGt},         {"Lt", Operator::kLt},
  };
  const auto* known = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const auto& o) { return o.first == op; });
  if (known == std::end(kOperators)) return false;
  out.op = known->second;
  switch (out.op) {
    case Operator::kIn:
    case Operator::kNotIn:
      return !out.values.empty();
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return out.values.empty();
    case Operator::kGt:
    case Operator::kLt:
      return of_nodes && out.values.size() == 1 && strings_.Integer(out.values[0]).has_value();
  }
  return false;
}

LabelSelector ObjectReader::ReadSelector(const Json& json) {
  LabelSelector out;
  if (json.is_null()) return out;
  out.nothing = false;
  out.requirements = AsRequirements(ReadLabels(At(json, "matchLabels")));
  for (const Json& expression : ListAt(json, "matchExpressions")) {
    Requirement requirement;
    if (!ReadRequirement(expression, false, requirement)) out.nothing = true;
    out.requirements.push_back(std::move(requirement));
  }
  return out;
}

Effect ObjectReader::ReadEffect(const Json& json) {
  const std::string text = Text(json, "effect");
  if (text.empty()) return Effect::kAny;
  if (text == "NoSchedule") return Effect::kNoSchedule;
  if (text == "PreferNoSchedule") return Effect::kPreferNoSchedule;
  return text == "NoExecute" ? Effect::kNoExecute : Effect::kOther;
}

Resources ObjectReader::ReadResources(const Json& json) {
  Resources out;
  if (json.is_null()) return out;
  if (!json.is_object()) Bad("resources must be an object");
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    if (name == "cpu") {
      out.milli_cpu = Amount(item.value(), name, true);
    } else if (name == "memory") {
      out.memory = Amount(item.value(), name, false);
    } else if (name == "ephemeral-storage") {
      out.ephemeral_storage = Amount(item.value(), name, false);
    } else if (name == "pods") {
      out.pods = Amount(item.value(), name, false);
    } else if (IsScalar(name)) {
      out.AddScalar(strings_.Intern(name), Amount(item.value(), name, false));
    }
  }
  return out;
}

Controller ObjectReader::ReadController(const Json& json) {
  return {Intern(At(json, "apiVersion"), "apiVersion"), Intern(At(json, "kind"), "kind"),
          Intern(At(json, "name"), "name"), Intern(At(json, "uid"), "uid")};
}

std::vector<Controller> ObjectReader::ReadAvoids(const std::string& text) {
  std::vector<Controller> out;
  const Json json = ReadJson(text);
  if (json.is_discarded()) return out;
  try {
    for (const Json& avoid : ListAt(json, "preferAvoidPods")) {
      out.push_back(ReadController(At(At(avoid, "podSignature"), "podController")));
    }
  } catch (const Error&) {
    out.clear();
  }
  return out;
}

// PersistentVolumes, their claims and classes, CSINodes, CSIDrivers and CSIStorageCapacities, and
// the volumes of a pod.

Id ObjectReader::KeyOf(const Json& json) {
  return strings_.Intern(strings_.Text(NamespaceOf(json)) + "/" +
                         Text(At(At(json, "metadata"), "name"), "name"));
}

PersistentVolume ObjectReader::ReadVolume(const Json& json) {
  PersistentVolume out;
  const Json& metadata = At(json, "metadata");
  const Json& spec = At(json, "spec");
  out.name = Intern(At(metadata, "name"), "name");
  out.labels = ReadLabels(At(metadata, "labels"));
  const Json& storage = At(At(spec, "capacity"), "storage");
  if (!storage.is_null()) out.capacity = Amount(storage, "storage", false);
  out.storage_class = Intern(ClassOf(json), "storageClassName");
  out.access_modes = ReadAccessModes(spec);
  out.block = IsBlock(spec);
  out.available = Text(At(At(json, "status"), "phase"), "phase") == "Available";
  out.deleting = IsDeleting(json);
  out.driver = Intern(At(At(spec, "csi"), "driver"), "driver");
  out.handle = Intern(At(At(spec, "csi"), "volumeHandle"), "volumeHandle");
  if (const Json& required = At(At(spec, "nodeAffinity"), "required"); !required.is_null()) {
    out.node_affinity.emplace();
    for (const Json& term : ListAt(required, "nodeSelectorTerms")) {
      out.node_affinity->push_back(ReadNodeTerm(term));
    }
  }
  if (const Json& claim = At(spec, "claimRef"); !claim.is_null()) {
    out.claim = strings_.Intern(Text(At(claim, "namespace"), "namespace") + "/" +
                                Text(At(claim, "name"), "name"));
    out.claim_uid = Intern(At(claim, "uid"), "uid");
  }
  NoteIgnored(spec, "PersistentVolumes with spec.", "volumeAttributesClassName");
  return out;
}

VolumeClaim ObjectReader::ReadClaim(const Json& json) {
  VolumeClaim out;
  const Json& metadata = At(json, "metadata");
  const Json& spec = At(json, "spec");
  const Json& annotations = At(metadata, "annotations");
  out.key = KeyOf(json);
  out.name = Intern(At(metadata, "name"), "name");
  out.uid = Intern(At(metadata, "uid"), "uid");
  const Json& storage = At(At(At(spec, "resources"), "requests"), "storage");
  out.has_request = !storage.is_null();
  if (out.has_request) out.request = Amount(storage, "storage", false);
  out.storage_class = Intern(ClassOf(json), "storageClassName");
  out.access_modes = ReadAccessModes(spec);
  out.block = IsBlock(spec);
  if (const Json& selector = At(spec, "selector"); !selector.is_null()) {
    out.selector = ReadSelector(selector);
  }
  out.volume = Intern(At(spec, "volumeName"), "volumeName");
  out.bind_completed = !At(annotations, "pv.kubernetes.io/bind-completed").is_null();
  out.selected_node = Intern(At(annotations, "volume.kubernetes.io/selected-node"), "node");
  out.lost = Text(At(At(json, "status"), "phase"), "phase") == "Lost";
  out.deleting = IsDeleting(json);
  NoteIgnored(spec, "PersistentVolumeClaims with spec.", "volumeAttributesClassName");
  return out;
}

StorageClass ObjectReader::ReadStorageClass(const Json& json) {
  StorageClass out;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  const std::string provisioner = Text(At(json, "provisioner"), "provisioner");
  out.provisioner = strings_.Intern(provisioner);
  out.no_provisioner = provisioner.empty() || provisioner == "kubernetes.io/no-provisioner";
  const std::string mode = Text(At(json, "volumeBindingMode"), "volumeBindingMode");
  out.has_mode = !mode.empty();
  out.waits = mode == "WaitForFirstConsumer";
  for (const Json& term : ListAt(json, "allowedTopologies")) {
    auto& requirements = out.allowed_topologies.emplace_back();
    for (const Json& expression : ListAt(term, "matchLabelExpressions")) {
      Requirement& requirement = requirements.emplace_back();
      requirement.key = Intern(At(expression, "key"), "key");
      for (const Json& value : ListAt(expression, "values")) {
        requirement.values.push_back(Intern(value, "values"));
      }
      std::sort(requirement.values.begin(), requirement.values.end());
    }
  }
  return out;
}

CsiNode ObjectReader::ReadCsiNode(const Json& json) {
  CsiNode out;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  for (const Json& driver : ListAt(At(json, "spec"), "drivers")) {
    const Json& allocatable = At(driver, "allocatable");
    if (At(allocatable, "count").is_null()) continue;
    out.limits.emplace_back(Intern(At(driver, "name"), "name"), Integer(allocatable, "count", 0));
  }
  return out;
}

CsiDriver ObjectReader::ReadCsiDriver(const Json& json) {
  return {Intern(At(At(json, "metadata"), "name"), "name"),
          Truth(At(json, "spec"), "storageCapacity")};
}

StorageCapacity ObjectReader::ReadStorageCapacity(const Json& json) {
  StorageCapacity out;
  out.key = KeyOf(json);
  out.storage_class = Intern(At(json, "storageClassName"), "storageClassName");
  if (const Json& topology = At(json, "nodeTopology"); !topology.is_null()) {
    out.topology = ReadSelector(topology);
  }
  for (const char* field : {"maximumVolumeSize", "capacity"}) {
    if (out.size || At(json, field).is_null()) continue;
    out.size = Amount(At(json, field), field, false);
  }
  return out;
}

void ObjectReader::ReadPodVolume(const Json& json, PodSpec& out) {
  using Kind = PodVolume::Kind;
  PodVolume volume;
  volume.name = Intern(At(json, "name"), "name");
  const auto disk = [&](const char* source, Kind kind, const char* id) -> const Json& {
    const Json& found = At(json, source);
    if (found.is_null()) return found;
    volume.kind = kind;
    volume.disk = Intern(At(found, id), id);
    volume.read_only = Truth(found, "readOnly");
    return found;
  };
  if (const Json& claim = At(json, "persistentVolumeClaim"); !claim.is_null()) {
    ++out.volume_claims;
    volume.kind = Kind::kClaim;
    volume.claim_name = Intern(At(claim, "claimName"), "claimName");
    volume.claim =
        strings_.Intern(strings_.Text(out.namespace_name) + "/" + strings_.Text(volume.claim_name));
  } else if (!At(json, "ephemeral").is_null()) {
    ++out.volume_claims;
    volume.kind = Kind::kEphemeral;
  } else if (!disk("gcePersistentDisk", Kind::kGce, "pdName").is_null() ||
             !disk("awsElasticBlockStore", Kind::kEbs, "volumeID").is_null() ||
             !disk("iscsi", Kind::kIscsi, "iqn").is_null()) {
  } else if (const Json& rbd = disk("rbd", Kind::kRbd, "image"); !rbd.is_null()) {
    std::string pool = Text(At(rbd, "pool"), "pool");
    if (pool.empty()) pool = "rbd";
    volume.disk = strings_.Intern(pool + "/" + strings_.Text(volume.disk));
    for (const Json& monitor : ListAt(rbd, "monitors")) {
      volume.monitors.push_back(Intern(monitor, "monitors"));
    }
  } else {
    const Id image = ReadImage(At(At(json, "image"), "reference"));
    if (image != kEmptyText) out.image_volumes.push_back(image);
    return;
  }
  out.volumes.push_back(std::move(volume));
}

}  // namespace schedlens::sim::core
