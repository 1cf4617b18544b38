#include "scheduler/cluster/objects_json.h"

#include <yaml-cpp/yaml.h>

#include <cstdlib>

#include "base/json.h"
#include "base/text.h"
#include "base/yaml_load.h"
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
    Raise(ErrorKind::kUsage, "{}:{}: {}", file, error.mark.line + 1, error.msg);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, OnOneLine(fmt::format("{}: {}", file, error.what())));
  }
}

}  // namespace

Loaded LoadObjects(std::string_view text, std::string_view file, Cluster& cluster, bool nodes,
                   bool pods) {
  const Json json = ReadJson(text);
  if (json.is_discarded()) {
    Bad(
        fmt::format("{}: not JSON, or nested too deeply; give what `kubectl get ... -o json` "
                    "prints",
                    file));
  }
  const Json single = Json::array({json});
  const bool list = json.is_object() && json.contains("items");
  const Json& objects = list ? json["items"] : single;
  if (!objects.is_array()) Bad(fmt::format("{}: `items` must be a list", file));
  Loaded loaded;
  for (const Json& object : objects) {
    if (Is(object, "Pod") || (!nodes && Is(object, "Node"))) continue;
    Reading(object, file, [&] { PutFrom(object, cluster, loaded); });
  }
  SpecPool specs(cluster);
  for (const Json& object : objects) {
    if (!pods || !Is(object, "Pod")) continue;
    Reading(object, file, [&] {
      PutPod(PodFrom(object, cluster.strings(), loaded.ignored_fields), specs, cluster, loaded);
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
  const Json json = ParseYaml(yaml, file);
  std::map<std::string, int> none;
  return Reading(json, file, [&] { return PodFrom(json, strings, none); });
}

Node ReadNodeManifest(std::string_view yaml, std::string_view file, Strings& strings) {
  const Json json = ParseYaml(yaml, file);
  return Reading(json, file, [&] { return NodeFrom(json, strings); });
}

namespace {

[[noreturn]] void Fail(std::string_view file, int line, std::string_view why) {
  Raise(ErrorKind::kUsage, "{}:{}: {}", file, line + 1, why);
}

void Collect(const YAML::Node& node, std::vector<YAML::Node>& leaves, int depth) {
  if (depth > 100) return;
  if (node.IsScalar()) leaves.push_back(node);
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) Collect(item, leaves, depth + 1);
  }
  if (node.IsMap()) {
    for (const auto& item : node) Collect(item.second, leaves, depth + 1);
  }
}

// Without the object's kind and name, which come first.
std::string ErrorOf(const YAML::Node& root, Strings& strings) {
  try {
    ReadPodManifest(YAML::Dump(root), "", strings);
    return "";
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t end = text.find("`: ");
    return end == std::string::npos ? text : text.substr(end);
  }
}

// The reader knows values, not lines: the value that is at fault is the one without which the
// complaint is another, or none. -1 if there is no such value.
int LineAtFault(const YAML::Node& root, Strings& strings) {
  const std::string complaint = ErrorOf(root, strings);
  std::vector<YAML::Node> leaves;
  Collect(root, leaves, 0);
  for (YAML::Node& leaf : leaves) {
    const int line = leaf.Mark().line;
    const std::string text = leaf.Scalar(), tag = leaf.Tag();
    leaf = YAML::Node(YAML::NodeType::Null);
    const bool at_fault = ErrorOf(root, strings) != complaint;
    leaf = text;
    leaf.SetTag(tag);
    if (at_fault) return line;
  }
  return -1;
}

// Throws where it is no manifest of one Pod that can be scheduled.
void CheckShape(const YAML::Node& root, std::string_view file) {
  const auto fail = [&](const YAML::Node& at, const std::string& why) {
    Fail(file, std::max(at.Mark().line, 0), why);
  };
  if (!root.IsMap()) fail(root, "not a Pod manifest");
  if (const YAML::Node kind = root["kind"]; kind && !kind.IsScalar()) {
    fail(kind, "kind must be Pod, not a list or a map");
  } else if (kind && kind.Scalar() != "Pod") {
    fail(kind, "kind must be Pod, not " + QuotePromql(kind.Scalar()));
  }
  const YAML::Node spec = root["spec"];
  if (!spec || !spec.IsMap()) fail(spec ? spec : root, "a Pod needs a spec");
  const YAML::Node containers = spec["containers"];
  if (!containers || !containers.IsSequence() || containers.size() == 0) {
    fail(containers ? containers : spec,
         "spec.containers must be a list with at least one container");
  }
  const YAML::Node gates = spec["schedulingGates"];
  if (gates && gates.IsSequence() && gates.size() > 0) {
    fail(gates, "a pod with schedulingGates is not scheduled; remove them");
  }
}

}  // namespace

PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings) {
  YAML::Node root;
  try {
    root = LoadYaml(std::string(yaml));
  } catch (const YAML::Exception& error) {
    Fail(file, error.mark.line, fmt::format("not YAML: {}", error.msg));
  }
  CheckShape(root, file);
  try {
    return ReadPodManifest(yaml, file, strings);
  } catch (const Error& error) {
    const int line = LineAtFault(root, strings);
    std::string why = error.what();
    if (why.rfind(std::string(file) + ": ", 0) == 0) why.erase(0, file.size() + 2);
    if (line >= 0) Fail(file, line, why);
    Raise(ErrorKind::kUsage, "{}: {}", file, why);
  }
}

}  // namespace schedlens::sim::core
