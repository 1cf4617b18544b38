// KubeSchedulerConfiguration and Policy from YAML.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "schedlens/error.h"
#include "sim/framework/configuration.h"
#include "sim/framework/configuration_file.h"
#include "sim/framework/plugin_names.h"
#include "sim/framework/plugin_table.h"
#include "sim/framework/policy_reader.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {
namespace {

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";

// How it talks to the API server: queries a second and burst; 0 leaves the default.
void ReadClientConnection(const YamlFields& f, const YAML::Node& node, Configuration& out) {
  f.ReadFields(node, "clientConnection",
               {{"kubeconfig", YamlFields::Ignore},
                {"acceptContentTypes", YamlFields::Ignore},
                {"contentType", YamlFields::Ignore},
                {"qps",
                 [&](const auto& n) {
                   const double qps = f.Number(n, -1, 1e9);
                   if (qps != 0) out.client_qps = qps;
                 }},
                {"burst", [&](const auto& n) {
                   const std::int32_t burst = f.Int32(n, 0, 1'000'000'000);
                   if (burst != 0) out.client_burst = burst;
                 }}});
}

// Changes nothing here; its fields are checked.
void CheckLeaderElection(const YamlFields& f, const YAML::Node& node) {
  f.ReadFields(node, "leaderElection",
               {{"leaderElect", [&](const auto& n) { f.Truth(n); }},
                {"leaseDuration", YamlFields::Ignore},
                {"renewDeadline", YamlFields::Ignore},
                {"retryPeriod", YamlFields::Ignore},
                {"resourceLock", YamlFields::Ignore},
                {"resourceName", YamlFields::Ignore},
                {"resourceNamespace", YamlFields::Ignore},
                // What these two were called up to v1alpha1.
                {"lockObjectName", YamlFields::Ignore},
                {"lockObjectNamespace", YamlFields::Ignore}});
}

class ConfigurationReader : private YamlFields {
 public:
  ConfigurationReader(std::string_view place, const std::optional<Release>& release,
                      const std::vector<std::string>& own_plugins, FoundInFile* found)
      : YamlFields(place), release_(release), names_(own_plugins, found), found_(found) {
    if (found == nullptr) return;
    SkipUnknown([found](const std::string& field, const std::string& at) {
      found->remarks.push_back({RemarkKind::kUnknownField, at, field});
    });
  }

  /// `policy`, if there is one beside it, says what a file without profiles and extenders leaves
  /// open.
  Configuration Read(const YAML::Node& root, const YAML::Node* policy) {
    Configuration& out = configuration_;
    if (IsPolicy(root)) {
      SetVersion(root, "Policy", ApiVersion::kV1Beta1);
      TakePolicy(root);
    } else {
      ReadVersion(root);
      Fields fields = RootFields();
      Profile alpha;
      PluginSets sets;
      if (IsAlpha(out.api_version)) AddAlphaFields(fields, alpha, sets);
      ReadFields(root, "KubeSchedulerConfiguration", fields);
      if (policy != nullptr && out.profiles.empty() && out.extenders.empty()) {
        TakePolicy(*policy);
        out.profiles.front().scheduler_name = alpha.scheduler_name;
      } else if (IsAlpha(out.api_version) && out.profiles.empty()) {
        alpha.plugins = Merge(sets);
        out.profiles.push_back(std::move(alpha));
      }
    }
    Complete(root);
    return std::move(configuration_);
  }

 private:
  Fields RootFields() {
    Configuration& out = configuration_;
    return {
        {"apiVersion", Ignore},
        {"kind", Ignore},
        {"metadata", Ignore},
        {"parallelism", [&](const auto& n) { out.parallelism = Int32(n, 1, 1'000'000); }},
        {"percentageOfNodesToScore",
         [&](const auto& n) { out.percentage_of_nodes_to_score = Int32(n, 0, 100); }},
        {"podInitialBackoffSeconds",
         [&](const auto& n) { out.pod_initial_backoff_seconds = Seconds(n); }},
        {"podMaxBackoffSeconds", [&](const auto& n) { out.pod_max_backoff_seconds = Seconds(n); }},
        {"clientConnection", [&](const auto& n) { ReadClientConnection(*this, n, out); }},
        {"leaderElection", [&](const auto& n) { CheckLeaderElection(*this, n); }},
        {"profiles", [&](const auto& n) { ReadProfiles(n); }},
        {"extenders", [&](const auto& n) { ReadExtenders(*this, n, out.extenders); }},
        {"healthzBindAddress", Ignore},
        {"metricsBindAddress", Ignore},
        {"enableProfiling", Ignore},
        {"enableContentionProfiling", Ignore},
        {"delayCacheUntilActive", Ignore}};
  }

  // What follows from the fields together.
  void Complete(const YAML::Node& root) {
    Configuration& out = configuration_;
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
    // NodeResourcesFit ignores what only an extender manages.
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
  }

  static bool IsAlpha(std::string_view api) { return api.rfind("v1alpha", 0) == 0; }

  // Before there were profiles: one scheduler, and what became of its fields since.
  void AddAlphaFields(Fields& fields, Profile& profile, PluginSets& sets) {
    fields["schedulerName"] = [&](const auto& n) { profile.scheduler_name = Text(n); };
    fields["plugins"] = [this, &sets](const auto& n) { ReadPlugins(n, sets); };
    fields["pluginConfig"] = [this, &profile](const auto& n) { ReadPluginConfig(n, profile.args); };
    fields["hardPodAffinitySymmetricWeight"] = [&](const auto& n) {
      profile.args.hard_pod_affinity_weight = Integer(n, 0, 100);
    };
    for (const char* gone :
         {"algorithmSource", "disablePreemption", "bindTimeoutSeconds", "failureDomains"}) {
      fields[gone] = Ignore;
    }
  }

  void ReadVersion(const YAML::Node& root) {
    const YAML::Node api = root["apiVersion"];
    constexpr std::string_view kGroupBefore = "componentconfig/";  // up to 1.11
    std::string text = api && api.IsScalar() ? api.Scalar() : "";
    if (found_ != nullptr && text.starts_with(kGroupBefore)) {
      text.replace(0, kGroupBefore.size(), kGroup);
    }
    const std::string name = text.starts_with(kGroup) ? text.substr(kGroup.size()) : "";
    const auto version = ApiVersionOf(name);
    if (version && (!IsAlpha(name) || found_ != nullptr)) return SetVersion(api, name, *version);
    Fail(api ? api : root, fmt::format("apiVersion `{}` is not supported; use {}v1, "
                                       "v1beta3, v1beta2 or v1beta1",
                                       text, kGroup));
  }

  void SetVersion(const YAML::Node& at, std::string_view name, ApiVersion version) {
    version_ = version;
    configuration_.api_version = name;
    configuration_.release = release_ ? *release_ : *ReleaseOfApiVersion(name);
    const auto read_by = ReleasesThatRead(name);
    const int minor = configuration_.release.minor;
    if (found_ != nullptr && read_by && (minor < read_by->first || minor > read_by->last)) {
      found_->remarks.push_back({RemarkKind::kNotRead, PlaceOf(at), std::string(name)});
    }
  }

  void TakePolicy(const YAML::Node& root) {
    FoundInFile left_out;
    Policy policy =
        ReadPolicy(*this, root, configuration_.release.minor, found_ != nullptr ? &names_ : nullptr,
                   found_ != nullptr ? found_ : &left_out);
    Profile profile;
    profile.plugins = Merge(policy.plugins);
    profile.args = std::move(policy.args);
    configuration_.profiles.push_back(std::move(profile));
    configuration_.extenders = std::move(policy.extenders);
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
          Fail(item, fmt::format("two profiles have the name `{}`", known.scheduler_name));
        }
      }
      profile.plugins = Merge(sets);
      configuration_.profiles.push_back(std::move(profile));
    });
  }

  std::array<std::vector<PluginRef>, kExtensionPoints> Merge(const PluginSets& sets) const {
    const int minor = configuration_.release.minor;
    return MergePlugins(DefaultPluginsOf(version_, minor), sets, minor, names_.own());
  }

  void ReadPlugins(const YAML::Node& node, PluginSets& sets) {
    Fields fields;
    using enum kube::ExtensionPoint;
    for (const ExtensionPoint point :
         {kPreEnqueue, kQueueSort, kPreFilter, kFilter, kPostFilter, kPreScore, kScore, kReserve,
          kPermit, kPreBind, kBind, kPostBind}) {
      std::string key(ToString(point));  // in lowerCamelCase, as all keys of the format
      key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
      fields[key] = [this, point, &sets](const YAML::Node& n) {
        ReadSet(n, sets.points[kube::IndexOf(point)], Bit(point));
      };
    }
    if (version_ >= ApiVersion::kV1Beta3) {
      fields["multiPoint"] = [&](const YAML::Node& n) { ReadSet(n, sets.multi_point, ~0U); };
    }
    // Its plugins are Reserve's since.
    if (IsAlpha(configuration_.api_version)) fields["unreserve"] = Ignore;
    ReadFields(node, "plugins", fields);
  }

  void ReadSet(const YAML::Node& node, PluginSet& set, Points points) {
    const auto read = [&](const YAML::Node& item, PluginRef& plugin) {
      ReadFields(
          item, "a plugin",
          {{"name", [&](const auto& n) { plugin.name = Text(n); }},
           {"weight", [&](const auto& n) { plugin.weight = Integer(n, 0, 1'000'000'000); }}});
      if (plugin.name.empty()) Fail(item, "a plugin needs a name");
    };
    ReadFields(node, "an extension point",
               {{"enabled",
                 [&](const auto& n) {
                   ReadList(n, "enabled", [&](const auto& item) {
                     PluginRef plugin;
                     read(item, plugin);
                     if (Check(item, plugin.name, points)) {
                       set.enabled.push_back(std::move(plugin));
                     }
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

  bool Check(const YAML::Node& node, const std::string& name, Points points) {
    return names_.Check(*this, node, name, points, configuration_.release.minor);
  }

  void ReadPluginConfig(const YAML::Node& node, PluginArgs& args) {
    ReadList(node, "pluginConfig", [&](const auto& item) {
      std::string name;
      YAML::Node values;
      ReadFields(item, "a pluginConfig",
                 {{"name", [&](const auto& n) { name = Text(n); }},
                  {"args", [&](const auto& n) { values = n; }}});
      Check(item, name, ~0U);
      if (names_.IsOwn(name)) return;
      ReadPluginArgs(*this, version_, name, item, values, args);
    });
  }

  std::optional<Release> release_;
  PluginNames names_;
  FoundInFile* found_;
  ApiVersion version_ = ApiVersion::kV1;
  Configuration configuration_;
};

class ArgsReader : private YamlFields {
 public:
  ArgsReader(const YamlFields& yaml, ApiVersion version) : YamlFields(yaml), version_(version) {}

  void Read(const std::string& name, const YAML::Node& at, const YAML::Node& values,
            PluginArgs& args) const {
    ReadFields(values, fmt::format("{}Args", name), FieldsOf(name, args));
    if (name == "RequestedToCapacityRatio" && args.ratio_shape.empty()) {
      Fail(at, "RequestedToCapacityRatioArgs needs a shape");
    }
    if (name == "PodTopologySpread" && args.system_default_constraints &&
        !args.default_constraints.empty()) {
      Fail(at, "defaultConstraints need defaultingType List");
    }
  }

 private:
  // The fields of one plugin's arguments, each with where its value goes.
  Fields FieldsOf(const std::string& name, PluginArgs& args) const {
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
    return fields;
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
                     Fail(n, fmt::format("unknown scoringStrategy `{}`; use LeastAllocated, "
                                         "MostAllocated or RequestedToCapacityRatio",
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
        Fail(item, "the shape's utilization must increase from point to point");
      }
      out.push_back(point);
    });
    return out;
  }

  void ReadSpreadArgs(Fields& fields, PluginArgs& args) const {
    if (version_ == ApiVersion::kV1Beta1) args.system_default_constraints = true;
    fields["defaultingType"] = [&](const YAML::Node& n) {
      const std::string text = Text(n);
      if (text != "List" && text != "System") Fail(n, "defaultingType must be List or System");
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
                         Fail(v, "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
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

  ApiVersion version_;
};

}  // namespace

Configuration ReadConfiguration(std::string_view text, std::string_view file,
                                const std::optional<Release>& release,
                                const std::vector<std::string>& own_plugins, FoundInFile* found) {
  try {
    std::optional<std::pair<YAML::Node, std::string>> first;
    std::optional<YAML::Node> policy;
    EachConfiguration(text, std::string(file),
                      [&](const YAML::Node& map, const std::string& place) {
                        const bool first_policy = IsPolicy(map) && !policy;
                        if (first_policy) policy = map;
                        // A Policy stands back behind a configuration.
                        if (!first || (IsPolicy(first->first) && !IsPolicy(map))) {
                          first.emplace(map, place);
                        } else if (!first_policy && found != nullptr) {
                          found->remarks.push_back(
                              {RemarkKind::kOneOfSeveral, YamlFields(place).PlaceOf(map), ""});
                        }
                      });
    if (!first) ThrowNoConfiguration(text, std::string(file));
    return ConfigurationReader(first->second, release, own_plugins, found)
        .Read(first->first, policy ? &*policy : nullptr);
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

void ReadExtenders(const YamlFields& f, const YAML::Node& node,
                   std::vector<ExtenderConfiguration>& extenders) {
  f.ReadList(node, "extenders", [&](const auto& item) {
    ExtenderConfiguration& out = extenders.emplace_back();
    f.ReadFields(item, "an extender",
                 {{"urlPrefix", [&](const auto& n) { out.url_prefix = f.Text(n); }},
                  {"filterVerb", [&](const auto& n) { out.filter_verb = f.Text(n); }},
                  {"prioritizeVerb", [&](const auto& n) { out.prioritize_verb = f.Text(n); }},
                  {"preemptVerb", [&](const auto& n) { out.preempt_verb = f.Text(n); }},
                  {"bindVerb", [&](const auto& n) { out.bind_verb = f.Text(n); }},
                  {"weight", [&](const auto& n) { out.weight = f.Integer(n, 0, 1'000'000'000); }},
                  {"enableHTTPS", [&](const auto& n) { out.enable_https = f.Truth(n); }},
                  {"tlsConfig", YamlFields::Ignore},
                  {"apiVersion", YamlFields::Ignore},  // of a Policy
                  {"httpTimeout",
                   [&](const auto& n) {
                     const double timeout = f.Duration(n);
                     if (timeout > 0) out.http_timeout_seconds = timeout;
                   }},
                  {"nodeCacheCapable", [&](const auto& n) { out.node_cache_capable = f.Truth(n); }},
                  {"ignorable", [&](const auto& n) { out.ignorable = f.Truth(n); }},
                  {"managedResources", [&](const auto& n) {
                     f.ReadList(n, "managedResources", [&](const auto& r) {
                       auto& managed = out.managed_resources.emplace_back();
                       f.ReadFields(r, "a managed resource",
                                    {{"name", [&](const auto& v) { managed.name = f.Text(v); }},
                                     {"ignoredByScheduler", [&](const auto& v) {
                                        managed.ignored_by_scheduler = f.Truth(v);
                                      }}});
                     });
                   }}});
    if (out.url_prefix.empty()) f.Fail(item, "an extender needs a urlPrefix");
    if (!out.prioritize_verb.empty() && out.weight < 1) {
      f.Fail(item, "an extender that prioritizes needs a weight above 0");
    }
  });
}

void ReadPluginArgs(const YamlFields& yaml, ApiVersion version, const std::string& name,
                    const YAML::Node& at, const YAML::Node& values, PluginArgs& args) {
  ArgsReader(yaml, version).Read(name, at, values, args);
}

}  // namespace schedlens::sim::core
