#include "sim/framework/policy_reader.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>

namespace schedlens::sim::core {
namespace {

using enum kube::ExtensionPoint;
constexpr std::array kFiltering = {kPreFilter, kFilter};
constexpr std::array kScoring = {kPreScore, kScore};

struct Row {
  std::string_view word, plugin;
};

// kubernetes 1.22, pkg/scheduler/framework/plugins/legacy_registry.go.
constexpr Row kPredicates[] = {
    {"GeneralPredicates", "NodeResourcesFit"},
    {"GeneralPredicates", "NodeName"},
    {"GeneralPredicates", "NodePorts"},
    {"GeneralPredicates", "NodeAffinity"},
    {"PodFitsPorts", "NodePorts"},
    {"PodFitsHostPorts", "NodePorts"},
    {"PodFitsResources", "NodeResourcesFit"},
    {"HostName", "NodeName"},
    {"MatchNodeSelector", "NodeAffinity"},
    {"NoDiskConflict", "VolumeRestrictions"},
    {"NoVolumeZoneConflict", "VolumeZone"},
    {"MaxCSIVolumeCountPred", "NodeVolumeLimits"},
    {"MaxEBSVolumeCount", "EBSLimits"},
    {"MaxGCEPDVolumeCount", "GCEPDLimits"},
    {"MaxAzureDiskVolumeCount", "AzureDiskLimits"},
    {"MaxCinderVolumeCount", "CinderLimits"},
    {"CheckVolumeBinding", "VolumeBinding"},
    {"MatchInterPodAffinity", "InterPodAffinity"},
    {"EvenPodsSpread", "PodTopologySpread"},
    {"PodToleratesNodeTaints", "TaintToleration"},
    {"CheckNodeUnschedulable", "NodeUnschedulable"},
};
constexpr std::string_view kMandatory[] = {"PodToleratesNodeTaints", "CheckNodeUnschedulable"};

constexpr Row kPriorities[] = {
    {"LeastRequestedPriority", "NodeResourcesLeastAllocated"},
    {"MostRequestedPriority", "NodeResourcesMostAllocated"},
    {"BalancedResourceAllocation", "NodeResourcesBalancedAllocation"},
    {"SelectorSpreadPriority", "SelectorSpread"},
    {"ServiceSpreadingPriority", "SelectorSpread"},
    {"NodePreferAvoidPodsPriority", "NodePreferAvoidPods"},
    {"NodeAffinityPriority", "NodeAffinity"},
    {"TaintTolerationPriority", "TaintToleration"},
    {"ImageLocalityPriority", "ImageLocality"},
    {"InterPodAffinityPriority", "InterPodAffinity"},
    {"EvenPodsSpreadPriority", "PodTopologySpread"},
};

class PolicyReader {
 public:
  PolicyReader(const YamlFields& yaml, int minor, PluginNames* names, FoundInFile* found)
      : yaml_(yaml), minor_(minor), names_(names), found_(found) {}

  Policy Read(const YAML::Node& map) {
    yaml_.ReadFields(
        map, "Policy",
        {{"apiVersion", YamlFields::Ignore},
         {"kind", YamlFields::Ignore},
         {"metadata", YamlFields::Ignore},
         {"alwaysCheckAllPredicates", YamlFields::Ignore},
         {"hardPodAffinitySymmetricWeight",
          [&](const auto& n) { policy_.args.hard_pod_affinity_weight = yaml_.Integer(n, 0, 100); }},
         {"predicates", [&](const auto& n) { ReadPredicates(n); }},
         {"priorities", [&](const auto& n) { ReadPriorities(n); }},
         {"extenders", [&](const auto& n) { ReadExtenders(yaml_, n, policy_.extenders); }}});
    return std::move(policy_);
  }

 private:
  /// One entry of either list, with its name and weight.
  template <typename Add>
  void ReadEntries(const YAML::Node& list, const char* what, const Add& add) {
    yaml_.ReadList(list, what, [&](const auto& item) {
      std::string name;
      std::int64_t weight = 1;
      YAML::Node argument;
      yaml_.ReadFields(item, what,
                       {{"name", [&](const auto& n) { name = yaml_.Text(n); }},
                        {"weight", [&](const auto& n) { weight = yaml_.Integer(n, 0, 1'000'000); }},
                        {"argument", [&](const auto& n) { argument = n; }}});
      if (!argument.IsNull()) {
        ReadArgued(item, name, weight, argument);
      } else if (!add(name, weight)) {
        LeaveOut(item, name, RemarkKind::kNoPlugin);
      }
    });
  }

  /// The name of an entry with an argument is free: the argument says which plugin it is.
  void ReadArgued(const YAML::Node& item, const std::string& name, std::int64_t weight,
                  const YAML::Node& argument) {
    const auto stands_for = [&](const char* plugin, std::initializer_list<ExtensionPoint> points) {
      return [this, &item, &name, weight, plugin, points = std::vector(points)](const YAML::Node&) {
        if (names_ == nullptr || !IsUnplayed(plugin, minor_)) {
          return LeaveOut(item, name, RemarkKind::kNoPlugin);
        }
        names_->Check(yaml_, item, plugin, ~0U, minor_);
        for (const ExtensionPoint point : points) Enable(point, plugin, weight);
      };
    };
    yaml_.ReadFields(argument, "an argument",
                     {{"serviceAffinity", stands_for("ServiceAffinity", {kPreFilter, kFilter})},
                      {"serviceAntiAffinity", stands_for("ServiceAffinity", {kScore})},
                      {"labelsPresence", stands_for("NodeLabel", {kFilter})},
                      {"labelPreference", stands_for("NodeLabel", {kScore})},
                      {"requestedToCapacityRatioArguments", [&](const YAML::Node& n) {
                         constexpr char kRatio[] = "RequestedToCapacityRatio";
                         if (PointsOf(kRatio, minor_) == 0) {
                           return LeaveOut(item, name, RemarkKind::kNoPlugin);
                         }
                         ReadPluginArgs(yaml_, ApiVersion::kV1Beta1, kRatio, item, n, policy_.args);
                         Enable(kScore, kRatio, weight);
                       }}});
  }

  void LeaveOut(const YAML::Node& item, const std::string& name, RemarkKind why) {
    found_->remarks.push_back({why, yaml_.PlaceOf(item), name});
  }

  void ReadPredicates(const YAML::Node& list) {
    if (list.IsNull()) return;
    for (const ExtensionPoint point : kFiltering) At(point).disabled = {"*"};
    for (const std::string_view word : kMandatory) AddAll(kPredicates, word, kFiltering, 0);
    ReadEntries(list, "a predicate", [&](const std::string& name, std::int64_t) {
      return AddAll(kPredicates, name, kFiltering, 0);
    });
  }

  void ReadPriorities(const YAML::Node& list) {
    if (list.IsNull()) return;
    for (const ExtensionPoint point : kScoring) At(point).disabled = {"*"};
    ReadEntries(list, "a priority", [&](const std::string& name, std::int64_t weight) {
      return name == "EqualPriority" || AddAll(kPriorities, name, kScoring, weight);
    });
  }

  template <std::size_t kRows>
  bool AddAll(const Row (&rows)[kRows], std::string_view word,
              const std::array<ExtensionPoint, 2>& points, std::int64_t weight) {
    bool any = false;
    for (const Row& row : rows) {
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
    const bool known = std::any_of(enabled.begin(), enabled.end(),
                                   [&](const PluginRef& other) { return other.name == plugin; });
    if (!known) enabled.push_back({plugin, weight});
  }

  PluginSet& At(ExtensionPoint point) { return policy_.plugins.points[kube::IndexOf(point)]; }

  const YamlFields& yaml_;
  int minor_;
  PluginNames* names_;
  FoundInFile* found_;
  Policy policy_;
};

}  // namespace

Policy ReadPolicy(const YamlFields& yaml, const YAML::Node& map, int minor, PluginNames* names,
                  FoundInFile* found) {
  return PolicyReader(yaml, minor, names, found).Read(map);
}

}  // namespace schedlens::sim::core
