// Pods.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::sim::core {
namespace {

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
    const std::size_t colon = image.rfind(':');
    const std::size_t slash = image.rfind('/');
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
      out.push_back({strings_.Intern(ip.empty() ? "0.0.0.0" : ip),
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

PodObject PodFrom(const Json& json, Strings& strings, std::map<std::string, int>& ignored) {
  return PodReader(strings, ignored).ReadPod(json);
}

}  // namespace schedlens::sim::core
