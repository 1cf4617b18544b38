// KubeSchedulerConfiguration and Policy from YAML.

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <cstdlib>

#include "base/suggestion.h"
#include "scheduler/framework/configuration_file.h"

namespace schedlens::sim::core {
namespace {

using enum kube::ExtensionPoint;

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";
constexpr std::int64_t kMostWeight = 1'000'000'000;

// Which names of plugins a configuration may use.
struct PluginNames {
  std::vector<std::string> own;  ///< known beside those in-tree
  int minor;
  FoundInFile* found;  ///< with it unknown ones are put down there and kept

  /// Whether the plugin named at `node` may run at any of `points`. False, and put down as a
  /// remark, where it has none of them; without `found` that and an unknown name throw.
  bool Check(const YamlMap& map, const YAML::Node& node, const std::string& name, Points points) {
    if (IsOwn(name)) return true;
    const Points has = PointsOf(name, minor);
    if (has == 0) {
      std::vector<std::string> known = own;
      for (const std::string_view plugin : InTreePlugins()) {
        if (PointsOf(plugin, minor) != 0) known.emplace_back(plugin);
      }
      if (found == nullptr) {
        map.Fail(node, fmt::format("plugin `{}` does not exist in 1.{}{}", name, minor,
                                   Correction(name, known)));
      }
      Keep(name, Meant(name, known));
      return true;
    }
    if ((has & points) != 0) return true;
    if (found == nullptr) {
      map.Fail(node, fmt::format("plugin `{}` does not implement this extension point", name));
    }
    found->remarks.push_back({RemarkKind::kNotAtPoint, map.PlaceOf(node), name});
    return false;
  }

  bool IsOwn(const std::string& name) const { return std::ranges::find(own, name) != own.end(); }

  // As one without code.
  void Keep(const std::string& name, const std::string& nearest) {
    const bool unplayed = IsUnplayed(name, minor);
    const bool other_release = IsInTree(name) || (IsUnplayed(name) && !unplayed);
    const bool close = !other_release && !unplayed && EditDistance(name, nearest) <= 2;
    found->out_of_tree.push_back({name, close ? nearest : "", other_release});
    own.push_back(name);
  }
};

struct PolicyRow {
  std::string_view word, plugin;
};

// The lines of plugins.txt.
constexpr PolicyRow kPredicates[] = {
#include "scheduler/framework/predicate.inc"
};

constexpr PolicyRow kPriorities[] = {
#include "scheduler/framework/priority.inc"
};

// A scheduler's Policy (up to 1.22): predicates and priorities as the plugins that took their
// place.
class PolicyReader {
 public:
  /// What that release has no plugin for (a predicate of an older release) is put down in `found`
  /// and left out; a plugin that nothing here plays goes to `names`, or without it to `found` too.
  PolicyReader(int minor, PluginNames* names, FoundInFile* found)
      : minor_(minor), names_(names), found_(found) {}

  /// `plugins` are instead of the defaults where the file lists predicates or priorities.
  void Read(YamlMap map) {
    map.Ignore({"apiVersion", "kind", "metadata", "alwaysCheckAllPredicates"});
    map.Read("hardPodAffinitySymmetricWeight", &args.hard_pod_affinity_weight, 0, 100);
    ReadEntries(map, "predicates", kPredicates, {kPreFilter, kFilter});
    ReadEntries(map, "priorities", kPriorities, {kPreScore, kScore});
    ReadExtenders(map, extenders);
    map.Finish();
  }

  PluginSets plugins;
  std::vector<ExtenderConfiguration> extenders;
  PluginArgs args;

 private:
  using TwoPoints = std::array<ExtensionPoint, 2>;

  /// One of the lists, instead of the defaults of its points.
  void ReadEntries(YamlMap& map, const char* key, std::span<const PolicyRow> rows,
                   const TwoPoints& points) {
    if (!map.Has(key)) return;
    for (const ExtensionPoint point : points) At(point).disabled = {"*"};
    const bool scores = points[1] == kScore;
    if (!scores) {
      AddAll(rows, "PodToleratesNodeTaints", points, 0);  // these two are mandatory
      AddAll(rows, "CheckNodeUnschedulable", points, 0);
    }
    map.Each(key, [&](YamlMap& item) {
      std::string name;
      std::int64_t weight = 1;
      item.Read("name", &name);
      item.Read("weight", &weight, 0, 1'000'000);
      if (item.Has("argument")) {
        ReadArgued(item, name, weight);
      } else if (!(scores && name == "EqualPriority") &&
                 !AddAll(rows, name, points, scores ? weight : 0)) {
        LeaveOut(item, name);
      }
    });
  }

  /// The name of an entry with an argument is free: the argument says which plugin it is.
  void ReadArgued(YamlMap& item, const std::string& name, std::int64_t weight) {
    YamlMap argument = item.Sub("argument");
    const auto stands_for = [&](const char* key, const char* plugin,
                                std::initializer_list<ExtensionPoint> points) {
      if (!argument.Has(key)) return;
      if (names_ == nullptr || !IsUnplayed(plugin, minor_)) return LeaveOut(item, name);
      names_->Check(item, item.node(), plugin, ~0U);
      for (const ExtensionPoint point : points) Enable(point, plugin, weight);
    };
    stands_for("serviceAffinity", "ServiceAffinity", {kPreFilter, kFilter});
    stands_for("serviceAntiAffinity", "ServiceAffinity", {kScore});
    stands_for("labelsPresence", "NodeLabel", {kFilter});
    stands_for("labelPreference", "NodeLabel", {kScore});
    constexpr char kArguments[] = "requestedToCapacityRatioArguments";
    constexpr char kRatio[] = "RequestedToCapacityRatio";
    if (argument.Has(kArguments) && PointsOf(kRatio, minor_) == 0) {
      LeaveOut(item, name);
    } else if (argument.Has(kArguments)) {
      ReadPluginArgs(argument.Sub(kArguments), ApiVersion::kV1Beta1, kRatio, item.node(), args);
      Enable(kScore, kRatio, weight);
    }
    argument.Finish();
  }

  void LeaveOut(const YamlMap& item, const std::string& name) {
    found_->remarks.push_back({RemarkKind::kNoPlugin, item.PlaceOf(item.node()), name});
  }

  /// Whether any row of the word is of a plugin that this release has.
  bool AddAll(std::span<const PolicyRow> rows, std::string_view word, const TwoPoints& points,
              std::int64_t weight) {
    bool any = false;
    for (const PolicyRow& row : rows) {
      if (row.word != word) continue;
      const Points has = PointsOf(row.plugin, minor_);
      any = any || has != 0;
      for (const ExtensionPoint point : points) {
        if ((has & Bit(point)) != 0) Enable(point, std::string(row.plugin), weight);
      }
    }
    return any;
  }

  void Enable(ExtensionPoint point, const std::string& plugin, std::int64_t weight) {
    auto& enabled = At(point).enabled;
    const bool known = std::ranges::find(enabled, plugin, &PluginRef::name) != enabled.end();
    if (!known) enabled.push_back({plugin, weight});
  }

  PluginSet& At(ExtensionPoint point) { return plugins.points[kube::IndexOf(point)]; }

  int minor_;
  PluginNames* names_;
  FoundInFile* found_;
};

bool IsAlpha(std::string_view api) { return api.starts_with("v1alpha"); }

// Also the word after the group in its first form, up to 1.11, of what is found in a cluster.
std::string ApiNameOf(const std::string& text, bool found) {
  constexpr std::string_view kGroupBefore = "componentconfig/";
  if (text.starts_with(kGroup)) return text.substr(kGroup.size());
  return found && text.starts_with(kGroupBefore) ? text.substr(kGroupBefore.size()) : "";
}

class ConfigurationReader {
 public:
  ConfigurationReader(YamlMap map, const ApiRow& api, const Release& release,
                      const std::vector<std::string>& own_plugins, FoundInFile* found)
      : map_(std::move(map)), api_(api), found_(found), names_{own_plugins, release.minor, found} {
    configuration_.api_version = api.name;
    configuration_.release = release;
  }

  /// `policy`, if there is one beside it, says what a file without profiles and extenders leaves
  /// open.
  Configuration Read(const YAML::Node* policy) {
    Configuration& out = configuration_;
    const bool is_policy = out.api_version == "Policy";
    const int minor = out.release.minor;
    if (found_ != nullptr && (minor < api_.first_minor || minor > api_.last_minor)) {
      const YAML::Node api = map_.Find("apiVersion");
      found_->remarks.push_back(
          {RemarkKind::kNotRead, map_.PlaceOf(is_policy ? map_.node() : api), out.api_version});
    }
    const std::size_t before = found_ == nullptr ? 0 : found_->remarks.size();
    if (is_policy) {
      TakePolicy(map_);
    } else {
      ReadSettings();
      Profile alpha;
      if (IsAlpha(out.api_version)) {
        // Before there were profiles: one scheduler, and what became of its fields since.
        ReadProfile(map_, alpha);
        map_.Read("hardPodAffinitySymmetricWeight", &alpha.args.hard_pod_affinity_weight, 0, 100);
        map_.Ignore(
            {"algorithmSource", "disablePreemption", "bindTimeoutSeconds", "failureDomains"});
      }
      map_.Finish();
      if (policy != nullptr && out.profiles.empty() && out.extenders.empty()) {
        TakePolicy(map_.Child(*policy, ""));
        out.profiles.front().scheduler_name = alpha.scheduler_name;
      } else if (IsAlpha(out.api_version) && out.profiles.empty()) {
        out.profiles.push_back(std::move(alpha));
      }
    }
    Complete();
    if (found_ != nullptr) {  // what is left out is told in the file's order
      const auto line = [](const ConfigurationRemark& remark) {
        return std::atol(remark.at.c_str() + remark.at.rfind(':') + 1);
      };
      std::ranges::stable_sort(std::span(found_->remarks).subspan(before), {}, line);
    }
    return std::move(configuration_);
  }

 private:
  void ReadSettings() {
    Configuration& out = configuration_;
    map_.Ignore({"apiVersion", "kind", "metadata", "healthzBindAddress", "metricsBindAddress",
                 "enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"});
    map_.Read("parallelism", &out.parallelism, 1, 1'000'000);
    map_.Read("percentageOfNodesToScore", &out.percentage_of_nodes_to_score, 0, 100);
    map_.Read("podInitialBackoffSeconds", &out.pod_initial_backoff_seconds, 0, 1e6);
    map_.Read("podMaxBackoffSeconds", &out.pod_max_backoff_seconds, 0, 1e6);
    // How it talks to the API server: queries a second and burst; 0 leaves the default.
    YamlMap client = map_.Sub("clientConnection");
    client.Ignore({"kubeconfig", "acceptContentTypes", "contentType"});
    double qps = 0;
    std::int32_t burst = 0;
    client.Read("qps", &qps, -1, 1e9);
    client.Read("burst", &burst, 0, 1'000'000'000);
    client.Finish();
    if (qps != 0) out.client_qps = qps;
    if (burst != 0) out.client_burst = burst;
    // Changes nothing here; its fields are checked. The last two are of v1alpha1.
    YamlMap election = map_.Sub("leaderElection");
    bool elect = false;
    election.Read("leaderElect", &elect);
    election.Ignore({"leaseDuration", "renewDeadline", "retryPeriod", "resourceLock",
                     "resourceName", "resourceNamespace", "lockObjectName", "lockObjectNamespace"});
    election.Finish();
    map_.Each("profiles", [&](YamlMap& item) {
      Profile profile;
      ReadProfile(item, profile);
      std::int32_t percentage = -1;
      item.Read("percentageOfNodesToScore", &percentage, 0, 100);
      if (percentage >= 0) profile.percentage_of_nodes_to_score = percentage;
      const std::string& name = profile.scheduler_name;
      if (std::ranges::find(out.profiles, name, &Profile::scheduler_name) != out.profiles.end()) {
        item.Fail(item.node(), fmt::format("two profiles have the name `{}`", name));
      }
      out.profiles.push_back(std::move(profile));
    });
    ReadExtenders(map_, out.extenders);
  }

  void ReadProfile(YamlMap& map, Profile& profile) {
    map.Read("schedulerName", &profile.scheduler_name);
    PluginSets sets;
    const auto arguments = [&](YamlMap& item) {
      std::string name;
      item.Read("name", &name);
      names_.Check(item, item.node(), name, ~0U);
      const YAML::Node args = item.Find("args");
      if (names_.IsOwn(name)) return;
      ReadPluginArgs(item.Child(args, "args"), api_.version, name, item.node(), profile.args);
    };
    const YAML::Node plugins = map.Find("plugins"), config = map.Find("pluginConfig");
    const bool config_first = plugins && config && config.Mark().pos < plugins.Mark().pos;
    if (config_first) map.Each("pluginConfig", arguments);
    ReadPlugins(map.Child(plugins, "plugins"), sets);
    if (!config_first) map.Each("pluginConfig", arguments);
    profile.plugins = Merge(sets);
  }

  // What follows from the fields together.
  void Complete() {
    Configuration& out = configuration_;
    if (out.profiles.empty()) out.profiles.emplace_back().plugins = Merge({});
    if (out.pod_max_backoff_seconds != 0 &&
        out.pod_max_backoff_seconds < out.pod_initial_backoff_seconds) {
      map_.Fail(map_.Find(map_.Has("podMaxBackoffSeconds") ? "podMaxBackoffSeconds"
                                                           : "podInitialBackoffSeconds"),
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
    std::ranges::stable_sort(out.extenders, {}, &ExtenderConfiguration::ignorable);
  }

  void TakePolicy(const YamlMap& map) {
    FoundInFile left_out;
    PolicyReader policy(configuration_.release.minor, found_ != nullptr ? &names_ : nullptr,
                        found_ != nullptr ? found_ : &left_out);
    policy.Read(map);
    Profile& profile = configuration_.profiles.emplace_back();
    profile.plugins = Merge(policy.plugins);
    profile.args = std::move(policy.args);
    configuration_.extenders = std::move(policy.extenders);
  }

  PluginsByPoint Merge(const PluginSets& sets) const {
    return MergePlugins(api_.version, sets, configuration_.release.minor, names_.own);
  }

  void ReadPlugins(YamlMap map, PluginSets& sets) {
    struct Key {
      YAML::Node at;
      std::string name;
      PluginSet* set;
      Points points;
    };
    // Unknown plugins are told in the file's order. Sorting would assign nodes, and that changes
    // the document.
    std::multimap<int, Key> keys;
    const auto add = [&](const std::string& name, PluginSet& set, Points points) {
      if (!map.Has(name)) return;
      const YAML::Node at = map.Find(name);
      keys.emplace(at.Mark().pos, Key{at, name, &set, points});
    };
    for (const ExtensionPoint point :
         {kPreEnqueue, kQueueSort, kPreFilter, kFilter, kPostFilter, kPreScore, kScore, kReserve,
          kPermit, kPreBind, kBind, kPostBind}) {
      std::string key(ToString(point));  // in lowerCamelCase, as all keys of the format
      key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
      add(key, sets.points[kube::IndexOf(point)], Bit(point));
    }
    if (api_.version >= ApiVersion::kV1Beta3) add("multiPoint", sets.multi_point, ~0U);
    // Its plugins are Reserve's since.
    if (IsAlpha(configuration_.api_version)) map.Ignore({"unreserve"});
    map.Finish();
    for (const auto& [position, key] : keys) {
      ReadSet(map.Child(key.at, key.name), *key.set, key.points);
    }
  }

  void ReadSet(YamlMap map, PluginSet& set, Points points) {
    const auto each = [&](const char* key, const auto& use) {
      map.Each(key, [&](YamlMap& item) {
        PluginRef plugin;
        item.Read("name", &plugin.name);
        item.Read("weight", &plugin.weight, 0, kMostWeight);
        item.Finish();
        if (plugin.name.empty()) item.Fail(item.node(), "a plugin needs a name");
        use(item, std::move(plugin));
      });
    };
    each("enabled", [&](const YamlMap& item, PluginRef plugin) {
      if (names_.Check(item, item.node(), plugin.name, points)) set.enabled.push_back(plugin);
    });
    each("disabled",
         [&](const YamlMap&, const PluginRef& plugin) { set.disabled.push_back(plugin.name); });
    map.Finish();
  }

  YamlMap map_;
  const ApiRow& api_;
  FoundInFile* found_;
  PluginNames names_;
  Configuration configuration_;
};

}  // namespace

Configuration ReadConfiguration(std::string_view text, std::string_view file,
                                const std::optional<Release>& release,
                                const std::vector<std::string>& own_plugins, FoundInFile* found) {
  try {
    std::optional<std::pair<YAML::Node, std::string>> first;
    std::optional<YAML::Node> policy;
    for (const auto& [map, place] : ConfigurationsIn(text, std::string(file))) {
      const bool first_policy = IsPolicy(map) && !policy;
      if (first_policy) policy = map;
      // A Policy stands back behind a configuration.
      if (!first || (IsPolicy(first->first) && !IsPolicy(map))) {
        first.emplace(map, place);
      } else if (!first_policy && found != nullptr) {
        const std::string at = fmt::format("{}:{}", place, map.Mark().line + 1);
        found->remarks.push_back({RemarkKind::kOneOfSeveral, at, ""});
      }
    }
    if (!first) {
      auto of_flags = ConfigurationOfFlags(text, std::string(file), release, found);
      if (of_flags) return std::move(*of_flags);
      ThrowNoConfiguration(text, std::string(file));
    }
    YamlFile yaml{first->second};
    if (found != nullptr) {
      yaml.skip = [found](const std::string& field, const std::string& at) {
        found->remarks.push_back({RemarkKind::kUnknownField, at, field});
      };
    }
    YamlMap map(first->first, std::move(yaml));
    std::string name = "Policy";
    if (!IsPolicy(first->first)) {
      const YAML::Node api = map.Find("apiVersion");
      const std::string version = api && api.IsScalar() ? api.Scalar() : "";
      name = ApiNameOf(version, found != nullptr);
      if (FindApi(name) == nullptr || name == "Policy" || (IsAlpha(name) && found == nullptr)) {
        map.Fail(api ? api : map.node(),
                 fmt::format("apiVersion `{}` is not supported; use {}v1, v1beta3, v1beta2 or "
                             "v1beta1",
                             version, kGroup));
      }
    }
    const ApiRow& api = *FindApi(name);
    return ConfigurationReader(std::move(map), api, release.value_or(Release{api.usual_minor}),
                               own_plugins, found)
        .Read(policy ? &*policy : nullptr);
  } catch (const YAML::Exception& error) {
    Raise(ErrorKind::kUsage, "{}:{}: {}", file, ErrorLine(error), error.msg);
  }
}

}  // namespace schedlens::sim::core
