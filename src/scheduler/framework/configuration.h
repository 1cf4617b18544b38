#pragma once

// KubeSchedulerConfiguration as data: what a file says, completed with the release's defaults.

#include "kube/words.h"
#include "scheduler/base/release.h"

namespace schedlens::sim::core {

using kube::ExtensionPoint;
constexpr std::size_t kExtensionPoints = kube::kSize<ExtensionPoint>;

struct PluginRef {
  std::string name;
  std::int64_t weight = 0;  ///< of scores; 0 elsewhere
  friend bool operator==(const PluginRef&, const PluginRef&) = default;
};

// Arguments keep their text: the algorithm interns them when it is built.
struct ConstraintText {
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool hard = false;
};
struct ResourceWeight {
  std::string name;
  std::int64_t weight = 1;
};
struct ShapePoint {
  std::int64_t utilization = 0;  ///< percent
  std::int64_t score = 0;        ///< 0 to 10
};
enum class ScoringStrategy : std::uint8_t {
  kLeastAllocated,
  kMostAllocated,
  kRequestedToCapacityRatio
};

/// pluginConfig of one profile, defaults filled in.
struct PluginArgs {
  std::vector<std::string> ignored_resources, ignored_resource_groups;  ///< NodeResourcesFit
  ScoringStrategy strategy = ScoringStrategy::kLeastAllocated;          ///< NodeResourcesFit
  std::vector<ResourceWeight> fit_resources;
  std::vector<ShapePoint> fit_shape;
  std::vector<ResourceWeight> least_resources, most_resources, ratio_resources;  ///< until 1.22
  std::vector<ShapePoint> ratio_shape;
  std::vector<ShapePoint> volume_shape{{0, 10}, {100, 0}};  ///< VolumeBinding, from 1.37
  std::vector<ResourceWeight> balanced_resources;
  std::string added_affinity;                 ///< NodeAffinity: as ReadNodeAffinity takes it
  std::int64_t hard_pod_affinity_weight = 1;  ///< InterPodAffinity
  bool ignore_preferred_terms_of_existing_pods = false;
  bool system_default_constraints = true;  ///< PodTopologySpread: defaultingType System
  std::vector<ConstraintText> default_constraints;
  std::int64_t min_candidate_nodes_percentage = 10;  ///< DefaultPreemption
  std::int64_t min_candidate_nodes_absolute = 100;
};

struct Profile {
  std::string scheduler_name = "default-scheduler";
  std::array<std::vector<PluginRef>, kExtensionPoints> plugins;  ///< in order of execution
  PluginArgs args;
  std::optional<std::int32_t> percentage_of_nodes_to_score;  ///< >= 1.26

  const std::vector<PluginRef>& At(ExtensionPoint point) const {
    return plugins[static_cast<std::size_t>(point)];
  }
};

struct ExtenderConfiguration {
  std::string url_prefix, filter_verb, prioritize_verb, preempt_verb, bind_verb;
  std::int64_t weight = 1;
  double http_timeout_seconds = 5;
  bool node_cache_capable = false, ignorable = false;
  struct ManagedResource {
    std::string name;
    bool ignored_by_scheduler = false;
  };
  std::vector<ManagedResource> managed_resources;
};

struct Configuration {
  Release release;
  std::string api_version;  ///< `v1beta1`, ..., `v1`; `Policy`
  std::int32_t parallelism = 16;
  std::int32_t percentage_of_nodes_to_score = 0;  ///< 0: adaptive
  double pod_initial_backoff_seconds = 1, pod_max_backoff_seconds = 10;
  double client_qps = 50;
  std::int32_t client_burst = 100;
  std::vector<Profile> profiles;  ///< at least one; ignorable extenders are last in `extenders`
  std::vector<ExtenderConfiguration> extenders;

  /// Whether a profile has the plugin at that point.
  bool Runs(ExtensionPoint point, std::string_view plugin) const {
    return std::ranges::any_of(profiles, [&](const Profile& profile) {
      return std::ranges::count(profile.At(point), plugin, &PluginRef::name) > 0;
    });
  }
};

/// The configuration of a kube-scheduler of `release` that was given no file.
Configuration DefaultConfiguration(const Release& release);

/// Whether any release has that plugin.
bool IsInTree(const std::string& plugin);

/// A plugin that this release of kube-scheduler does not have.
struct OutOfTreePlugin {
  std::string name;
  std::string close;           ///< the in-tree plugin that may have been meant, "" if none is close
  bool other_release = false;  ///< another release has it
};

/// What a file says that is left out, or does not fit.
enum class RemarkKind : std::uint8_t {
  kUnknownField,  ///< `name` is a field of no release
  kNotAtPoint,    ///< the plugin `name` does not hook in where the file enables it
  kNoPlugin,      ///< nothing stands for the Policy's predicate or priority `name`
  kNotRead,       ///< the apiVersion `name` is not read by the release that was given
  kOneOfSeveral,  ///< another configuration comes before this one
  kFlags,         ///< there is none but the flags `name` of a container
};
struct ConfigurationRemark {
  RemarkKind kind = RemarkKind::kUnknownField;
  std::string at;  ///< `file:line`, with the ConfigMap's key where it is in one
  std::string name;
};
struct FoundInFile {
  std::vector<OutOfTreePlugin> out_of_tree;  ///< each once; they run where the file enables them
  std::vector<ConfigurationRemark> remarks;
};

/// Reads a KubeSchedulerConfiguration (YAML or JSON), also of a ConfigMap, of a list or among other
/// documents, or a Policy of up to 1.22; where there is none, from the flags of a container that
/// runs kube-scheduler, whose image then says the release. `file` names it in errors. Without
/// `release` that of the apiVersion is taken. `own_plugins` are names that may be used besides the
/// built-in ones. Throws Error(kUsage): text that is not YAML, another kind, a field, plugin or
/// value that does not exist, with the line and the nearest name. With `found` it is read as it was
/// found in a cluster: what this release or any does not know goes there, and only what looks
/// mistyped or has a wrong value throws.
Configuration ReadConfiguration(std::string_view text, std::string_view file,
                                const std::optional<Release>& release,
                                const std::vector<std::string>& own_plugins = {},
                                FoundInFile* found = nullptr);

/// The number of nodes that must be found feasible before the search stops, of `nodes` searched;
/// `percentage` as configured (0: adaptive).
std::int32_t NumFeasibleNodesToFind(std::int32_t percentage, std::int32_t nodes);

}  // namespace schedlens::sim::core
