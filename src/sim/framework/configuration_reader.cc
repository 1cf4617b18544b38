// KubeSchedulerConfiguration and Policy from YAML.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "schedlens/error.h"
#include "sim/framework/client_reader.h"
#include "sim/framework/configuration.h"
#include "sim/framework/configuration_file.h"
#include "sim/framework/extender_reader.h"
#include "sim/framework/plugin_args_reader.h"
#include "sim/framework/plugin_names.h"
#include "sim/framework/plugin_table.h"
#include "sim/framework/policy_reader.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {
namespace {

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";

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

}  // namespace schedlens::sim::core
