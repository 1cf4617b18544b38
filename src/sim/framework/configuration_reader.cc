// KubeSchedulerConfiguration from YAML: every field is known or an error with its line.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "model/nearest.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "sim/framework/configuration.h"
#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";

class Reader {
 public:
  using Field = std::function<void(const YAML::Node&)>;
  using Fields = std::map<std::string, Field>;

  Reader(std::string_view file, const std::vector<std::string>& own_plugins)
      : file_(file), own_plugins_(own_plugins) {}

  Configuration Read(std::string_view text, const std::optional<Release>& release) {
    YAML::Node root;
    try {
      root = YAML::Load(std::string(text));
    } catch (const YAML::Exception& error) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}:{}: no YAML: {}", file_, error.mark.line + 1, error.msg));
    }
    if (!root.IsMap()) Fail(root, "a KubeSchedulerConfiguration is a map");
    ReadVersion(root, release);
    Configuration& out = configuration_;
    ReadFields(
        root, "KubeSchedulerConfiguration",
        {{"apiVersion", Ignore},
         {"kind", Ignore},
         {"metadata", Ignore},
         {"parallelism", [&](const auto& n) { out.parallelism = Int32(n, 1, 1'000'000); }},
         {"percentageOfNodesToScore",
          [&](const auto& n) { out.percentage_of_nodes_to_score = Int32(n, 0, 100); }},
         {"podInitialBackoffSeconds",
          [&](const auto& n) { out.pod_initial_backoff_seconds = Seconds(n); }},
         {"podMaxBackoffSeconds", [&](const auto& n) { out.pod_max_backoff_seconds = Seconds(n); }},
         {"clientConnection", [&](const auto& n) { ReadClient(n); }},
         {"leaderElection", [&](const auto& n) { ReadLeaderElection(n); }},
         {"profiles", [&](const auto& n) { ReadProfiles(n); }},
         {"extenders", [&](const auto& n) { ReadExtenders(n); }},
         {"healthzBindAddress", Ignore},
         {"metricsBindAddress", Ignore},
         {"enableProfiling", Ignore},
         {"enableContentionProfiling", Ignore},
         {"delayCacheUntilActive", Ignore}});
    if (out.profiles.empty()) {
      Profile profile;
      profile.plugins = Merge({});
      out.profiles.push_back(std::move(profile));
    }
    if (out.pod_max_backoff_seconds != 0 &&
        out.pod_max_backoff_seconds < out.pod_initial_backoff_seconds) {
      Fail(root["podMaxBackoffSeconds"] ? root["podMaxBackoffSeconds"]
                                        : root["podInitialBackoffSeconds"],
           fmt::format("podMaxBackoffSeconds ({}) is below podInitialBackoffSeconds ({})",
                       out.pod_max_backoff_seconds, out.pod_initial_backoff_seconds));
    }
    // What an extender manages alone is no business of NodeResourcesFit.
    for (const ExtenderConfiguration& extender : out.extenders) {
      for (const auto& managed : extender.managed_resources) {
        if (!managed.ignored_by_scheduler) continue;
        for (Profile& profile : out.profiles) {
          profile.args.ignored_resources.push_back(managed.name);
        }
      }
    }
    std::stable_sort(out.extenders.begin(), out.extenders.end(),
                     [](const ExtenderConfiguration& a, const ExtenderConfiguration& b) {
                       return !a.ignorable && b.ignorable;
                     });
    return std::move(configuration_);
  }

 private:
  static void Ignore(const YAML::Node&) {}

  [[noreturn]] void Fail(const YAML::Node& node, const std::string& what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file_, node.Mark().line + 1, what));
  }

  // Calls what is listed for each key; anything else is an error that names the nearest one.
  void ReadFields(const YAML::Node& node, std::string_view what, const Fields& fields) const {
    if (node.IsNull()) return;
    if (!node.IsMap()) Fail(node, fmt::format("{} is a map of fields", what));
    std::set<std::string> seen;
    for (const auto& item : node) {
      const std::string& key = item.first.Scalar();
      const auto field = fields.find(key);
      if (field == fields.end()) {
        std::vector<std::string> known;
        for (const auto& [name, unused] : fields) known.push_back(name);
        Fail(item.first, fmt::format("{} has no field `{}`{}", what, key, DidYouMean(key, known)));
      }
      if (!seen.insert(key).second) {
        Fail(item.first, fmt::format("{}: field `{}` is given twice", what, key));
      }
      field->second(item.second);
    }
  }

  static std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
    const std::string nearest = Nearest(word, known);
    return nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
  }

  void ReadList(const YAML::Node& node, std::string_view what, const Field& each) const {
    if (node.IsNull()) return;
    if (!node.IsSequence()) Fail(node, fmt::format("{} is a list", what));
    for (const auto& item : node) each(item);
  }

  std::string Text(const YAML::Node& node) const {
    if (!node.IsScalar()) Fail(node, "a text is expected here");
    return node.Scalar();
  }

  std::int64_t Integer(const YAML::Node& node, std::int64_t low, std::int64_t high) const {
    const std::string text = Text(node);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      Fail(node, fmt::format("`{}` is no whole number", text));
    }
    if (value < low || value > high) {
      Fail(node, fmt::format("{} is out of range; {} to {} is possible", text, low, high));
    }
    return value;
  }
  std::int32_t Int32(const YAML::Node& node, std::int32_t low, std::int32_t high) const {
    return static_cast<std::int32_t>(Integer(node, low, high));
  }

  double Number(const YAML::Node& node, double low, double high) const {
    const auto value = ParseNumber(Text(node));
    if (!value || !std::isfinite(*value)) Fail(node, fmt::format("`{}` is no number", Text(node)));
    if (*value < low || *value > high) {
      Fail(node, fmt::format("{} is out of range; {} to {} is possible", Text(node), low, high));
    }
    return *value;
  }
  double Seconds(const YAML::Node& node) const { return Number(node, 0, 1e6); }

  bool Truth(const YAML::Node& node) const {
    const std::string text = Text(node);
    if (text != "true" && text != "false") Fail(node, "true or false is expected here");
    return text == "true";
  }

  void ReadVersion(const YAML::Node& root, const std::optional<Release>& release) {
    const YAML::Node kind = root["kind"];
    if (!kind || !kind.IsScalar() || kind.Scalar() != "KubeSchedulerConfiguration") {
      Fail(kind ? kind : root, "kind must be KubeSchedulerConfiguration");
    }
    const YAML::Node api = root["apiVersion"];
    const std::string text = api && api.IsScalar() ? api.Scalar() : "";
    constexpr std::pair<std::string_view, ApiVersion> kVersions[] = {
        {"v1beta1", ApiVersion::kV1Beta1},
        {"v1beta2", ApiVersion::kV1Beta2},
        {"v1beta3", ApiVersion::kV1Beta3},
        {"v1", ApiVersion::kV1}};
    for (const auto& [name, version] : kVersions) {
      if (text != std::string(kGroup) + std::string(name)) continue;
      version_ = version;
      configuration_.api_version = name;
      configuration_.release = release ? *release : *ReleaseOfApiVersion(name);
      return;
    }
    Fail(api ? api : root, fmt::format("apiVersion `{}` is not read; {}v1, v1beta3, v1beta2 and "
                                       "v1beta1 are",
                                       text, kGroup));
  }

  void ReadClient(const YAML::Node& node) {
    Configuration& out = configuration_;
    ReadFields(node, "clientConnection",
               {{"kubeconfig", Ignore},
                {"acceptContentTypes", Ignore},
                {"contentType", Ignore},
                {"qps",
                 [&](const auto& n) {
                   const double qps = Number(n, -1, 1e9);
                   if (qps != 0) out.client_qps = qps;
                 }},
                {"burst", [&](const auto& n) {
                   const std::int32_t burst = Int32(n, 0, 1'000'000'000);
                   if (burst != 0) out.client_burst = burst;
                 }}});
  }

  void ReadLeaderElection(const YAML::Node& node) const {
    ReadFields(node, "leaderElection",
               {{"leaderElect", [&](const auto& n) { Truth(n); }},
                {"leaseDuration", Ignore},
                {"renewDeadline", Ignore},
                {"retryPeriod", Ignore},
                {"resourceLock", Ignore},
                {"resourceName", Ignore},
                {"resourceNamespace", Ignore}});
  }

  void ReadProfiles(const YAML::Node& node) {
    ReadList(node, "profiles", [&](const auto& item) {
      Profile profile;
      PluginSets sets;
      ReadFields(item, "a profile",
                 {{"schedulerName", [&](const auto& n) { profile.scheduler_name = Text(n); }},
                  {"percentageOfNodesToScore",
                   [&](const auto& n) { profile.percentage_of_nodes_to_score = Int32(n, 0, 100); }},
                  {"plugins", [&](const auto& n) { ReadPlugins(n, sets); }},
                  {"pluginConfig", [&](const auto& n) { ReadPluginConfig(n, profile.args); }}});
      for (const Profile& known : configuration_.profiles) {
        if (known.scheduler_name == profile.scheduler_name) {
          Fail(item, fmt::format("two profiles are named `{}`", known.scheduler_name));
        }
      }
      profile.plugins = Merge(sets);
      configuration_.profiles.push_back(std::move(profile));
    });
  }

  std::array<std::vector<PluginRef>, kExtensionPoints> Merge(const PluginSets& sets) const {
    const int minor = configuration_.release.minor;
    return MergePlugins(DefaultPluginsOf(version_, minor), sets, minor, own_plugins_);
  }

  void ReadPlugins(const YAML::Node& node, PluginSets& sets) const {
    Fields fields;
    constexpr const char* kNames[kExtensionPoints] = {
        "preEnqueue", "queueSort", "preFilter", "filter",  "postFilter", "preScore",
        "score",      "reserve",   "permit",    "preBind", "bind",       "postBind"};
    for (std::size_t i = 0; i < kExtensionPoints; ++i) {
      fields[kNames[i]] = [this, i, &sets](const YAML::Node& n) {
        ReadSet(n, sets.points[i], Bit(static_cast<ExtensionPoint>(i)));
      };
    }
    if (version_ >= ApiVersion::kV1Beta3) {
      fields["multiPoint"] = [&](const YAML::Node& n) { ReadSet(n, sets.multi_point, ~0U); };
    }
    ReadFields(node, "plugins", fields);
  }

  void ReadSet(const YAML::Node& node, PluginSet& set, Points points) const {
    const auto read = [&](const YAML::Node& item, PluginRef& plugin) {
      ReadFields(
          item, "a plugin",
          {{"name", [&](const auto& n) { plugin.name = Text(n); }},
           {"weight", [&](const auto& n) { plugin.weight = Integer(n, 0, 1'000'000'000); }}});
      if (plugin.name.empty()) Fail(item, "a plugin without a name");
    };
    ReadFields(node, "an extension point",
               {{"enabled",
                 [&](const auto& n) {
                   ReadList(n, "enabled", [&](const auto& item) {
                     PluginRef plugin;
                     read(item, plugin);
                     CheckPlugin(item, plugin.name, points);
                     set.enabled.push_back(std::move(plugin));
                   });
                 }},
                {"disabled", [&](const auto& n) {
                   ReadList(n, "disabled", [&](const auto& item) {
                     PluginRef plugin;
                     read(item, plugin);
                     set.disabled.push_back(std::move(plugin.name));
                   });
                 }}});
  }

  void CheckPlugin(const YAML::Node& node, const std::string& name, Points points) const {
    if (std::find(own_plugins_.begin(), own_plugins_.end(), name) != own_plugins_.end()) return;
    const int minor = configuration_.release.minor;
    const Points has = PointsOf(name, minor);
    if (has == 0) {
      std::vector<std::string> known = own_plugins_;
      for (const InTreePlugin& plugin : InTreePlugins()) {
        if (PointsOf(plugin.name, minor) != 0) known.emplace_back(plugin.name);
      }
      Fail(node, fmt::format("plugin `{}` does not exist in 1.{}{}", name, minor,
                             DidYouMean(name, known)));
    }
    if ((has & points) == 0) {
      Fail(node, fmt::format("plugin `{}` does not implement this extension point", name));
    }
  }

  void ReadPluginConfig(const YAML::Node& node, PluginArgs& args) const {
    ReadList(node, "pluginConfig", [&](const auto& item) {
      std::string name;
      YAML::Node values;
      ReadFields(item, "a pluginConfig",
                 {{"name", [&](const auto& n) { name = Text(n); }},
                  {"args", [&](const auto& n) { values = n; }}});
      if (std::find(own_plugins_.begin(), own_plugins_.end(), name) != own_plugins_.end()) return;
      CheckPlugin(item, name, ~0U);
      ReadArgs(name, item, values, args);
    });
  }

  void ReadArgs(const std::string& name, const YAML::Node& at, const YAML::Node& values,
                PluginArgs& args) const {
    Fields fields = {{"apiVersion", Ignore}, {"kind", Ignore}};
    const auto resources = [&](std::vector<ResourceWeight>& out) {
      return [this, &out](const YAML::Node& n) { out = ReadResources(n); };
    };
    const auto shape = [&](std::vector<ShapePoint>& out) {
      return [this, &out](const YAML::Node& n) { out = ReadShape(n); };
    };
    const auto texts = [&](std::vector<std::string>& out) {
      return [this, &out](const YAML::Node& n) {
        ReadList(n, "it", [&](const auto& item) { out.push_back(Text(item)); });
      };
    };
    if (name == "NodeResourcesFit") {
      fields["ignoredResources"] = texts(args.ignored_resources);
      fields["ignoredResourceGroups"] = texts(args.ignored_resource_groups);
      fields["scoringStrategy"] = [&](const YAML::Node& n) { ReadStrategy(n, args); };
    } else if (name == "NodeResourcesLeastAllocated") {
      fields["resources"] = resources(args.least_resources);
    } else if (name == "NodeResourcesMostAllocated") {
      fields["resources"] = resources(args.most_resources);
    } else if (name == "RequestedToCapacityRatio") {
      fields["resources"] = resources(args.ratio_resources);
      fields["shape"] = shape(args.ratio_shape);
    } else if (name == "NodeResourcesBalancedAllocation") {
      fields["resources"] = resources(args.balanced_resources);
    } else if (name == "NodeAffinity") {
      fields["addedAffinity"] = [&](const YAML::Node& n) { ReadAddedAffinity(n, args); };
    } else if (name == "InterPodAffinity") {
      fields["hardPodAffinityWeight"] = [&](const YAML::Node& n) {
        args.hard_pod_affinity_weight = Integer(n, 0, 100);
      };
      fields["ignorePreferredTermsOfExistingPods"] = [&](const YAML::Node& n) {
        args.ignore_preferred_terms_of_existing_pods = Truth(n);
      };
    } else if (name == "PodTopologySpread") {
      ReadSpreadArgs(fields, args);
    } else if (name == "DefaultPreemption") {
      fields["minCandidateNodesPercentage"] = [&](const YAML::Node& n) {
        args.min_candidate_nodes_percentage = Integer(n, 0, 100);
      };
      fields["minCandidateNodesAbsolute"] = [&](const YAML::Node& n) {
        args.min_candidate_nodes_absolute = Integer(n, 0, 1'000'000'000);
      };
    } else if (name == "VolumeBinding") {
      fields["bindTimeoutSeconds"] = [&](const YAML::Node& n) {
        args.bind_timeout_seconds = Integer(n, 0, 1'000'000'000);
      };
      fields["shape"] = [&](const YAML::Node& n) { ReadShape(n); };
    }
    ReadFields(values, fmt::format("{}Args", name), fields);
    if (name == "RequestedToCapacityRatio" && args.ratio_shape.empty()) {
      Fail(at, "RequestedToCapacityRatioArgs needs a shape");
    }
    if (name == "PodTopologySpread" && args.system_default_constraints &&
        !args.default_constraints.empty()) {
      Fail(at, "defaultConstraints are for defaultingType List only");
    }
  }

  void ReadStrategy(const YAML::Node& node, PluginArgs& args) const {
    ReadFields(node, "scoringStrategy",
               {{"type",
                 [&](const auto& n) {
                   const std::string text = Text(n);
                   if (text == "LeastAllocated") {
                     args.strategy = ScoringStrategy::kLeastAllocated;
                   } else if (text == "MostAllocated") {
                     args.strategy = ScoringStrategy::kMostAllocated;
                   } else if (text == "RequestedToCapacityRatio") {
                     args.strategy = ScoringStrategy::kRequestedToCapacityRatio;
                   } else {
                     Fail(n, fmt::format("scoringStrategy `{}` does not exist; LeastAllocated, "
                                         "MostAllocated and RequestedToCapacityRatio do",
                                         text));
                   }
                 }},
                {"resources", [&](const auto& n) { args.fit_resources = ReadResources(n); }},
                {"requestedToCapacityRatio", [&](const auto& n) {
                   ReadFields(n, "requestedToCapacityRatio",
                              {{"shape", [&](const auto& s) { args.fit_shape = ReadShape(s); }}});
                 }}});
    if (args.strategy == ScoringStrategy::kRequestedToCapacityRatio && args.fit_shape.empty()) {
      Fail(node, "RequestedToCapacityRatio needs a shape");
    }
  }

  std::vector<ResourceWeight> ReadResources(const YAML::Node& node) const {
    std::vector<ResourceWeight> out;
    ReadList(node, "resources", [&](const auto& item) {
      ResourceWeight& resource = out.emplace_back();
      ReadFields(item, "a resource",
                 {{"name", [&](const auto& n) { resource.name = Text(n); }},
                  {"weight", [&](const auto& n) { resource.weight = Integer(n, 1, 100); }}});
    });
    return out;
  }

  std::vector<ShapePoint> ReadShape(const YAML::Node& node) const {
    std::vector<ShapePoint> out;
    ReadList(node, "shape", [&](const auto& item) {
      ShapePoint point;
      ReadFields(item, "a shape point",
                 {{"utilization", [&](const auto& n) { point.utilization = Integer(n, 0, 100); }},
                  {"score", [&](const auto& n) { point.score = Integer(n, 0, 10); }}});
      if (!out.empty() && out.back().utilization >= point.utilization) {
        Fail(item, "the shape's utilization must grow from point to point");
      }
      out.push_back(point);
    });
    return out;
  }

  void ReadSpreadArgs(Fields& fields, PluginArgs& args) const {
    if (version_ == ApiVersion::kV1Beta1) args.system_default_constraints = true;
    fields["defaultingType"] = [&](const YAML::Node& n) {
      const std::string text = Text(n);
      if (text != "List" && text != "System") Fail(n, "defaultingType is List or System");
      args.system_default_constraints = text == "System";
    };
    fields["defaultConstraints"] = [&](const YAML::Node& n) {
      ReadList(n, "defaultConstraints", [&](const auto& item) {
        ConstraintText& out = args.default_constraints.emplace_back();
        ReadFields(item, "a constraint",
                   {{"maxSkew", [&](const auto& v) { out.max_skew = Int32(v, 1, 1'000'000); }},
                    {"topologyKey", [&](const auto& v) { out.topology_key = Text(v); }},
                    {"whenUnsatisfiable", [&](const auto& v) {
                       const std::string text = Text(v);
                       if (text != "DoNotSchedule" && text != "ScheduleAnyway") {
                         Fail(v, "whenUnsatisfiable is DoNotSchedule or ScheduleAnyway");
                       }
                       out.hard = text == "DoNotSchedule";
                     }}});
        if (out.topology_key.empty()) Fail(item, "a constraint needs a topologyKey");
      });
    };
  }

  NodeSelectorTermText ReadTerm(const YAML::Node& node) const {
    NodeSelectorTermText out;
    const auto requirements = [&](std::vector<RequirementText>& list) {
      return [this, &list](const YAML::Node& n) {
        ReadList(n, "matchExpressions", [&](const auto& item) {
          RequirementText& requirement = list.emplace_back();
          ReadFields(item, "a requirement",
                     {{"key", [&](const auto& v) { requirement.key = Text(v); }},
                      {"operator", [&](const auto& v) { requirement.op = Text(v); }},
                      {"values", [&](const auto& v) {
                         ReadList(v, "values", [&](const auto& value) {
                           requirement.values.push_back(Text(value));
                         });
                       }}});
        });
      };
    };
    ReadFields(node, "a node selector term",
               {{"matchExpressions", requirements(out.expressions)},
                {"matchFields", requirements(out.fields)}});
    return out;
  }

  void ReadAddedAffinity(const YAML::Node& node, PluginArgs& args) const {
    AddedAffinity& out = args.added_affinity;
    ReadFields(
        node, "addedAffinity",
        {{"requiredDuringSchedulingIgnoredDuringExecution",
          [&](const auto& n) {
            out.required.emplace();
            ReadFields(n, "required", {{"nodeSelectorTerms", [&](const auto& terms) {
                                          ReadList(terms, "nodeSelectorTerms",
                                                   [&](const auto& term) {
                                                     out.required->push_back(ReadTerm(term));
                                                   });
                                        }}});
          }},
         {"preferredDuringSchedulingIgnoredDuringExecution", [&](const auto& n) {
            ReadList(n, "preferred", [&](const auto& item) {
              auto& preferred = out.preferred.emplace_back();  // clang 14 captures no bindings
              ReadFields(item, "a preferred term",
                         {{"weight", [&](const auto& v) { preferred.first = Integer(v, 1, 100); }},
                          {"preference", [&](const auto& v) { preferred.second = ReadTerm(v); }}});
            });
          }}});
  }

  // `5s`, `200ms`, `1m30s`: Go's time.Duration.
  double Duration(const YAML::Node& node) const {
    const auto ms = ParseDuration(Text(node));
    if (!ms) Fail(node, fmt::format("`{}` is no duration such as 5s", Text(node)));
    return static_cast<double>(*ms) / 1000;
  }

  void ReadExtenders(const YAML::Node& node) {
    ReadList(node, "extenders", [&](const auto& item) {
      ExtenderConfiguration& out = configuration_.extenders.emplace_back();
      ReadFields(item, "an extender",
                 {{"urlPrefix", [&](const auto& n) { out.url_prefix = Text(n); }},
                  {"filterVerb", [&](const auto& n) { out.filter_verb = Text(n); }},
                  {"prioritizeVerb", [&](const auto& n) { out.prioritize_verb = Text(n); }},
                  {"preemptVerb", [&](const auto& n) { out.preempt_verb = Text(n); }},
                  {"bindVerb", [&](const auto& n) { out.bind_verb = Text(n); }},
                  {"weight", [&](const auto& n) { out.weight = Integer(n, 0, 1'000'000'000); }},
                  {"enableHTTPS", [&](const auto& n) { out.enable_https = Truth(n); }},
                  {"tlsConfig", Ignore},
                  {"httpTimeout",
                   [&](const auto& n) {
                     const double timeout = Duration(n);
                     if (timeout > 0) out.http_timeout_seconds = timeout;
                   }},
                  {"nodeCacheCapable", [&](const auto& n) { out.node_cache_capable = Truth(n); }},
                  {"ignorable", [&](const auto& n) { out.ignorable = Truth(n); }},
                  {"managedResources", [&](const auto& n) {
                     ReadList(n, "managedResources", [&](const auto& r) {
                       auto& managed = out.managed_resources.emplace_back();
                       ReadFields(r, "a managed resource",
                                  {{"name", [&](const auto& v) { managed.name = Text(v); }},
                                   {"ignoredByScheduler", [&](const auto& v) {
                                      managed.ignored_by_scheduler = Truth(v);
                                    }}});
                     });
                   }}});
      if (out.url_prefix.empty()) Fail(item, "an extender needs a urlPrefix");
      if (!out.prioritize_verb.empty() && out.weight < 1) {
        Fail(item, "an extender that prioritizes needs a weight above 0");
      }
    });
  }

  std::string file_;
  const std::vector<std::string>& own_plugins_;
  ApiVersion version_ = ApiVersion::kV1;
  Configuration configuration_;
};

}  // namespace

Configuration ReadConfiguration(std::string_view text, std::string_view file,
                                const std::optional<Release>& release,
                                const std::vector<std::string>& own_plugins) {
  try {
    return Reader(file, own_plugins).Read(text, release);
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

}  // namespace schedlens::sim::core
