#include "sim/cluster/objects_json.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "model/json.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "sim/cluster/json_fields.h"
#include "sim/cluster/object_reader.h"

namespace schedlens::sim::core {
namespace {

using Json = nlohmann::json;

Json ParseJson(std::string_view text, std::string_view file) {
  Json json = ReadJson(text);
  if (json.is_discarded()) {
    throw Error(
        ErrorKind::kFailed,
        fmt::format("{}: not JSON, or nested too deeply; give what `kubectl get ... -o json` "
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
  if (IsFinished(pod)) {
    ++loaded.ignored;
    return;
  }
  const NodeId node =
      pod.spec.node_name == kEmptyText ? kNone : cluster.FindNode(pod.spec.node_name);
  const bool bound = pod.spec.node_name != kEmptyText;
  const NodeId nominated =
      pod.nominated_node == kEmptyText ? kNone : cluster.FindNode(pod.nominated_node);
  if (bound) pod.spec.node_name = kEmptyText;  // only a pending pod's is a constraint
  const PodId id = cluster.CreatePod(std::move(pod.name), specs.Add(std::move(pod.spec)), pod.uid);
  cluster.SetStart(id, pod.start_ms);
  if (pod.terminating) cluster.SetTerminating(id, pod.preempted_by_scheduler);
  if (bound && node == kNone) {
    cluster.DeletePod(id);
    ++loaded.ignored_fields["pods on nodes that are not given"];
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

// What pods ask for by name. False for another kind.
bool PutVolumeObject(std::string_view kind, const Json& object, ObjectReader& reader,
                     Cluster& cluster) {
  using Put = void (*)(const Json&, ObjectReader&, Cluster&);
  constexpr std::pair<std::string_view, Put> kKinds[] = {
      {"PersistentVolume",
       [](const Json& o, ObjectReader& r, Cluster& c) { c.volumes().Put(r.ReadVolume(o)); }},
      {"PersistentVolumeClaim",
       [](const Json& o, ObjectReader& r, Cluster& c) { c.volumes().Put(r.ReadClaim(o)); }},
      {"StorageClass",
       [](const Json& o, ObjectReader& r, Cluster& c) { c.volumes().Put(r.ReadStorageClass(o)); }},
      {"CSINode",
       [](const Json& o, ObjectReader& r, Cluster& c) { c.volumes().Put(r.ReadCsiNode(o)); }},
      {"CSIDriver",
       [](const Json& o, ObjectReader& r, Cluster& c) { c.volumes().Put(r.ReadCsiDriver(o)); }},
      {"CSIStorageCapacity", [](const Json& o, ObjectReader& r,
                                Cluster& c) { c.volumes().Put(r.ReadStorageCapacity(o)); }},
  };
  for (const auto& [name, put] : kKinds) {
    if (kind != name) continue;
    put(object, reader, cluster);
    return true;
  }
  return false;
}

void PutObject(const Json& object, ObjectReader& reader, Cluster& cluster, Loaded& loaded) {
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
  } else if (!PutVolumeObject(kind, object, reader, cluster)) {
    ++loaded.ignored_fields[fmt::format("objects of kind {}", kind)];
    ++loaded.ignored;
  }
}

bool Is(const Json& object, std::string_view kind) {
  const auto at = object.is_object() ? object.find("kind") : object.end();
  return object.is_object() && at != object.end() && *at == kind;
}

// Plain scalars as YAML 1.2 types them; quoted ones stay text.
Json FromYaml(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      Json out = Json::object();
      for (const auto& item : node) out[item.first.Scalar()] = FromYaml(item.second);
      return out;
    }
    case YAML::NodeType::Sequence: {
      Json out = Json::array();
      for (const auto& item : node) out.push_back(FromYaml(item));
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
    return FromYaml(LoadYaml(std::string(text)));
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
    throw Error(ErrorKind::kFailed, fmt::format("{}: `items` must be a list", file));
  }
  Loaded loaded;
  ObjectReader reader(cluster.strings());
  for (const Json& object : objects) {
    if (Is(object, "Pod") || (!nodes && Is(object, "Node"))) continue;
    Reading(object, file, [&] { PutObject(object, reader, cluster, loaded); });
  }
  SpecPool specs(cluster);
  for (const Json& object : objects) {
    if (!pods || !Is(object, "Pod")) continue;
    Reading(object, file, [&] { PutPod(reader.ReadPod(object), specs, cluster, loaded); });
  }
  for (const auto& [what, count] : reader.ignored()) loaded.ignored_fields[what] += count;
  return loaded;
}

std::string IgnoredText(const std::map<std::string, int>& ignored) {
  std::string out;
  for (const auto& [what, count] : ignored) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", what, count);
  }
  return out;
}

void PutObject(std::string_view text, std::string_view file, Cluster& cluster,
               std::map<std::string, int>* ignored) {
  const Json json = ParseJson(text, file);
  Reading(json, file, [&] {
    ObjectReader reader(cluster.strings());
    Loaded loaded;
    PutObject(json, reader, cluster, loaded);
    if (loaded.ignored > 0) Bad("the scheduler does not look at this kind");
    for (const auto& [what, count] : reader.ignored()) (*ignored)[what] += count;
  });
}

PodObject ReadPod(std::string_view text, std::string_view file, Strings& strings,
                  std::map<std::string, int>* ignored) {
  const Json json = ParseJson(text, file);
  return Reading(json, file, [&] {
    ObjectReader reader(strings);
    PodObject out = reader.ReadPod(json);
    for (const auto& [what, count] : reader.ignored()) {
      if (ignored != nullptr) (*ignored)[what] += count;
    }
    return out;
  });
}

Node ReadNode(std::string_view text, std::string_view file, Strings& strings) {
  const Json json = ParseJson(text, file);
  return Reading(json, file, [&] { return ObjectReader(strings).ReadNode(json); });
}

PodObject ReadPodManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ParseYaml(yaml, file);
  return Reading(json, file, [&] { return ObjectReader(strings).ReadPod(json); });
}

Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ParseYaml(yaml, file);
  return Reading(json, file, [&] { return ObjectReader(strings).ReadNode(json); });
}

}  // namespace schedlens::sim::core
