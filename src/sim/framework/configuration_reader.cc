// KubeSchedulerConfiguration from YAML.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/nearest.h"
#include "schedlens/error.h"
#include "sim/framework/configuration.h"
#include "sim/framework/extender_reader.h"
#include "sim/framework/plugin_args_reader.h"
#include "sim/framework/plugin_table.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {
namespace {

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";

class ConfigurationReader : private YamlFields {
 public:
  ConfigurationReader(std::string_view file, const std::vector<std::string>& own_plugins,
                      std::vector<OutOfTreePlugin>* out_of_tree)
      : YamlFields(file), own_plugins_(own_plugins), out_of_tree_(out_of_tree) {}

  Configuration Read(std::string_view text, const std::optional<Release>& release) {
    YAML::Node root;
    try {
      root = YAML::Load(std::string(text));
    } catch (const YAML::Exception& error) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}:{}: not YAML: {}", file(), error.mark.line + 1, error.msg));
    }
    if (!root.IsMap()) Fail(root, "a KubeSchedulerConfiguration must be a map");
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
         {"extenders", [&](const auto& n) { ReadExtenders(*this, n, out.extenders); }},
         {"healthzBindAddress", Ignore},
         {"metricsBindAddress", Ignore},
         {"enableProfiling", Ignore},
         {"enableContentionProfiling", Ignore},
         {"delayCacheUntilActive", Ignore}});
    Complete(root);
    return std::move(configuration_);
  }

 private:
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
    Fail(api ? api : root, fmt::format("apiVersion `{}` is not supported; use {}v1, "
                                       "v1beta3, v1beta2 or v1beta1",
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
          Fail(item, fmt::format("two profiles have the name `{}`", known.scheduler_name));
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

  // True: it is taken as one from outside the tree.
  bool Accept(const std::string& name, const std::vector<std::string>& known) {
    const auto& tree = InTreePlugins();
    const bool of_a_release = std::any_of(tree.begin(), tree.end(),
                                          [&](const InTreePlugin& p) { return p.name == name; });
    if (out_of_tree_ == nullptr || of_a_release) return false;
    const std::string nearest = Nearest(name, known);
    const bool close = !nearest.empty() && EditDistance(name, nearest) <= 2;
    out_of_tree_->push_back({name, close ? nearest : ""});
    own_plugins_.push_back(name);
    return true;
  }

  void CheckPlugin(const YAML::Node& node, const std::string& name, Points points) {
    if (std::find(own_plugins_.begin(), own_plugins_.end(), name) != own_plugins_.end()) return;
    const int minor = configuration_.release.minor;
    const Points has = PointsOf(name, minor);
    if (has == 0) {
      std::vector<std::string> known = own_plugins_;
      for (const InTreePlugin& plugin : InTreePlugins()) {
        if (PointsOf(plugin.name, minor) != 0) known.emplace_back(plugin.name);
      }
      if (Accept(name, known)) return;
      Fail(node, fmt::format("plugin `{}` does not exist in 1.{}{}", name, minor,
                             DidYouMean(name, known)));
    }
    if ((has & points) == 0) {
      Fail(node, fmt::format("plugin `{}` does not implement this extension point", name));
    }
  }

  void ReadPluginConfig(const YAML::Node& node, PluginArgs& args) {
    ReadList(node, "pluginConfig", [&](const auto& item) {
      std::string name;
      YAML::Node values;
      ReadFields(item, "a pluginConfig",
                 {{"name", [&](const auto& n) { name = Text(n); }},
                  {"args", [&](const auto& n) { values = n; }}});
      const auto own = [&] {
        return std::find(own_plugins_.begin(), own_plugins_.end(), name) != own_plugins_.end();
      };
      if (!own()) CheckPlugin(item, name, ~0U);
      if (own()) return;
      ReadPluginArgs(*this, version_, name, item, values, args);
    });
  }

  std::vector<std::string> own_plugins_;
  std::vector<OutOfTreePlugin>* out_of_tree_;
  ApiVersion version_ = ApiVersion::kV1;
  Configuration configuration_;
};

}  // namespace

Configuration ReadConfiguration(std::string_view text, std::string_view file,
                                const std::optional<Release>& release,
                                const std::vector<std::string>& own_plugins,
                                std::vector<OutOfTreePlugin>* out_of_tree) {
  try {
    return ConfigurationReader(file, own_plugins, out_of_tree).Read(text, release);
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

}  // namespace schedlens::sim::core
