// Nodes, workloads, budgets, volumes, pods.

#include "base/json.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::sim::core {
namespace {

unsigned ReadAccessModes(const Json& spec) {
  // In the order of their bits.
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

  void PutNamespace(const Json& json, Cluster& cluster) {
    cluster.PutNamespace(InternAt(json, "metadata", "name"),
                         ReadLabels(At(json, "metadata", "labels")));
  }

  void NoteIgnored(const Json& where, const std::string& what, const char* field) {
    if (!At(where, field).is_null()) ++ignored_[what + field];
  }

  std::vector<Controller> ReadAvoids(const std::string& text) {
    std::vector<Controller> out;
    const Json json = ReadJson(text);
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
    if (const Json& capacity = At(json, "capacity"); !capacity.is_null()) {
      out.capacity = Amount(capacity, "capacity", false);
    }
    return out;
  }
};

class PodReader : public ObjectFields {
 public:
  using ObjectFields::ObjectFields;

  void ReadPodVolume(const Json& json, PodSpec& out) {
    using Kind = PodVolume::Kind;
    PodVolume volume;
    volume.name = InternAt(json, "name");
    const auto disk = [&](const char* source, Kind kind, const char* id) -> const Json& {
      const Json& found = At(json, source);
      if (found.is_null()) return found;
      volume.kind = kind;
      volume.disk = InternAt(found, id);
      volume.read_only = Truth(found, "readOnly");
      return found;
    };
    if (const Json& claim = At(json, "persistentVolumeClaim"); !claim.is_null()) {
      ++out.volume_claims;
      volume.kind = Kind::kClaim;
      volume.claim_name = InternAt(claim, "claimName");
      volume.claim = strings_.Intern(strings_.Text(out.namespace_name) + "/" +
                                     strings_.Text(volume.claim_name));
    } else if (!At(json, "ephemeral").is_null()) {
      ++out.volume_claims;
      volume.kind = Kind::kEphemeral;
    } else if (!disk("gcePersistentDisk", Kind::kGce, "pdName").is_null() ||
               !disk("awsElasticBlockStore", Kind::kEbs, "volumeID").is_null() ||
               !disk("iscsi", Kind::kIscsi, "iqn").is_null()) {
    } else if (const Json& rbd = disk("rbd", Kind::kRbd, "image"); !rbd.is_null()) {
      std::string pool = TextAt(rbd, "pool");
      if (pool.empty()) pool = "rbd";
      volume.disk = strings_.Intern(pool + "/" + strings_.Text(volume.disk));
      volume.monitors = Ids(rbd, "monitors");
    } else {
      const Id image = ReadImage(At(json, "image", "reference"));
      if (image != kEmptyText) out.image_volumes.push_back(image);
      return;
    }
    out.volumes.push_back(std::move(volume));
  }

  PodObject ReadPod(const Json& json) {
    PodObject out;
    const Json& metadata = At(json, "metadata");
    const Json& spec = At(json, "spec");
    const Json& status = At(json, "status");
    out.name = TextAt(metadata, "name");
    out.uid = InternAt(metadata, "uid");
    out.phase = TextAt(status, "phase");
    out.terminating = !At(metadata, "deletionTimestamp").is_null();
    out.nominated_node = InternAt(status, "nominatedNodeName");
    if (const std::string start = TextAt(status, "startTime"); !start.empty()) {
      const auto time = ParseTime(start, 0);
      if (!time) Bad(fmt::format("startTime `{}` is not a time", start));
      out.start_ms = *time;
    }
    if (!IsFinished(out) && !ListAt(spec, "resourceClaims").empty()) {
      throw Error(ErrorKind::kUsage, kClaimsNotModelled);
    }
    ReadSpec(metadata, spec, out.spec);
    out.spec.resize_infeasible = TextAt(status, "resize") == "Infeasible";
    for (const Json& condition : ListAt(status, "conditions")) {
      const std::string type = TextAt(condition, "type");
      if (type == "PodResizePending") {
        out.spec.resize_infeasible = TextAt(condition, "reason") == "Infeasible";
      } else if (type == "DisruptionTarget") {
        out.preempted_by_scheduler = TextAt(condition, "status") == "True" &&
                                     TextAt(condition, "reason") == "PreemptionByScheduler";
      }
    }
    ReadGiven(status, spec, out.spec);
    return out;
  }

  // What the kubelet has given to each container, by name.
  void ReadGiven(const Json& status, const Json& spec, PodSpec& out) {
    const auto read = [&](const char* statuses, const char* list, std::vector<Container>& to) {
      for (const Json& item : ListAt(status, statuses)) {
        if (At(item, "resources").is_null()) continue;
        const Json& containers = ListAt(spec, list);
        for (std::size_t i = 0; i < containers.size() && i < to.size(); ++i) {
          if (TextAt(containers[i], "name") != TextAt(item, "name")) continue;
          to[i].actual = ReadResources(At(item, "resources", "requests"));
          to[i].actual->RaiseTo(ReadResources(At(item, "allocatedResources")));
        }
      }
    };
    read("containerStatuses", "containers", out.containers);
    read("initContainerStatuses", "initContainers", out.init_containers);
  }

  NodeAffinity ReadNodeAffinity(const Json& json) {
    NodeAffinity out;
    out.required = ReadNodeTerms(At(json, "requiredDuringSchedulingIgnoredDuringExecution"));
    for (const Json& term : ListAt(json, "preferredDuringSchedulingIgnoredDuringExecution")) {
      out.preferred.push_back({ReadNodeTerm(At(term, "preference")), Integer(term, "weight", 0)});
    }
    return out;
  }

  PodAffinityTerm ReadPodTerm(const Json& json, Id own_namespace) {
    PodAffinityTerm out;
    out.selector = ReadSelector(At(json, "labelSelector"));
    out.topology_key = InternAt(json, "topologyKey");
    out.namespaces = Ids(json, "namespaces");
    if (const Json& selector = At(json, "namespaceSelector"); !selector.is_null()) {
      out.namespace_selector = ReadSelector(selector);
    } else if (out.namespaces.empty()) {
      out.namespaces.push_back(own_namespace);
    }
    std::ranges::sort(out.namespaces);
    return out;
  }

  void ReadPodTerms(const Json& json, Id own_namespace, std::vector<PodAffinityTerm>& required,
                    std::vector<WeightedPodAffinityTerm>& preferred) {
    for (const Json& term : ListAt(json, "requiredDuringSchedulingIgnoredDuringExecution")) {
      required.push_back(ReadPodTerm(term, own_namespace));
    }
    for (const Json& term : ListAt(json, "preferredDuringSchedulingIgnoredDuringExecution")) {
      preferred.push_back(
          {ReadPodTerm(At(term, "podAffinityTerm"), own_namespace), Integer(term, "weight", 0)});
    }
  }

  SpreadConstraint ReadSpread(const Json& json, const ObjectLabels& own) {
    SpreadConstraint out;
    out.max_skew = static_cast<std::int32_t>(Integer(json, "maxSkew", 1));
    out.topology_key = InternAt(json, "topologyKey");
    out.hard = TextAt(json, "whenUnsatisfiable") != "ScheduleAnyway";
    out.selector = ReadSelector(At(json, "labelSelector"));
    out.min_domains = static_cast<std::int32_t>(Integer(json, "minDomains", 1));
    out.honor_node_affinity = TextAt(json, "nodeAffinityPolicy") != "Ignore";
    out.honor_node_taints = TextAt(json, "nodeTaintsPolicy") == "Honor";
    for (const Json& key : ListAt(json, "matchLabelKeys")) {
      const Id id = Intern(key, "matchLabelKeys");
      const Id value = FindLabel(own, id);
      if (value != kNone) out.match_label_keys.push_back({id, Operator::kIn, {value}});
    }
    return out;
  }

  // Requests, and limits that stand in for those that are not given and `may`.
  template <typename May>
  static Json WithLimits(const Json& resources, const May& may) {
    Json out = At(resources, "requests");
    if (out.is_null()) out = Json::object();
    if (const Json& limits = At(resources, "limits"); limits.is_object() && out.is_object()) {
      for (const auto& item : limits.items()) {
        if (!out.contains(item.key()) && may(item.key())) out[item.key()] = item.value();
      }
    }
    return out;
  }

  Container ReadContainer(const Json& json, bool init) {
    Container out;
    const Json requests = WithLimits(At(json, "resources"), [](const auto&) { return true; });
    out.requests = ReadResources(requests);
    out.has_cpu = requests.contains("cpu");
    out.has_memory = requests.contains("memory");
    out.sidecar = init && TextAt(json, "restartPolicy") == "Always";
    out.image = ReadImage(At(json, "image"));
    return out;
  }

  Id ReadImage(const Json& json) {
    const std::string image = Text(json, "image");
    if (image.empty()) return kEmptyText;
    const std::size_t colon = image.rfind(':'), slash = image.rfind('/');
    const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
    return strings_.Intern(tagged ? image : image + ":latest");
  }

  // A limit of the pod is its request where neither it nor a container asks for the resource.
  void ReadPodRequests(const Json& resources, PodSpec& out) {
    if (resources.is_null()) return;
    const auto asked = [&](const std::string& name) {
      const auto asks = [&](const Container& c) {
        if (name == "cpu") return c.has_cpu;
        if (name == "memory") return c.has_memory;
        return c.requests.Scalar(strings_.Intern(name)) > 0;
      };
      return std::ranges::any_of(out.containers, asks) ||
             std::ranges::any_of(out.init_containers, asks);
    };
    const Json requests =
        WithLimits(resources, [&](const std::string& name) { return !asked(name); });
    const Resources amounts = ReadResources(requests);
    if (requests.contains("cpu")) out.pod_requests.milli_cpu = amounts.milli_cpu;
    if (requests.contains("memory")) out.pod_requests.memory = amounts.memory;
    for (const ScalarAmount& scalar : amounts.scalars) {
      if (strings_.Text(scalar.name).starts_with("hugepages-")) {
        out.pod_requests.hugepages.push_back(scalar);
      }
    }
  }

  void ReadPorts(const Json& container, bool host_network, std::vector<HostPort>& out) {
    for (const Json& json : ListAt(container, "ports")) {
      std::int64_t port = Integer(json, "hostPort", 0);
      if (port == 0 && host_network) port = Integer(json, "containerPort", 0);
      if (port <= 0) continue;
      const std::string ip = TextAt(json, "hostIP");
      const std::string protocol = TextAt(json, "protocol");
      out.push_back({strings_.Intern(ip == "0.0.0.0" ? "" : ip),
                     strings_.Intern(protocol.empty() ? "TCP" : protocol),
                     static_cast<std::int32_t>(port)});
    }
  }

  void ReadSpec(const Json& metadata, const Json& spec, PodSpec& out) {
    out.namespace_name = NamespaceOf(metadata);
    out.labels = ReadLabels(At(metadata, "labels"));
    for (const Json& owner : ListAt(metadata, "ownerReferences")) {
      if (out.controller || !Truth(owner, "controller")) continue;
      out.controller = ReadController(owner);
    }
    out.scheduler_name = InternAt(spec, "schedulerName");
    if (out.scheduler_name == kEmptyText) out.scheduler_name = strings_.Intern("default-scheduler");
    out.priority = Integer(spec, "priority", PriorityOfClass(spec));
    out.never_preempts = TextAt(spec, "preemptionPolicy") == "Never";
    out.node_name = InternAt(spec, "nodeName");

    const bool host_network = Truth(spec, "hostNetwork");
    for (const Json& container : ListAt(spec, "containers")) {
      out.containers.push_back(ReadContainer(container, false));
      ReadPorts(container, host_network, out.host_ports);
    }
    for (const Json& container : ListAt(spec, "initContainers")) {
      out.init_containers.push_back(ReadContainer(container, true));
      if (out.init_containers.back().sidecar) ReadPorts(container, host_network, out.sidecar_ports);
    }
    ReadPodRequests(At(spec, "resources"), out);
    const Json& overhead = At(spec, "overhead");
    out.overhead = ReadResources(overhead);
    out.overhead_has_memory = !At(overhead, "memory").is_null();
    if (const Json& cpu = At(overhead, "cpu"); !cpu.is_null()) {
      out.overhead_has_cpu = true;
      out.overhead_cpu_value = Amount(cpu, "overhead cpu", false);
    }

    out.node_selector = ReadLabels(At(spec, "nodeSelector"));
    const Json& affinity = At(spec, "affinity");
    out.node_affinity = ReadNodeAffinity(At(affinity, "nodeAffinity"));
    ReadPodTerms(At(affinity, "podAffinity"), out.namespace_name, out.required_affinity,
                 out.preferred_affinity);
    ReadPodTerms(At(affinity, "podAntiAffinity"), out.namespace_name, out.required_anti_affinity,
                 out.preferred_anti_affinity);
    for (const Json& constraint : ListAt(spec, "topologySpreadConstraints")) {
      out.spread.push_back(ReadSpread(constraint, out.labels));
    }
    for (const Json& json : ListAt(spec, "tolerations")) {
      const std::string op = TextAt(json, "operator");
      out.tolerations.push_back({InternAt(json, "key"), InternAt(json, "value"), op == "Exists",
                                 !op.empty() && op != "Exists" && op != "Equal",
                                 ReadEffect(At(json, "effect"))});
      if (op == "Lt" || op == "Gt") ++ignored_["pods with spec.tolerations operator " + op];
    }
    out.scheduling_gates = static_cast<std::int32_t>(ListAt(spec, "schedulingGates").size());
    for (const Json& volume : ListAt(spec, "volumes")) ReadPodVolume(volume, out);
  }

  std::int64_t PriorityOfClass(const Json& spec) {
    const std::string name = TextAt(spec, "priorityClassName");
    if (name == "system-cluster-critical") return 2'000'000'000;
    return name == "system-node-critical" ? 2'000'001'000 : 0;
  }
};

}  // namespace

Node NodeFrom(const Json& json, Strings& strings) {
  std::map<std::string, int> none;
  return Reader(strings, none).ReadNode(json);
}

NodeAffinity ReadNodeAffinity(const std::string& text, Strings& strings) {
  std::map<std::string, int> none;
  return PodReader(strings, none).ReadNodeAffinity(ReadJson(text));
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
  if (kind == "Namespace") return reader.PutNamespace(object, cluster);
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

PodObject PodFrom(const Json& json, Strings& strings, std::map<std::string, int>& ignored) {
  return PodReader(strings, ignored).ReadPod(json);
}

}  // namespace schedlens::sim::core
