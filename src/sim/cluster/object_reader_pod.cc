// Pods.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster/json_fields.h"
#include "sim/cluster/object_reader.h"

namespace schedlens::sim::core {

PodObject ObjectReader::ReadPod(const Json& json) {
  PodObject out;
  const Json& metadata = At(json, "metadata");
  const Json& spec = At(json, "spec");
  const Json& status = At(json, "status");
  out.name = Text(At(metadata, "name"), "name");
  out.uid = Intern(At(metadata, "uid"), "uid");
  out.phase = Text(At(status, "phase"), "phase");
  out.terminating = !At(metadata, "deletionTimestamp").is_null();
  out.nominated_node = Intern(At(status, "nominatedNodeName"), "nominatedNodeName");
  if (const std::string start = Text(At(status, "startTime"), "startTime"); !start.empty()) {
    const auto time = ParseTime(start, 0);
    if (!time) Bad(fmt::format("startTime `{}` is not a time", start));
    out.start_ms = *time;
  }
  if (!IsFinished(out) && !ListAt(spec, "resourceClaims").empty()) {
    throw Error(ErrorKind::kUsage, kClaimsNotModelled);
  }
  ReadSpec(metadata, spec, out.spec);
  ReadResize(status, spec, out.spec);
  for (const Json& toleration : ListAt(spec, "tolerations")) {
    const std::string op = Text(At(toleration, "operator"), "operator");
    if (op == "Lt" || op == "Gt") ++ignored_["pods with spec.tolerations operator " + op];
  }
  for (const Json& condition : ListAt(status, "conditions")) {
    if (Text(At(condition, "type"), "type") != "DisruptionTarget") continue;
    out.preempted_by_scheduler = Text(At(condition, "status"), "status") == "True" &&
                                 Text(At(condition, "reason"), "reason") == "PreemptionByScheduler";
  }
  return out;
}

// What the kubelet has given to each container, by name.
void ObjectReader::ReadResize(const Json& status, const Json& spec, PodSpec& out) {
  out.resize_infeasible = Text(At(status, "resize"), "resize") == "Infeasible";
  for (const Json& condition : ListAt(status, "conditions")) {
    if (Text(At(condition, "type"), "type") != "PodResizePending") continue;
    out.resize_infeasible = Text(At(condition, "reason"), "reason") == "Infeasible";
  }
  const auto read = [&](const char* statuses, const char* list, std::vector<Container>& to) {
    for (const Json& item : ListAt(status, statuses)) {
      if (At(item, "resources").is_null()) continue;
      const Json& containers = ListAt(spec, list);
      for (std::size_t i = 0; i < containers.size() && i < to.size(); ++i) {
        if (Text(At(containers[i], "name"), "name") != Text(At(item, "name"), "name")) continue;
        ReadActual(item, to[i]);
      }
    }
  };
  read("containerStatuses", "containers", out.containers);
  read("initContainerStatuses", "initContainers", out.init_containers);
}

void ObjectReader::ReadActual(const Json& status, Container& out) {
  const Json& requests = At(At(status, "resources"), "requests");
  const Json& allocated = At(status, "allocatedResources");
  out.actual = ReadResources(requests);
  out.actual->RaiseTo(ReadResources(allocated));
}

NodeSelectorTerm ObjectReader::ReadNodeTerm(const Json& json) {
  NodeSelectorTerm out;
  for (const Json& expression : ListAt(json, "matchExpressions")) {
    Requirement requirement;
    if (!ReadRequirement(expression, true, requirement)) out.invalid = true;
    out.expressions.push_back(std::move(requirement));
  }
  for (const Json& field : ListAt(json, "matchFields")) {
    Requirement requirement;
    // A field must be compared with exactly one value, and only the name is known.
    if (!ReadRequirement(field, true, requirement) || requirement.values.size() != 1 ||
        requirement.key != strings_.Intern("metadata.name") ||
        (requirement.op != Operator::kIn && requirement.op != Operator::kNotIn)) {
      out.invalid = true;
    }
    out.fields.push_back(std::move(requirement));
  }
  return out;
}

NodeAffinity ObjectReader::ReadNodeAffinity(const Json& json) {
  NodeAffinity out;
  const Json& required = At(json, "requiredDuringSchedulingIgnoredDuringExecution");
  if (!required.is_null()) {
    out.required.emplace();
    for (const Json& term : ListAt(required, "nodeSelectorTerms")) {
      out.required->push_back(ReadNodeTerm(term));
    }
  }
  for (const Json& term : ListAt(json, "preferredDuringSchedulingIgnoredDuringExecution")) {
    out.preferred.push_back({ReadNodeTerm(At(term, "preference")), Integer(term, "weight", 0)});
  }
  return out;
}

PodAffinityTerm ObjectReader::ReadPodTerm(const Json& json, Id own_namespace) {
  PodAffinityTerm out;
  out.selector = ReadSelector(At(json, "labelSelector"));
  out.topology_key = Intern(At(json, "topologyKey"), "topologyKey");
  for (const Json& name : ListAt(json, "namespaces")) {
    out.namespaces.push_back(Intern(name, "namespaces"));
  }
  if (const Json& selector = At(json, "namespaceSelector"); !selector.is_null()) {
    out.namespace_selector = ReadSelector(selector);
  } else if (out.namespaces.empty()) {
    out.namespaces.push_back(own_namespace);
  }
  std::sort(out.namespaces.begin(), out.namespaces.end());
  return out;
}

void ObjectReader::ReadPodTerms(const Json& json, Id own_namespace,
                                std::vector<PodAffinityTerm>& required,
                                std::vector<WeightedPodAffinityTerm>& preferred) {
  for (const Json& term : ListAt(json, "requiredDuringSchedulingIgnoredDuringExecution")) {
    required.push_back(ReadPodTerm(term, own_namespace));
  }
  for (const Json& term : ListAt(json, "preferredDuringSchedulingIgnoredDuringExecution")) {
    preferred.push_back(
        {ReadPodTerm(At(term, "podAffinityTerm"), own_namespace), Integer(term, "weight", 0)});
  }
}

SpreadConstraint ObjectReader::ReadSpread(const Json& json, const ObjectLabels& own) {
  SpreadConstraint out;
  out.max_skew = static_cast<std::int32_t>(Integer(json, "maxSkew", 1));
  out.topology_key = Intern(At(json, "topologyKey"), "topologyKey");
  out.hard = Text(At(json, "whenUnsatisfiable"), "whenUnsatisfiable") != "ScheduleAnyway";
  out.selector = ReadSelector(At(json, "labelSelector"));
  out.min_domains = static_cast<std::int32_t>(Integer(json, "minDomains", 1));
  out.honor_node_affinity = Text(At(json, "nodeAffinityPolicy"), "policy") != "Ignore";
  out.honor_node_taints = Text(At(json, "nodeTaintsPolicy"), "policy") == "Honor";
  for (const Json& key : ListAt(json, "matchLabelKeys")) {
    const Id id = Intern(key, "matchLabelKeys");
    const Id value = FindLabel(own, id);
    if (value != kNone) out.match_label_keys.push_back({id, Operator::kIn, {value}});
  }
  return out;
}

Container ObjectReader::ReadContainer(const Json& json, bool init) {
  Container out;
  const Json& resources = At(json, "resources");
  Json requests = At(resources, "requests");
  if (const Json& limits = At(resources, "limits"); limits.is_object()) {
    if (requests.is_null()) requests = Json::object();
    for (const auto& item : limits.items()) {
      if (!requests.contains(item.key())) requests[item.key()] = item.value();
    }
  }
  out.requests = ReadResources(requests);
  out.has_cpu = requests.is_object() && requests.contains("cpu");
  out.has_memory = requests.is_object() && requests.contains("memory");
  out.sidecar = init && Text(At(json, "restartPolicy"), "restartPolicy") == "Always";
  out.image = ReadImage(At(json, "image"));
  return out;
}

Id ObjectReader::ReadImage(const Json& json) {
  const std::string image = Text(json, "image");
  if (image.empty()) return kEmptyText;
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return strings_.Intern(tagged ? image : image + ":latest");
}

// A limit of the pod is its request where neither it nor a container asks for the resource.
void ObjectReader::ReadPodRequests(const Json& resources, PodSpec& out) {
  if (resources.is_null()) return;
  Json requests = At(resources, "requests");
  if (requests.is_null()) requests = Json::object();
  const auto asked = [&](const std::string& name) {
    const auto asks = [&](const Container& c) {
      if (name == "cpu") return c.has_cpu;
      if (name == "memory") return c.has_memory;
      return c.requests.Scalar(strings_.Intern(name)) > 0;
    };
    return std::any_of(out.containers.begin(), out.containers.end(), asks) ||
           std::any_of(out.init_containers.begin(), out.init_containers.end(), asks);
  };
  if (const Json& limits = At(resources, "limits"); limits.is_object()) {
    for (const auto& item : limits.items()) {
      if (!requests.contains(item.key()) && !asked(item.key())) {
        requests[item.key()] = item.value();
      }
    }
  }
  const Resources amounts = ReadResources(requests);
  if (requests.contains("cpu")) out.pod_requests.milli_cpu = amounts.milli_cpu;
  if (requests.contains("memory")) out.pod_requests.memory = amounts.memory;
  for (const ScalarAmount& scalar : amounts.scalars) {
    if (strings_.Text(scalar.name).starts_with("hugepages-")) {
      out.pod_requests.hugepages.push_back(scalar);
    }
  }
}

void ObjectReader::ReadPorts(const Json& container, bool host_network, std::vector<HostPort>& out) {
  for (const Json& json : ListAt(container, "ports")) {
    std::int64_t port = Integer(json, "hostPort", 0);
    if (port == 0 && host_network) port = Integer(json, "containerPort", 0);
    if (port <= 0) continue;
    const std::string ip = Text(At(json, "hostIP"), "hostIP");
    const std::string protocol = Text(At(json, "protocol"), "protocol");
    out.push_back({strings_.Intern(ip.empty() ? "0.0.0.0" : ip),
                   strings_.Intern(protocol.empty() ? "TCP" : protocol),
                   static_cast<std::int32_t>(port)});
  }
}

void ObjectReader::ReadSpec(const Json& metadata, const Json& spec, PodSpec& out) {
  const std::string ns = Text(At(metadata, "namespace"), "namespace");
  out.namespace_name = strings_.Intern(ns.empty() ? "default" : ns);
  out.labels = ReadLabels(At(metadata, "labels"));
  for (const Json& owner : ListAt(metadata, "ownerReferences")) {
    if (out.controller || !Truth(owner, "controller")) continue;
    out.controller = ReadController(owner);
  }
  out.scheduler_name = Intern(At(spec, "schedulerName"), "schedulerName");
  if (out.scheduler_name == kEmptyText) out.scheduler_name = strings_.Intern("default-scheduler");
  out.priority = Integer(spec, "priority", PriorityOfClass(spec));
  out.never_preempts = Text(At(spec, "preemptionPolicy"), "preemptionPolicy") == "Never";
  out.node_name = Intern(At(spec, "nodeName"), "nodeName");

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
    const std::string op = Text(At(json, "operator"), "operator");
    out.tolerations.push_back({Intern(At(json, "key"), "key"), Intern(At(json, "value"), "value"),
                               op == "Exists", !op.empty() && op != "Exists" && op != "Equal",
                               ReadEffect(At(json, "effect"))});
  }
  out.scheduling_gates = static_cast<std::int32_t>(ListAt(spec, "schedulingGates").size());
  for (const Json& volume : ListAt(spec, "volumes")) {
    ReadPodVolume(volume, out);
  }
}

std::int64_t ObjectReader::PriorityOfClass(const Json& spec) {
  const std::string name = Text(At(spec, "priorityClassName"), "priorityClassName");
  if (name == "system-cluster-critical") return 2'000'000'000;
  return name == "system-node-critical" ? 2'000'001'000 : 0;
}

}  // namespace schedlens::sim::core
