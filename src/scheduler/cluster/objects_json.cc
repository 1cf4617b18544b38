#include "scheduler/cluster/objects_json.h"

#include <yaml-cpp/yaml.h>

#include <cstdlib>

#include "base/json.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::sim::core {
namespace {

std::string Describe(const Json& object) {
  const auto text = [](const Json& json) {
    return json.is_string() ? json.get<std::string>() : "?";
  };
  return fmt::format("{} `{}`", text(MemberAt(object, "kind")),
                     text(MemberAt(MemberAt(object, "metadata"), "name")));
}

// Runs `read` and adds file and object to what went wrong.
template <typename F>
auto Reading(const Json& object, std::string_view file, F read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.kind(),
                OnOneLine(fmt::format("{}: {}: {}", file, Describe(object), error.what())));
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
  const bool bound = pod.spec.node_name != kEmptyText;
  const NodeId node = cluster.FindNode(pod.spec.node_name);
  const NodeId nominated = cluster.FindNode(pod.nominated_node);
  pod.spec.node_name = kEmptyText;  // only a pending pod's is a constraint
  const SpecId spec = specs.Add(std::move(pod.spec));
  if (bound && node == kNone) {
    ++loaded.ignored_fields["pods on nodes that are not given"];
    ++loaded.ignored;
    return;
  }
  const PodId id = cluster.CreatePod(std::move(pod.name), spec, pod.uid);
  cluster.SetStart(id, pod.start_ms);
  if (pod.terminating) cluster.SetTerminating(id, pod.preempted_by_scheduler);
  ++loaded.pods;
  if (bound) return cluster.BindPod(id, node);
  cluster.Nominate(id, nominated);
}

bool Is(const Json& object, std::string_view kind) { return MemberAt(object, "kind") == kind; }

}  // namespace

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
      if (text == "true" || text == "True" || text == "TRUE") return true;
      if (text == "false" || text == "False" || text == "FALSE") return false;
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

namespace {

// The key of a map, or the element of a list, that the path leads to; as far as there is one.
YAML::Node NodeAt(const YAML::Node& document, std::span<const std::string> path) {
  YAML::Node found = document, value = document;
  for (const std::string& step : path) {
    std::size_t number = 0;
    for (const auto& item : value) {
      if (value.IsMap() ? item.first.Scalar() != step : std::to_string(number++) != step) continue;
      found.reset(value.IsMap() ? item.first : YAML::Node(item));
      value.reset(value.IsMap() ? item.second : YAML::Node(item));
      break;
    }
  }
  return found;
}

// An object of a file, and its place in one of the file's documents.
struct ObjectOfFile {
  const Json* json;
  YAML::Node document;  // undefined where the file is JSON
  std::vector<std::string> path;
};

// Those of lists one by one. What a NodeList holds need not say that it is a Node.
void CollectObjects(Json& json, const ObjectOfFile& at, std::string_view file,
                    std::vector<ObjectOfFile>& out) {
  const bool items = json.is_object() && json.contains("items");
  if (!items && !json.is_array()) {
    out.push_back(at);
    out.back().json = &json;
    return;
  }
  Json& list = items ? json["items"] : json;
  if (!list.is_array()) Bad(fmt::format("{}: `items` must be a list", file));
  const std::string kind = items ? schedlens::TextAt(json, "kind") : "";
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectOfFile item = at;
    if (items) item.path.emplace_back("items");
    item.path.push_back(std::to_string(i));
    if (kind.ends_with("List") && kind != "List" && list[i].is_object() &&
        !list[i].contains("kind")) {
      list[i]["kind"] = kind.substr(0, kind.size() - 4);
    }
    CollectObjects(list[i], item, file, out);
  }
}

// Each document of JSON; none where one of them is something else.
std::vector<Json> JsonIn(std::string_view text) {
  std::vector<Json> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\n---", at), text.size());
    std::string_view part = Trimmed(text.substr(at, end - at));
    if (part.starts_with("---")) part = Trimmed(part.substr(3));
    at = end + 4;
    if (part.empty()) continue;
    out.push_back(ReadJson(part));
    if (out.back().is_discarded()) return {};
  }
  return out;
}

// The objects of JSON, or of the documents of YAML. `documents` keeps them.
std::vector<ObjectOfFile> ObjectsOf(std::string_view text, std::string_view file,
                                    std::vector<Json>& documents) {
  std::vector<ObjectOfFile> out;
  documents = JsonIn(text);
  for (Json& document : documents) {
    CollectObjects(document, {nullptr, YAML::Node(YAML::NodeType::Undefined), {}}, file, out);
  }
  if (!documents.empty()) return out;
  bool good = true;
  try {
    const std::vector<YAML::Node> read = LoadAllYaml(std::string(text));
    documents.resize(read.size());
    for (std::size_t i = 0; i < read.size() && good; ++i) {
      documents[i] = FromYaml(read[i]);
      good = documents[i].is_structured() || documents[i].is_null();
      if (!documents[i].is_null() && good) {
        CollectObjects(documents[i], {nullptr, read[i], {}}, file, out);
      }
    }
  } catch (const YAML::Exception& error) {
    good = Trimmed(text).find_first_of("{[") != 0;
    if (good) Bad(fmt::format("{}:{}: {}", file, ErrorLine(error), NotYaml(text, error.msg)));
  }
  if (!good) {
    Bad(
        fmt::format("{}: not JSON, or nested too deeply; give what `kubectl get ... -o json` or "
                    "`-o yaml` prints",
                    file));
  }
  return out;
}

// From 1. Of JSON, whose reader knows none: where the key first stands behind the object's name,
// which is before it in all that is sorted.
std::int64_t LineOf(const ObjectOfFile& object, const FieldFault& fault, std::string_view text) {
  if (object.document.IsDefined()) {
    std::vector<std::string> path = object.path;
    path.insert(path.end(), fault.path.begin(), fault.path.end());
    return NodeAt(object.document, path).Mark().line + 1;
  }
  const auto key = std::ranges::find_if(fault.path.rbegin(), fault.path.rend(),
                                        [](const auto& step) { return !WholeNumber<int>(step); });
  const Json& name = MemberAt(MemberAt(*object.json, "metadata"), "name");
  const std::size_t named = name.is_string() ? text.find(name.dump()) : 0;
  std::size_t at = text.find(Json(*key).dump(), named == std::string_view::npos ? 0 : named);
  if (at == std::string_view::npos) at = text.find(Json(*key).dump());
  return 1 + std::ranges::count(text.substr(0, at), '\n');
}

// Of what a cluster prints only what looks mistyped is refused.
void CheckPrinted(const ObjectOfFile& object, std::string_view file, std::string_view text,
                  Loaded& loaded) {
  const std::string kind = schedlens::TextAt(*object.json, "kind");
  std::vector<std::string> unknown;
  const std::optional<FieldFault> fault = FaultOf(*object.json, kind, &unknown);
  for (const std::string& field : unknown) {
    ++loaded.ignored_fields[OnOneLine(fmt::format("objects of kind {} with {}", kind, field))];
  }
  if (!fault) return;
  throw Error(ErrorKind::kUsage,
              OnOneLine(fmt::format("{}:{}: {}: {}", file, LineOf(object, *fault, text),
                                    Describe(*object.json), fault->why)));
}

Json ReadManifest(std::string_view yaml, std::string_view file) {
  const std::vector<YAML::Node> documents = LoadYamlFile(std::string(yaml), file);
  return documents.empty() ? Json() : FromYaml(documents.front());
}

}  // namespace

Loaded LoadObjects(std::string_view text, std::string_view file, Cluster& cluster, bool nodes,
                   bool pods) {
  std::vector<Json> documents;
  const std::vector<ObjectOfFile> objects = ObjectsOf(text, file, documents);
  Loaded loaded;
  for (const ObjectOfFile& object : objects) {
    const Json& json = *object.json;
    if (Is(json, "Pod") || (!nodes && Is(json, "Node"))) continue;
    CheckPrinted(object, file, text, loaded);
    Reading(json, file, [&] { PutFrom(json, cluster, loaded); });
  }
  SpecPool specs(cluster);
  for (const ObjectOfFile& object : objects) {
    const Json& json = *object.json;
    if (!pods || !Is(json, "Pod")) continue;
    CheckPrinted(object, file, text, loaded);
    Reading(json, file, [&] {
      PutPod(PodFrom(json, cluster.strings(), loaded.ignored_fields), specs, cluster, loaded);
    });
  }
  return loaded;
}

std::string IgnoredText(const std::map<std::string, int>& ignored) {
  std::string out;
  for (const auto& [what, count] : ignored) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", what, count);
  }
  return out;
}

PodObject ReadPodManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ReadManifest(yaml, file);
  std::map<std::string, int> none;
  return Reading(json, file, [&] { return PodFrom(json, strings, none); });
}

Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ReadManifest(yaml, file);
  return Reading(json, file, [&] { return NodeFrom(json, strings); });
}

void CheckManifest(const YAML::Node& manifest, std::string_view type, const OnFault& fail) {
  const std::optional<FieldFault> fault = FaultOf(FromYaml(manifest), type);
  if (fault) fail(NodeAt(manifest, fault->path), OnOneLine(fault->why));
}

std::string NodeAffinityText(YamlMap manifest) {
  constexpr std::string_view kType = "NodeAffinity";
  const Json json = TypedFrom(manifest, kType);
  if (const auto fault = FaultOf(json, kType)) {
    manifest.Fail(NodeAt(manifest.node(), fault->path), OnOneLine(fault->why));
  }
  std::string out = WriteJson(json);
  try {
    Strings strings;
    ReadNodeAffinity(out, strings);
  } catch (const Error& error) {
    manifest.Fail(manifest.node(), error.what());
  }
  return out;
}

namespace {

// What makes pods, and which field of its spec says how many at once.
constexpr std::pair<std::string_view, const char*> kPodMakers[] = {
    {"Pod", ""},
    {"Deployment", "replicas"},
    {"ReplicaSet", "replicas"},
    {"ReplicationController", "replicas"},
    {"StatefulSet", "replicas"},
    {"Job", "parallelism"}};

const auto* MakerOf(const Json& object) {
  const Json& kind = MemberAt(object, "kind");
  const auto is = [&](const auto& maker) {
    return kind.is_null() ? maker.first == "Pod" : kind == maker.first;
  };
  const auto* at = std::ranges::find_if(kPodMakers, is);
  return at == std::end(kPodMakers) ? nullptr : at;
}

class PodFileReader {
 public:
  PodFileReader(std::string_view text, std::string_view file) : file_(file) {
    std::vector<YAML::Node> makers;
    for (const YAML::Node& one : LoadYamlFile(std::string(text), file)) {
      if (makers.empty()) root_.reset(one);
      if (one.IsMap() && one["kind"] && MakerOf(FromYaml(one)) != nullptr) makers.push_back(one);
    }
    if (!makers.empty()) root_.reset(makers.front());
    if (makers.size() > 1) {
      FailAt(makers[1], fmt::format("{} objects that make pods: give one", makers.size()));
    }
  }

  PodObject Read(Strings& strings) {
    Json json = FromYaml(root_);
    if (!json.is_object()) Fail({}, "not a Pod manifest");
    const auto* maker = MakerOf(json);
    if (maker == nullptr) {
      const Json& kind = json["kind"];
      Fail({"kind"}, kind.is_string()
                         ? "kind must be Pod, or what makes pods (Deployment, "
                           "ReplicaSet, ReplicationController, StatefulSet, Job), not " +
                               QuotePromql(kind.get<std::string>())
                         : "kind must be Pod, not a list or a map");
    }
    CheckManifest(root_, maker->first, [&](const auto& at, const auto& why) { FailAt(at, why); });
    std::vector<std::string> place;
    const bool made = maker != kPodMakers;
    if (made) place = {"spec", "template"};
    Json pod = made ? At(json, "spec", "template") : json;
    CheckShape(pod, place);
    PodObject out;
    if (made) {
      const Json metadata = At(json, "metadata");
      for (const char* key : {"name", "namespace"}) pod["metadata"][key] = At(metadata, key);
      pod["kind"] = "Pod";
      // The controller's, by which a Deployment's new pods are told from those of before.
      Json& labels = pod["metadata"]["labels"];
      const bool fits = labels.is_null() || labels.is_object();
      if (fits && maker->first == "Deployment") labels["pod-template-hash"] = "new";
    }
    std::map<std::string, int> none;
    try {
      out = Reading(pod, file_, [&] { return PodFrom(pod, strings, none); });
    } catch (const Error& error) {
      throw Error(ErrorKind::kUsage, error.what());
    }
    if (made) {
      const bool volumes = !ListAt(At(json, "spec"), "volumeClaimTemplates").empty();
      out.maker = fmt::format("{} {}{}", maker->first, out.name,
                              volumes ? " (without its volumeClaimTemplates)" : "");
      out.replicas = Integer(At(json, "spec"), maker->second, 1);
    }
    return out;
  }

 private:
  [[noreturn]] void FailAt(const YAML::Node& at, std::string_view why) const {
    Raise(ErrorKind::kUsage, "{}:{}: {}", file_, std::max(at.Mark().line, 0) + 1, why);
  }
  [[noreturn]] void Fail(const std::vector<std::string>& path, const std::string& why) const {
    FailAt(NodeAt(root_, path), why);
  }

  // Throws where it is no pod that can be scheduled. `place` leads to it.
  void CheckShape(const Json& pod, std::vector<std::string> place) const {
    if (!At(pod, "spec").is_object()) Fail(place, "a Pod needs a spec");
    const Json& spec = At(pod, "spec");
    place.insert(place.end(), {"spec", "containers"});
    if (ListAt(spec, "containers").empty()) {
      Fail(place, "spec.containers must be a list with at least one container");
    }
    place.back() = "schedulingGates";
    if (!ListAt(spec, "schedulingGates").empty()) {
      Fail(place, "a pod with schedulingGates is not scheduled; remove them");
    }
  }

  std::string_view file_;
  YAML::Node root_;
};

}  // namespace

PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings) {
  return PodFileReader(yaml, file).Read(strings);
}

}  // namespace schedlens::sim::core
