#include "scheduler/framework/configuration_file.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <sstream>

#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::core {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;

constexpr int kDeepest = 12;  // lists in lists, texts in objects, maps in their fields

std::string Text(const YAML::Node& map, const char* key) {
  const YAML::Node node = map[key];
  return node && node.IsScalar() ? node.Scalar() : "";
}

/// The configurations of one file, those in texts of other objects too.
struct ConfigurationFinder {
  std::vector<std::pair<YAML::Node, std::string>> found;
  std::optional<Error> broken;  ///< of the first text that is not YAML

  void Look(const YAML::Node& node, const std::string& place, int depth) {
    if (depth > kDeepest) return;
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) Look(item, place, depth + 1);
    } else if (node.IsMap()) {
      LookInMap(node, place, depth);
    }
  }

  void LookInMap(const YAML::Node& map, const std::string& place, int depth) {
    if (Text(map, "kind") == kKind || IsPolicy(map)) {
      found.emplace_back(map, place);
      return;
    }
    for (const auto& item : map) {
      // What `kubectl apply` wrote down of the object is no second one.
      if (!item.first.IsScalar() || item.first.Scalar() == "metadata") continue;
      if (item.second.IsScalar()) {
        LookInText(item.second.Scalar(), fmt::format("{} ({})", place, item.first.Scalar()), depth);
      } else {
        Look(item.second, place, depth + 1);
      }
    }
  }

  /// Keys hold anything, scripts too; only what looks like ours need be YAML.
  void LookInText(const std::string& text, const std::string& place, int depth) {
    if (text.find(kKind) == std::string::npos && text.find("Policy") == std::string::npos) return;
    try {
      for (const YAML::Node& node : LoadYamlFile(text, place)) Look(node, place, depth + 1);
    } catch (const Error& error) {
      if (!broken) broken = error;
    }
  }

  static constexpr char kKind[] = "KubeSchedulerConfiguration";
};

/// A container that runs kube-scheduler.
struct SchedulerContainer {
  YAML::Node at;
  std::string image;
  std::map<std::string, std::string> flags;  ///< by name, without dashes

  /// The file that they name; empty for none.
  std::string File() const {
    for (const char* flag : {"config", "policy-config-file"}) {
      if (const auto flag_at = flags.find(flag); flag_at != flags.end()) return flag_at->second;
    }
    return "";
  }
};

/// The words of `command` and `args`, those of a shell's script one by one.
std::vector<std::string> WordsOf(const YAML::Node& container) {
  std::vector<std::string> out;
  for (const char* key : {"command", "args"}) {
    const YAML::Node list = container[key];
    if (!list || !list.IsSequence()) continue;
    for (const YAML::Node& text : list) {
      if (!text.IsScalar()) continue;
      std::istringstream words(text.Scalar());
      for (std::string word; words >> word;) out.push_back(word);
    }
  }
  return out;
}

std::optional<SchedulerContainer> ContainerIn(const YAML::Node& node, int depth = 0) {
  constexpr std::string_view kName = "kube-scheduler";
  std::optional<SchedulerContainer> out;
  if (depth > kDeepest || (!node.IsSequence() && !node.IsMap())) return out;
  const std::vector<std::string> words = node.IsMap() ? WordsOf(node) : std::vector<std::string>();
  const std::string image = node.IsMap() ? Text(node, "image") : "";
  const bool runs = std::ranges::any_of(
      words, [&](std::string_view word) { return word.substr(word.rfind('/') + 1) == kName; });
  if (!words.empty() && (runs || image.find(kName) != std::string::npos)) {
    out.emplace(SchedulerContainer{node, image, {}});
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!words[i].starts_with("--")) continue;
      const std::size_t mark = words[i].find('=');
      std::string& value = out->flags[words[i].substr(2, mark - 2)];
      if (mark != std::string::npos) {
        value = words[i].substr(mark + 1);
      } else {
        const bool alone =
            i + 1 == words.size() || (words[i + 1].starts_with('-') && !ParseNumber(words[i + 1]));
        value = alone ? "true" : words[i + 1];
      }
    }
    return out;
  }
  for (const auto& item : node) {
    out = ContainerIn(node.IsMap() ? item.second : YAML::Node(item), depth + 1);
    if (out) break;
  }
  return out;
}

std::optional<SchedulerContainer> ContainerIn(std::string_view text, const std::string& file) {
  std::optional<SchedulerContainer> out;
  for (const YAML::Node& node : LoadYamlFile(std::string(text), file)) {
    if (!out) out = ContainerIn(node);
  }
  return out;
}

// Go's time.Duration (`5s`, `200ms`, `1m30s`; a whole number of nanoseconds); 0 leaves the default.
void ReadTimeout(YamlMap& map, double* seconds) {
  const YAML::Node node = map.Find("httpTimeout");
  if (!node) return;
  const std::string text = map.TextOf(node, "httpTimeout");
  double value = 0;
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    value = map.NumberOf(node, "httpTimeout", 0, 1e18) / 1e9;
  } else if (const auto ms = ParseDuration(text)) {
    value = static_cast<double>(*ms) / 1000;
  } else {
    map.Fail(node, fmt::format("`{}` is not a duration; write e.g. 5s", text));
  }
  if (value > 0) *seconds = value;
}

void ReadResources(YamlMap& map, std::vector<ResourceWeight>& out) {
  if (map.Has("resources")) out.clear();
  map.Each("resources", [&](YamlMap& item) {
    ResourceWeight& resource = out.emplace_back();
    item.Read("name", &resource.name);
    item.Read("weight", &resource.weight, 1, 100);
  });
}

void ReadShape(YamlMap& map, std::vector<ShapePoint>& out) {
  if (map.Has("shape")) out.clear();
  map.Each("shape", [&](YamlMap& item) {
    ShapePoint point;
    item.Read("utilization", &point.utilization, 0, 100);
    item.Read("score", &point.score, 0, 10);
    if (!out.empty() && out.back().utilization >= point.utilization) {
      item.Fail(item.node(), "the shape's utilization must increase from point to point");
    }
    out.push_back(point);
  });
}

void ReadStrategy(YamlMap map, PluginArgs& args) {
  // In the order of ScoringStrategy.
  constexpr std::string_view kNames[] = {"LeastAllocated", "MostAllocated",
                                         "RequestedToCapacityRatio"};
  if (const YAML::Node type = map.Find("type")) {
    const std::string text = map.TextOf(type, "type");
    const auto* name = std::ranges::find(kNames, text);
    if (name == std::end(kNames)) {
      map.Fail(type, fmt::format("unknown scoringStrategy `{}`; use LeastAllocated, "
                                 "MostAllocated or RequestedToCapacityRatio",
                                 text));
    }
    args.strategy = static_cast<ScoringStrategy>(name - std::begin(kNames));
  }
  ReadResources(map, args.fit_resources);
  YamlMap ratio = map.Sub("requestedToCapacityRatio");
  ReadShape(ratio, args.fit_shape);
  ratio.Finish();
  map.Finish();
  if (args.strategy == ScoringStrategy::kRequestedToCapacityRatio && args.fit_shape.empty()) {
    map.Fail(map.node(), "RequestedToCapacityRatio needs a shape");
  }
}

void ReadSpreadArgs(YamlMap& map, PluginArgs& args) {
  if (const YAML::Node type = map.Find("defaultingType")) {
    const std::string text = map.TextOf(type, "defaultingType");
    if (text != "List" && text != "System") map.Fail(type, "defaultingType must be List or System");
    args.system_default_constraints = text == "System";
  }
  map.Each("defaultConstraints", [&](YamlMap& item) {
    ConstraintText& out = args.default_constraints.emplace_back();
    item.Read("maxSkew", &out.max_skew, 1, 1'000'000);
    item.Read("topologyKey", &out.topology_key);
    std::string otherwise = "ScheduleAnyway";
    item.Read("whenUnsatisfiable", &otherwise);
    if (otherwise != "DoNotSchedule" && otherwise != "ScheduleAnyway") {
      item.Fail(item.node(), "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
    }
    out.hard = otherwise == "DoNotSchedule";
    if (out.topology_key.empty()) item.Fail(item.node(), "a constraint needs a topologyKey");
  });
}

}  // namespace

std::optional<Configuration> ConfigurationOfFlags(std::string_view text, const std::string& file,
                                                  const std::optional<Release>& release,
                                                  FoundInFile* found) {
  const auto container = ContainerIn(text, file);
  if (!container || !container->File().empty()) return std::nullopt;
  const std::string place = fmt::format("{}:{}", file, container->at.Mark().line + 1);
  const std::size_t colon = container->image.rfind(":v1.");
  Release of_image{Release::kNewest};
  if (colon != std::string::npos) {
    const std::string_view minor = std::string_view(container->image).substr(colon + 4);
    const auto number = WholeNumber<int>(minor.substr(0, minor.find_first_not_of("0123456789")));
    of_image.minor =
        std::clamp(number.value_or(of_image.minor), Release::kOldest, Release::kNewest);
  }
  Configuration out = DefaultConfiguration(release.value_or(of_image));
  const auto read = [&](const char* flag, double most, auto* value) {
    const auto at = container->flags.find(flag);
    if (at == container->flags.end()) return;
    const auto number = ParseNumber(at->second);
    if (!number || !(*number >= -1 && *number <= most)) {
      Raise(ErrorKind::kUsage, "{}: --{} is `{}`, not a number from -1 to {}", place, flag,
            at->second, most);
    }
    if (*number != 0) *value = static_cast<std::remove_pointer_t<decltype(value)>>(*number);
  };
  read("kube-api-qps", 1e9, &out.client_qps);
  read("kube-api-burst", 1e9, &out.client_burst);
  std::string says =
      fmt::format("--kube-api-qps={} --kube-api-burst={}", out.client_qps, out.client_burst);
  for (const auto& [name, value] : container->flags) {
    if (name.starts_with("leader-elect")) says += fmt::format(" --{}={}", name, value);
  }
  if (found != nullptr) found->remarks.push_back({RemarkKind::kFlags, place, OnOneLine(says)});
  return out;
}

void ThrowNoConfiguration(std::string_view text, const std::string& file) {
  std::set<std::string> kinds;
  for (const YAML::Node& node : LoadYamlFile(std::string(text), file)) {
    if (node.IsMap() && !Text(node, "kind").empty()) kinds.insert(Text(node, "kind"));
  }
  std::string line = fmt::format(
      "{}:1: kind must be KubeSchedulerConfiguration (or Policy), by itself, in another object's "
      "text or among other documents",
      file);
  if (!kinds.empty()) line += fmt::format(", not {}", fmt::join(kinds, ", "));
  const auto container = ContainerIn(text, file);
  const std::string named = container ? container->File() : "";
  if (!named.empty()) line += fmt::format("; give the file that --config names, {}", named);
  throw Error(ErrorKind::kUsage, line);
}

bool IsPolicy(const YAML::Node& map) {
  const std::string api = Text(map, "apiVersion");
  return Text(map, "kind") == "Policy" &&
         (api.empty() || api == "v1" || api.rfind("kubescheduler.config.k8s.io/", 0) == 0);
}

std::vector<std::pair<YAML::Node, std::string>> ConfigurationsIn(std::string_view text,
                                                                 const std::string& file) {
  ConfigurationFinder finder;
  for (const YAML::Node& node : LoadYamlFile(std::string(text), file)) finder.Look(node, file, 0);
  if (finder.found.empty() && finder.broken) throw *finder.broken;
  return std::move(finder.found);
}

void ReadExtenders(YamlMap& map, std::vector<ExtenderConfiguration>& extenders) {
  map.Each("extenders", [&](YamlMap& item) {
    ExtenderConfiguration& out = extenders.emplace_back();
    item.Read("urlPrefix", &out.url_prefix);
    item.Read("filterVerb", &out.filter_verb);
    item.Read("prioritizeVerb", &out.prioritize_verb);
    item.Read("preemptVerb", &out.preempt_verb);
    item.Read("bindVerb", &out.bind_verb);
    item.Read("weight", &out.weight, 0, kMost);
    bool https = false;
    item.Read("enableHTTPS", &https);
    item.Ignore({"tlsConfig", "apiVersion"});  // the last of a Policy
    ReadTimeout(item, &out.http_timeout_seconds);
    item.Read("nodeCacheCapable", &out.node_cache_capable);
    item.Read("ignorable", &out.ignorable);
    item.Each("managedResources", [&](YamlMap& resource) {
      auto& managed = out.managed_resources.emplace_back();
      resource.Read("name", &managed.name);
      resource.Read("ignoredByScheduler", &managed.ignored_by_scheduler);
    });
    item.Finish();
    if (out.url_prefix.empty()) item.Fail(item.node(), "an extender needs a urlPrefix");
    if (!out.prioritize_verb.empty() && out.weight < 1) {
      item.Fail(item.node(), "an extender that prioritizes needs a weight above 0");
    }
  });
}

void ReadPluginArgs(YamlMap map, ApiVersion version, const std::string& name, const YAML::Node& at,
                    PluginArgs& args) {
  map.Ignore({"apiVersion", "kind"});
  if (name == "NodeResourcesFit") {
    map.Read("ignoredResources", &args.ignored_resources);
    map.Read("ignoredResourceGroups", &args.ignored_resource_groups);
    ReadStrategy(map.Sub("scoringStrategy"), args);
  } else if (name == "NodeResourcesLeastAllocated") {
    ReadResources(map, args.least_resources);
  } else if (name == "NodeResourcesMostAllocated") {
    ReadResources(map, args.most_resources);
  } else if (name == "RequestedToCapacityRatio") {
    ReadResources(map, args.ratio_resources);
    ReadShape(map, args.ratio_shape);
  } else if (name == "NodeResourcesBalancedAllocation") {
    ReadResources(map, args.balanced_resources);
  } else if (name == "NodeAffinity") {
    if (map.Has("addedAffinity")) args.added_affinity = NodeAffinityText(map.Sub("addedAffinity"));
  } else if (name == "InterPodAffinity") {
    map.Read("hardPodAffinityWeight", &args.hard_pod_affinity_weight, 0, 100);
    map.Read("ignorePreferredTermsOfExistingPods", &args.ignore_preferred_terms_of_existing_pods);
  } else if (name == "PodTopologySpread") {
    if (version == ApiVersion::kV1Beta1) args.system_default_constraints = true;
    ReadSpreadArgs(map, args);
  } else if (name == "DefaultPreemption") {
    map.Read("minCandidateNodesPercentage", &args.min_candidate_nodes_percentage, 0, 100);
    map.Read("minCandidateNodesAbsolute", &args.min_candidate_nodes_absolute, 0, kMost);
  } else if (name == "VolumeBinding") {
    std::int64_t timeout = 0;
    map.Read("bindTimeoutSeconds", &timeout, 0, kMost);
    ReadShape(map, args.volume_shape);
  }
  map.Finish();
  if (name == "RequestedToCapacityRatio" && args.ratio_shape.empty()) {
    map.Fail(at, "RequestedToCapacityRatioArgs needs a shape");
  }
  if (name == "PodTopologySpread" && args.system_default_constraints &&
      !args.default_constraints.empty()) {
    map.Fail(at, "defaultConstraints need defaultingType List");
  }
}

}  // namespace schedlens::sim::core
