#include "sim/framework/plugin_table.h"

#include <algorithm>
#include <set>

namespace schedlens::sim::core {
namespace {

using enum kube::ExtensionPoint;
constexpr int kEver = 999;

// A plugin's hook at one point, in the releases that have it there.
struct Hook {
  std::string_view plugin;
  ExtensionPoint point;
  int first_minor, last_minor;
};

constexpr Hook kHooks[] = {
    {"PrioritySort", kQueueSort, 0, kEver},
    {"SchedulingGates", kPreEnqueue, 26, kEver},
    {"NodeUnschedulable", kFilter, 0, kEver},
    {"NodeName", kFilter, 0, kEver},
    {"TaintToleration", kFilter, 0, kEver},
    {"TaintToleration", kPreScore, 0, kEver},
    {"TaintToleration", kScore, 0, kEver},
    {"NodeAffinity", kPreFilter, 22, kEver},
    {"NodeAffinity", kFilter, 0, kEver},
    {"NodeAffinity", kPreScore, 22, kEver},
    {"NodeAffinity", kScore, 0, kEver},
    {"NodePorts", kPreFilter, 0, kEver},
    {"NodePorts", kFilter, 0, kEver},
    {"NodeResourcesFit", kPreFilter, 0, kEver},
    {"NodeResourcesFit", kFilter, 0, kEver},
    {"NodeResourcesFit", kPreScore, 27, kEver},
    {"NodeResourcesFit", kScore, 22, kEver},
    {"NodeResourcesLeastAllocated", kScore, 0, 22},
    {"NodeResourcesMostAllocated", kScore, 0, 22},
    {"RequestedToCapacityRatio", kScore, 0, 22},
    {"NodePreferAvoidPods", kScore, 0, 23},
    {"SelectorSpread", kPreScore, 0, 25},
    {"SelectorSpread", kScore, 0, 25},
    {"VolumeRestrictions", kPreFilter, 22, kEver},
    {"VolumeRestrictions", kFilter, 0, kEver},
    {"EBSLimits", kFilter, 0, 30},
    {"GCEPDLimits", kFilter, 0, 30},
    {"AzureDiskLimits", kFilter, 0, 30},
    {"CinderLimits", kFilter, 0, 30},
    {"NodeVolumeLimits", kPreFilter, 28, kEver},
    {"NodeVolumeLimits", kFilter, 0, kEver},
    {"VolumeBinding", kPreFilter, 0, kEver},
    {"VolumeBinding", kFilter, 0, kEver},
    {"VolumeBinding", kPreScore, 33, kEver},
    {"VolumeBinding", kScore, 21, kEver},
    {"VolumeBinding", kReserve, 0, kEver},
    {"VolumeBinding", kPreBind, 0, kEver},
    {"VolumeZone", kPreFilter, 27, kEver},
    {"VolumeZone", kFilter, 0, kEver},
    {"PodTopologySpread", kPreFilter, 0, kEver},
    {"PodTopologySpread", kFilter, 0, kEver},
    {"PodTopologySpread", kPreScore, 0, kEver},
    {"PodTopologySpread", kScore, 0, kEver},
    {"InterPodAffinity", kPreFilter, 0, kEver},
    {"InterPodAffinity", kFilter, 0, kEver},
    {"InterPodAffinity", kPreScore, 0, kEver},
    {"InterPodAffinity", kScore, 0, kEver},
    {"DynamicResources", kPreFilter, 34, kEver},
    {"DynamicResources", kFilter, 34, kEver},
    {"DynamicResources", kPostFilter, 34, kEver},
    {"DynamicResources", kScore, 36, kEver},
    {"DynamicResources", kReserve, 34, kEver},
    {"DynamicResources", kPreBind, 34, kEver},
    {"DefaultPreemption", kPostFilter, 0, kEver},
    {"NodeResourcesBalancedAllocation", kPreScore, 27, kEver},
    {"NodeResourcesBalancedAllocation", kScore, 0, kEver},
    {"ImageLocality", kScore, 0, kEver},
    {"DefaultBinder", kBind, 0, kEver},
};

struct PointList {
  ExtensionPoint point;
  std::vector<PluginRef> plugins;
};

std::vector<PluginRef> Names(std::initializer_list<const char*> names) {
  std::vector<PluginRef> out;
  for (const char* name : names) out.push_back({name, 0});
  return out;
}

// Of v1beta1 and v1beta2.
DefaultPlugins ByPoint(bool beta2) {
  DefaultPlugins out;
  const auto at = [&](ExtensionPoint point) -> std::vector<PluginRef>& {
    return out.points[static_cast<std::size_t>(point)];
  };
  at(kQueueSort) = Names({"PrioritySort"});
  at(kPreFilter) =
      beta2 ? Names({"NodeResourcesFit", "NodePorts", "VolumeRestrictions", "PodTopologySpread",
                     "InterPodAffinity", "VolumeBinding", "NodeAffinity"})
            : Names({"NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity",
                     "VolumeBinding"});
  at(kFilter) = Names({"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
                       "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "EBSLimits",
                       "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits", "VolumeBinding",
                       "VolumeZone", "PodTopologySpread", "InterPodAffinity"});
  at(kPostFilter) = Names({"DefaultPreemption"});
  at(kPreScore) = Names({"InterPodAffinity", "PodTopologySpread", "TaintToleration"});
  if (beta2) at(kPreScore).push_back({"NodeAffinity", 0});
  if (beta2) {
    at(kScore) = {{"NodeResourcesBalancedAllocation", 1},
                  {"ImageLocality", 1},
                  {"InterPodAffinity", 1},
                  {"NodeResourcesFit", 1},
                  {"NodeAffinity", 1},
                  {"PodTopologySpread", 2},
                  {"TaintToleration", 1}};
  } else {
    at(kScore) = {{"NodeResourcesBalancedAllocation", 1},
                  {"ImageLocality", 1},
                  {"InterPodAffinity", 1},
                  {"NodeResourcesLeastAllocated", 1},
                  {"NodeAffinity", 1},
                  {"NodePreferAvoidPods", 10000},
                  {"PodTopologySpread", 2},
                  {"TaintToleration", 1}};
  }
  at(kReserve) = Names({"VolumeBinding"});
  at(kPreBind) = Names({"VolumeBinding"});
  at(kBind) = Names({"DefaultBinder"});
  return out;
}

DefaultPlugins ByMultiPoint(int minor) {
  DefaultPlugins out;
  auto& list = out.multi_point;
  if (minor >= 30) list = Names({"SchedulingGates"});
  const std::vector<PluginRef> common = {{"PrioritySort", 0},
                                         {"NodeUnschedulable", 0},
                                         {"NodeName", 0},
                                         {"TaintToleration", 3},
                                         {"NodeAffinity", 2},
                                         {"NodePorts", 0},
                                         {"NodeResourcesFit", 1},
                                         {"VolumeRestrictions", 0},
                                         {"EBSLimits", 0},
                                         {"GCEPDLimits", 0},
                                         {"NodeVolumeLimits", 0},
                                         {"AzureDiskLimits", 0},
                                         {"VolumeBinding", 0},
                                         {"VolumeZone", 0},
                                         {"PodTopologySpread", 2},
                                         {"InterPodAffinity", 2},
                                         {"DynamicResources", minor >= 36 ? 2 : 0},
                                         {"DefaultPreemption", 0},
                                         {"NodeResourcesBalancedAllocation", 1},
                                         {"ImageLocality", 1},
                                         {"DefaultBinder", 0}};
  for (const PluginRef& plugin : common) {
    if (PointsOf(plugin.name, minor) != 0) list.push_back(plugin);
  }
  if (minor >= 27 && minor < 30) list.push_back({"SchedulingGates", 0});
  return out;
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Defaults that are not disabled, then the file's. From 1.22 a default that the file enables again
// keeps its place with the file's weight.
std::vector<PluginRef> MergeSet(const std::vector<PluginRef>& defaults, const PluginSet& file,
                                int minor) {
  std::vector<PluginRef> out;
  std::set<std::string> replaced;
  for (const PluginRef& plugin : defaults) {
    if (Has(file.disabled, "*") || Has(file.disabled, plugin.name)) continue;
    const auto again = std::find_if(file.enabled.begin(), file.enabled.end(),
                                    [&](const PluginRef& e) { return e.name == plugin.name; });
    if (minor >= 22 && again != file.enabled.end()) {
      out.push_back(*again);
      replaced.insert(again->name);
    } else {
      out.push_back(plugin);
    }
  }
  for (const PluginRef& plugin : file.enabled) {
    if (replaced.count(plugin.name) == 0) out.push_back(plugin);
  }
  return out;
}

// One point of a MultiPoint configuration: first the plugins named at the point that MultiPoint has
// too, then the rest of MultiPoint, then the point's others. A disabled one counts as an other.
std::vector<PluginRef> Expand(const std::vector<PluginRef>& at_point, const PluginSet& file,
                              const std::vector<PluginRef>& multi_point, ExtensionPoint point,
                              int minor, const std::vector<std::string>& own) {
  if (Has(file.disabled, "*")) return at_point;
  std::set<std::string> overriding;
  std::vector<PluginRef> from_multi;
  for (const PluginRef& plugin : multi_point) {
    const bool hooks = Has(own, plugin.name) || (PointsOf(plugin.name, minor) & Bit(point)) != 0;
    if (!hooks || Has(file.disabled, plugin.name)) continue;
    const bool named = std::any_of(at_point.begin(), at_point.end(),
                                   [&](const PluginRef& p) { return p.name == plugin.name; });
    if (named) {
      overriding.insert(plugin.name);
    } else {
      from_multi.push_back(plugin);
    }
  }
  std::vector<PluginRef> out;
  for (const PluginRef& plugin : at_point) {
    if (overriding.count(plugin.name) > 0) out.push_back(plugin);
  }
  out.insert(out.end(), from_multi.begin(), from_multi.end());
  for (const PluginRef& plugin : at_point) {
    if (overriding.count(plugin.name) == 0) out.push_back(plugin);
  }
  return out;
}

}  // namespace

const std::vector<InTreePlugin>& InTreePlugins() {
  static const std::vector<InTreePlugin> kPlugins = [] {
    std::vector<InTreePlugin> out;
    for (const Hook& hook : kHooks) {
      const auto known = std::find_if(out.begin(), out.end(),
                                      [&](const InTreePlugin& p) { return p.name == hook.plugin; });
      if (known == out.end()) {
        out.push_back({hook.plugin, hook.first_minor, hook.last_minor});
      } else {
        known->first_minor = std::min(known->first_minor, hook.first_minor);
        known->last_minor = std::max(known->last_minor, hook.last_minor);
      }
    }
    return out;
  }();
  return kPlugins;
}

Points PointsOf(std::string_view plugin, int minor) {
  Points out = 0;
  for (const Hook& hook : kHooks) {
    if (hook.plugin == plugin && minor >= hook.first_minor && minor <= hook.last_minor) {
      out |= Bit(hook.point);
    }
  }
  return out;
}

std::optional<ApiVersion> ApiVersionOf(std::string_view name) {
  if (name == "v1alpha1" || name == "v1alpha2" || name == "v1beta1") return ApiVersion::kV1Beta1;
  if (name == "v1beta2") return ApiVersion::kV1Beta2;
  if (name == "v1beta3") return ApiVersion::kV1Beta3;
  if (name == "v1") return ApiVersion::kV1;
  return std::nullopt;
}

DefaultPlugins DefaultPluginsOf(ApiVersion version, int minor) {
  if (version >= ApiVersion::kV1Beta3) return ByMultiPoint(minor);
  return ByPoint(version == ApiVersion::kV1Beta2);
}

std::array<std::vector<PluginRef>, kExtensionPoints> MergePlugins(
    const DefaultPlugins& defaults, const PluginSets& file, int minor,
    const std::vector<std::string>& own_plugins) {
  const std::vector<PluginRef> multi_point =
      MergeSet(defaults.multi_point, file.multi_point, minor);
  std::array<std::vector<PluginRef>, kExtensionPoints> out;
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    const std::size_t i = kube::IndexOf(point);
    out[i] = MergeSet(defaults.points[i], file.points[i], minor);
    out[i] = Expand(out[i], file.points[i], multi_point, point, minor, own_plugins);
    for (PluginRef& plugin : out[i]) {
      plugin.weight = point == kScore ? std::max<std::int64_t>(plugin.weight, 1) : 0;
    }
  }
  return out;
}

}  // namespace schedlens::sim::core
