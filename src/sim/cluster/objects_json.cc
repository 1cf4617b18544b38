#include "sim/cluster/objects_json.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster/quantity.h"

namespace schedlens::sim::core {
namespace {

using Json = nlohmann::json;

// What an object may not be. The caller adds which object and file it was.
[[noreturn]] void Bad(const std::string& what) { throw Error(ErrorKind::kFailed, what); }

const Json& At(const Json& object, const char* key) {
  static const Json kNull;
  if (object.is_null()) return kNull;
  if (!object.is_object()) Bad(fmt::format("`{}` is looked for in what is no object", key));
  const auto it = object.find(key);
  return it == object.end() ? kNull : *it;
}

const Json& ListAt(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& list = At(object, key);
  if (list.is_null()) return kEmpty;
  if (!list.is_array()) Bad(fmt::format("`{}` is no list", key));
  return list;
}

std::string Text(const Json& value, const char* key) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  Bad(fmt::format("`{}` is no text", key));
}

std::int64_t Integer(const Json& object, const char* key, std::int64_t otherwise) {
  const Json& value = At(object, key);
  if (value.is_null()) return otherwise;
  if (!value.is_number_integer()) Bad(fmt::format("`{}` is no whole number", key));
  return value.get<std::int64_t>();
}

bool Truth(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) Bad(fmt::format("`{}` is neither true nor false", key));
  return value.get<bool>();
}

std::int64_t Amount(const Json& value, const std::string& name, bool milli) {
  const std::string text = Text(value, name.c_str());
  const auto amount = milli ? QuantityMilli(text) : QuantityValue(text);
  if (!amount) Bad(fmt::format("{} `{}` is no quantity", name, text));
  if (*amount < 0) Bad(fmt::format("{} `{}` is negative", name, text));
  return *amount;
}

// Extended resources have a domain that is not kubernetes.io; hugepages and attachable volumes
// count like them. Anything else is no business of the scheduler.
bool IsScalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.");
}

class Reader {
 public:
  explicit Reader(Strings& strings) : strings_(strings) {}

  PodObject ReadPod(const Json& json) {
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
      if (!time) Bad(fmt::format("startTime `{}` is no time", start));
      out.start_ms = *time;
    }
    ReadSpec(metadata, spec, out.spec);
    return out;
  }

  Node ReadNode(const Json& json) {
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

  Workload ReadWorkload(const Json& json, Workload::Kind kind) {
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

  DisruptionBudget ReadBudget(const Json& json) {
    DisruptionBudget out;
    out.name = Intern(At(At(json, "metadata"), "name"), "name");
    out.namespace_name = NamespaceOf(json);
    out.selector = ReadSelector(At(At(json, "spec"), "selector"));
    const Json& status = At(json, "status");
    out.disruptions_allowed = Integer(status, "disruptionsAllowed", 0);
    if (const Json& pods = At(status, "disruptedPods"); pods.is_object()) {
      for (const auto& item : pods.items())
        out.disrupted_pods.push_back(strings_.Intern(item.key()));
    }
    std::sort(out.disrupted_pods.begin(), out.disrupted_pods.end());
    return out;
  }

  Namespace ReadNamespace(const Json& json) {
    const Json& metadata = At(json, "metadata");
    return {Intern(At(metadata, "name"), "name"), ReadLabels(At(metadata, "labels"))};
  }

 private:
  Id Intern(const Json& value, const char* key) { return strings_.Intern(Text(value, key)); }

  Id NamespaceOf(const Json& json) {
    const std::string text = Text(At(At(json, "metadata"), "namespace"), "namespace");
    return strings_.Intern(text.empty() ? "default" : text);
  }

  ObjectLabels ReadLabels(const Json& json) {
    ObjectLabels out;
    if (json.is_null()) return out;
    if (!json.is_object()) Bad("labels are no map");
    for (const auto& item : json.items()) {
      out.push_back({strings_.Intern(item.key()), Intern(item.value(), "label")});
    }
    std::sort(out.begin(), out.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
    return out;
  }

  static std::vector<Requirement> AsRequirements(const ObjectLabels& labels) {
    std::vector<Requirement> out;
    for (const Label& label : labels) {
      out.push_back({label.key, Operator::kIn, {label.value}});
    }
    return out;
  }

  // False if the operator or the number of its values is not one that Kubernetes parses.
  bool ReadRequirement(const Json& json, bool of_nodes, Requirement& out) {
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

  Selector ReadSelector(const Json& json) {
    Selector out;
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

  NodeSelectorTerm ReadNodeTerm(const Json& json) {
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

  NodeAffinity ReadNodeAffinity(const Json& json) {
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

  PodAffinityTerm ReadPodTerm(const Json& json, Id own_namespace) {
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

  Effect ReadEffect(const Json& json) {
    const std::string text = Text(json, "effect");
    if (text.empty()) return Effect::kAny;
    if (text == "NoSchedule") return Effect::kNoSchedule;
    if (text == "PreferNoSchedule") return Effect::kPreferNoSchedule;
    return text == "NoExecute" ? Effect::kNoExecute : Effect::kOther;
  }

  Resources ReadResources(const Json& json) {
    Resources out;
    if (json.is_null()) return out;
    if (!json.is_object()) Bad("resources are no map");
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

  Container ReadContainer(const Json& json, bool init) {
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
    if (std::string image = Text(At(json, "image"), "image"); !image.empty()) {
      const std::size_t colon = image.rfind(':');
      const std::size_t slash = image.rfind('/');
      const bool tagged =
          colon != std::string::npos && (slash == std::string::npos || colon > slash);
      out.image = strings_.Intern(tagged ? image : image + ":latest");
    }
    return out;
  }

  void ReadPorts(const Json& container, bool host_network, PodSpec& out) {
    for (const Json& json : ListAt(container, "ports")) {
      std::int64_t port = Integer(json, "hostPort", 0);
      if (port == 0 && host_network) port = Integer(json, "containerPort", 0);
      if (port <= 0) continue;
      const std::string ip = Text(At(json, "hostIP"), "hostIP");
      const std::string protocol = Text(At(json, "protocol"), "protocol");
      out.host_ports.push_back({strings_.Intern(ip.empty() ? "0.0.0.0" : ip),
                                strings_.Intern(protocol.empty() ? "TCP" : protocol),
                                static_cast<std::int32_t>(port)});
    }
  }

  void ReadSpec(const Json& metadata, const Json& spec, PodSpec& out) {
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
      ReadPorts(container, host_network, out);
    }
    for (const Json& container : ListAt(spec, "initContainers")) {
      out.init_containers.push_back(ReadContainer(container, true));
    }
    const Json& overhead = At(spec, "overhead");
    out.overhead = ReadResources(overhead);
    if (const Json& cpu = At(overhead, "cpu"); !cpu.is_null()) {
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
      if (!At(volume, "persistentVolumeClaim").is_null()) ++out.volume_claims;
    }
  }

  static std::int64_t PriorityOfClass(const Json& spec) {
    const std::string name = Text(At(spec, "priorityClassName"), "priorityClassName");
    if (name == "system-cluster-critical") return 2'000'000'000;
    return name == "system-node-critical" ? 2'000'001'000 : 0;
  }

  Controller ReadController(const Json& json) {
    return {Intern(At(json, "apiVersion"), "apiVersion"), Intern(At(json, "kind"), "kind"),
            Intern(At(json, "name"), "name"), Intern(At(json, "uid"), "uid")};
  }

  // An annotation that does not parse avoids nothing.
  std::vector<Controller> ReadAvoids(const std::string& text) {
    std::vector<Controller> out;
    const Json json = Json::parse(text, nullptr, false);
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

  Strings& strings_;
};

Json ParseJson(std::string_view text, std::string_view file) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: not JSON; give what `kubectl get ... -o json` "
                                                "prints",
                                                file));
  }
  return json;
}

std::string Describe(const Json& object) {
  const auto text = [](const Json& json, const char* key) -> std::string {
    const auto it = json.is_object() ? json.find(key) : json.end();
    return it != json.end() && it->is_string() ? it->get<std::string>() : "?";
  };
  const auto metadata = object.is_object() ? object.find("metadata") : object.end();
  const std::string name = metadata == object.end() ? "?" : text(*metadata, "name");
  return fmt::format("{} `{}`", text(object, "kind"), name);
}

// Runs `read` and adds file and object to what went wrong.
template <typename F>
auto Reading(const Json& object, std::string_view file, F read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}: {}", file, Describe(object), error.what()));
  }
}

// Replicas share one spec.
class SpecPool {
 public:
  explicit SpecPool(Cluster& cluster) : cluster_(cluster) {
    for (SpecId id = 0; id < cluster.spec_limit(); ++id) known_.emplace(Key(cluster.spec(id)), id);
  }
  SpecId Add(PodSpec spec) {
    Resolve(spec, cluster_.release());
    const std::size_t key = Key(spec);
    const auto [first, last] = known_.equal_range(key);
    for (auto at = first; at != last; ++at) {
      if (cluster_.spec(at->second) == spec) return at->second;
    }
    return known_.emplace(key, cluster_.AddSpec(std::move(spec)))->second;
  }

 private:
  static std::size_t Key(const PodSpec& spec) {
    std::size_t out = static_cast<std::size_t>(spec.namespace_name);
    for (const Label& label : spec.labels) {
      out = out * 1'000'003 + static_cast<std::size_t>(label.key) * 31 +
            static_cast<std::size_t>(label.value);
    }
    return out * 1'000'003 + static_cast<std::size_t>(spec.request.milli_cpu);
  }

  Cluster& cluster_;
  std::unordered_multimap<std::size_t, SpecId> known_;
};

void PutPod(PodObject pod, SpecPool& specs, Cluster& cluster, Loaded& loaded) {
  if (pod.phase == "Succeeded" || pod.phase == "Failed" || pod.spec.scheduling_gates > 0) {
    ++loaded.ignored;
    return;
  }
  const NodeId node =
      pod.spec.node_name == kEmptyText ? kNone : cluster.FindNode(pod.spec.node_name);
  const bool bound = pod.spec.node_name != kEmptyText;
  const NodeId nominated =
      pod.nominated_node == kEmptyText ? kNone : cluster.FindNode(pod.nominated_node);
  if (bound) pod.spec.node_name = kEmptyText;  // it has no say any more
  const PodId id = cluster.CreatePod(std::move(pod.name), specs.Add(std::move(pod.spec)), pod.uid);
  cluster.SetStart(id, pod.start_ms);
  if (pod.terminating) cluster.SetTerminating(id);
  if (bound && node == kNone) {
    cluster.DeletePod(id);
    ++loaded.ignored;
    return;
  }
  ++loaded.pods;
  if (bound) {
    cluster.BindPod(id, node);
  } else {
    ++loaded.pending_pods;
    if (nominated != kNone) cluster.Nominate(id, nominated);
  }
}

void PutObject(const Json& object, Reader& reader, Cluster& cluster, Loaded& loaded) {
  const std::string kind = Text(At(object, "kind"), "kind");
  constexpr std::pair<std::string_view, Workload::Kind> kWorkloads[] = {
      {"Service", Workload::Kind::kService},
      {"ReplicationController", Workload::Kind::kReplicationController},
      {"ReplicaSet", Workload::Kind::kReplicaSet},
      {"StatefulSet", Workload::Kind::kStatefulSet},
  };
  for (const auto& [name, workload] : kWorkloads) {
    if (kind != name) continue;
    cluster.PutWorkload(reader.ReadWorkload(object, workload));
    ++loaded.workloads;
    return;
  }
  if (kind == "Node") {
    Node node = reader.ReadNode(object);
    if (node.name == kEmptyText) Bad("it has no name");
    cluster.AddNode(std::move(node));
    ++loaded.nodes;
  } else if (kind == "PodDisruptionBudget") {
    cluster.PutBudget(reader.ReadBudget(object));
    ++loaded.budgets;
  } else if (kind == "Namespace") {
    cluster.PutNamespace(reader.ReadNamespace(object));
    ++loaded.namespaces;
  } else {
    ++loaded.ignored;
  }
}

bool Is(const Json& object, std::string_view kind) {
  const auto at = object.is_object() ? object.find("kind") : object.end();
  return object.is_object() && at != object.end() && *at == kind;
}

// Plain scalars as YAML 1.2 types them; quoted ones stay text.
Json FromYaml(const YAML::Node& node, int depth) {
  if (depth > 100) Bad("nested too deeply");
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      Json out = Json::object();
      for (const auto& item : node) out[item.first.Scalar()] = FromYaml(item.second, depth + 1);
      return out;
    }
    case YAML::NodeType::Sequence: {
      Json out = Json::array();
      for (const auto& item : node) out.push_back(FromYaml(item, depth + 1));
      return out;
    }
    case YAML::NodeType::Scalar: {
      const std::string& text = node.Scalar();
      if (node.Tag() == "!") return text;
      if (text == "true" || text == "false") return text == "true";
      if (text == "null" || text == "~" || text.empty()) return nullptr;
      const bool digits =
          text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos;
      if (digits && text.size() < 19 && text != "-") return std::strtoll(text.c_str(), nullptr, 10);
      return text;
    }
    default:
      return nullptr;
  }
}

Json ParseYaml(std::string_view text, std::string_view file) {
  try {
    return FromYaml(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

Loaded LoadObjects(std::string_view text, std::string_view file, Cluster& cluster, bool nodes,
                   bool pods) {
  const Json json = ParseJson(text, file);
  const Json single = Json::array({json});
  const bool list = json.is_object() && json.contains("items");
  const Json& objects = list ? json["items"] : single;
  if (!objects.is_array()) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: `items` is no list", file));
  }
  Loaded loaded;
  Reader reader(cluster.strings());
  for (const Json& object : objects) {
    if (Is(object, "Pod") || (!nodes && Is(object, "Node"))) continue;
    Reading(object, file, [&] { PutObject(object, reader, cluster, loaded); });
  }
  SpecPool specs(cluster);
  for (const Json& object : objects) {
    if (!pods || !Is(object, "Pod")) continue;
    Reading(object, file, [&] { PutPod(reader.ReadPod(object), specs, cluster, loaded); });
  }
  return loaded;
}

PodObject ReadPod(std::string_view text, std::string_view file, Strings& strings) {
  const Json json = ParseJson(text, file);
  return Reading(json, file, [&] { return Reader(strings).ReadPod(json); });
}

Node ReadNode(std::string_view text, std::string_view file, Strings& strings) {
  const Json json = ParseJson(text, file);
  return Reading(json, file, [&] { return Reader(strings).ReadNode(json); });
}

PodObject ReadPodManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ParseYaml(yaml, file);
  return Reading(json, file, [&] { return Reader(strings).ReadPod(json); });
}

Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ParseYaml(yaml, file);
  return Reading(json, file, [&] { return Reader(strings).ReadNode(json); });
}

}  // namespace schedlens::sim::core
