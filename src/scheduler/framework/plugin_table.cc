#include "scheduler/framework/plugin_table.h"

#include <sstream>

#include "kube/metrics.h"

namespace schedlens::sim {
namespace {

using enum kube::ExtensionPoint;

struct PointRow {
  ExtensionPoint point;
  std::string_view plugin;
  int first, last;
  double weight;  // microseconds a call on a plain pod, as seen on 1.20 and 1.26
  unsigned needs;
  int skips_from;  // minor release from which it may answer Skip; 0: never
};

using kube::kNoEnd;

// The tables are the lines of plugins.txt.
constexpr PointRow kPointRows[] = {
#include "scheduler/framework/call.inc"
};

}  // namespace

std::vector<PluginCall> PluginsAt(const Release& release, ExtensionPoint point) {
  std::vector<PluginCall> out;
  for (const PointRow& row : kPointRows) {
    if (row.point != point || release.minor < row.first || release.minor > row.last) continue;
    const bool skips = row.skips_from != 0 && release.minor >= row.skips_from;
    out.push_back({row.plugin, row.weight, row.needs, skips});
  }
  return out;
}

namespace core {
namespace {

// The points at which a plugin hooks in, in some releases.
struct Hooks {
  std::string_view plugin;
  int first_minor, last_minor;
  Points points;
};

constexpr Points Bits(std::initializer_list<ExtensionPoint> points) {
  Points out = 0;
  for (const ExtensionPoint point : points) out |= Bit(point);
  return out;
}

constexpr Hooks kHooks[] = {
#include "scheduler/framework/hook.inc"
};

constexpr Hooks kUnplayed[] = {
#include "scheduler/framework/unplayed.inc"
};

/// Default plugins: until v1beta2 a list for each extension point, from v1beta3 one MultiPoint
/// list. A weight of 0 is the least that counts.
struct DefaultPlugins {
  PluginsByPoint points;
  std::vector<PluginRef> multi_point;
};

// Of names with a blank between them.
std::vector<PluginRef> Names(const std::string& words) {
  std::vector<PluginRef> out;
  std::istringstream in(words);
  for (std::string name; in >> name;) out.push_back({name, 0});
  return out;
}

// Enabled by default from one release to another.
struct DefaultRow {
  std::string_view name;
  int first, last;
  bool In(int minor) const { return minor >= first && minor <= last; }
};
constexpr DefaultRow kDefaults[] = {
#include "scheduler/framework/default.inc"
};

// Of v1beta1 and v1beta2, whatever the release.
DefaultPlugins ByPoint(bool beta2) {
  constexpr int kMinor = 22;  // the last that reads v1beta1, the first that reads v1beta2
  DefaultPlugins out;
  const auto at = [&](ExtensionPoint point) -> std::vector<PluginRef>& {
    return out.points[kube::IndexOf(point)];
  };
  for (const ExtensionPoint point : {kQueueSort, kFilter, kPostFilter, kReserve, kPreBind, kBind}) {
    for (const DefaultRow& row : kDefaults) {
      const bool runs = row.In(kMinor) && (PointsOf(row.name, kMinor) & Bit(point)) != 0;
      if (runs) at(point).push_back({std::string(row.name), 0});
    }
  }
  at(kPreFilter) = Names(beta2 ? "NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread "
                                 "InterPodAffinity VolumeBinding NodeAffinity"
                               : "NodeResourcesFit NodePorts PodTopologySpread InterPodAffinity "
                                 "VolumeBinding");
  at(kPreScore) = Names("InterPodAffinity PodTopologySpread TaintToleration");
  if (beta2) at(kPreScore).push_back({"NodeAffinity", 0});
  at(kScore) = Names("NodeResourcesBalancedAllocation ImageLocality InterPodAffinity");
  at(kScore).push_back({beta2 ? "NodeResourcesFit" : "NodeResourcesLeastAllocated", 0});
  at(kScore).push_back({"NodeAffinity", 0});
  if (!beta2) at(kScore).push_back({"NodePreferAvoidPods", 10000});
  at(kScore).push_back({"PodTopologySpread", 2});
  at(kScore).push_back({"TaintToleration", 0});
  return out;
}

DefaultPlugins ByMultiPoint(int minor) {
  DefaultPlugins out;
  auto& list = out.multi_point;
  if (minor >= 30) list = Names("SchedulingGates");
  for (const DefaultRow& row : kDefaults) {
    const std::string_view name = row.name;
    if (!row.In(minor) || PointsOf(name, minor) == 0) continue;
    const bool twice = name == "NodeAffinity" || name == "PodTopologySpread" ||
                       name == "InterPodAffinity" || name == "DynamicResources";
    list.push_back({std::string(name), name == "TaintToleration" ? 3 : twice ? 2 : 0});
  }
  if (minor >= 27 && minor < 30) list.push_back({"SchedulingGates", 0});
  return out;
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool Has(const std::vector<PluginRef>& plugins, const PluginRef& plugin) {
  return std::ranges::find(plugins, plugin.name, &PluginRef::name) != plugins.end();
}

// Defaults that are not disabled, then the file's. From 1.22 a default that the file enables again
// keeps its place with the file's weight.
std::vector<PluginRef> MergeSet(const std::vector<PluginRef>& defaults, const PluginSet& file,
                                int minor) {
  std::vector<PluginRef> out, more = file.enabled;
  for (const PluginRef& plugin : defaults) {
    if (Has(file.disabled, "*") || Has(file.disabled, plugin.name)) continue;
    const auto again = std::ranges::find(more, plugin.name, &PluginRef::name);
    if (minor < 22 || again == more.end()) {
      out.push_back(plugin);
    } else {
      out.push_back(*again);
      std::erase_if(more, [&](const PluginRef& other) { return other.name == plugin.name; });
    }
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// One point of a MultiPoint configuration: first the plugins named at the point that MultiPoint has
// too, then the rest of MultiPoint, then the point's others. A disabled one counts as an other.
std::vector<PluginRef> Expand(std::vector<PluginRef> at_point, const PluginSet& file,
                              std::vector<PluginRef> multi_point, ExtensionPoint point, int minor,
                              const std::vector<std::string>& own) {
  if (Has(file.disabled, "*")) return at_point;
  std::erase_if(multi_point, [&](const PluginRef& plugin) {
    const bool hooks = Has(own, plugin.name) || (PointsOf(plugin.name, minor) & Bit(point)) != 0;
    return !hooks || Has(file.disabled, plugin.name);
  });
  const auto others =
      std::stable_partition(at_point.begin(), at_point.end(),
                            [&](const PluginRef& plugin) { return Has(multi_point, plugin); });
  std::erase_if(multi_point, [&](const PluginRef& plugin) { return Has(at_point, plugin); });
  at_point.insert(others, multi_point.begin(), multi_point.end());
  return at_point;
}

}  // namespace

std::vector<std::string_view> InTreePlugins() {
  std::vector<std::string_view> out;
  for (const Hooks& hooks : kHooks) {
    if (out.empty() || out.back() != hooks.plugin) out.push_back(hooks.plugin);
  }
  return out;
}

bool IsInTree(const std::string& plugin) {
  return std::ranges::find(kHooks, plugin, &Hooks::plugin) != std::end(kHooks);
}

bool IsUnplayed(std::string_view plugin, std::optional<int> minor) {
  const auto* known = std::ranges::find(kUnplayed, plugin, &Hooks::plugin);
  return known != std::end(kUnplayed) &&
         (!minor || (*minor >= known->first_minor && *minor <= known->last_minor));
}

Points PointsOf(std::string_view plugin, int minor) {
  Points out = 0;
  for (const Hooks& hooks : kHooks) {
    const bool has = minor >= hooks.first_minor && minor <= hooks.last_minor;
    if (has && hooks.plugin == plugin) out |= hooks.points;
  }
  return out;
}

PluginsByPoint MergePlugins(ApiVersion version, const PluginSets& file, int minor,
                            const std::vector<std::string>& own_plugins) {
  const DefaultPlugins defaults = version >= ApiVersion::kV1Beta3
                                      ? ByMultiPoint(minor)
                                      : ByPoint(version == ApiVersion::kV1Beta2);
  const std::vector<PluginRef> multi_point =
      MergeSet(defaults.multi_point, file.multi_point, minor);
  PluginsByPoint out;
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

const ApiRow* FindApi(std::string_view name) {
  static constexpr ApiRow kApis[] = {
      {"Policy", ApiVersion::kV1Beta1, 0, 22, 20},    {"v1alpha1", ApiVersion::kV1Beta1, 0, 18, 18},
      {"v1alpha2", ApiVersion::kV1Beta1, 18, 19, 19}, {"v1beta1", ApiVersion::kV1Beta1, 19, 22, 20},
      {"v1beta2", ApiVersion::kV1Beta2, 22, 27, 23},  {"v1beta3", ApiVersion::kV1Beta3, 23, 28, 26},
      {"v1", ApiVersion::kV1, 25, kNoEnd, 26},
  };
  const auto* row = std::ranges::find(kApis, name, &ApiRow::name);
  return row == std::end(kApis) ? nullptr : row;
}

Configuration DefaultConfiguration(const Release& release) {
  Configuration out;
  out.release = release;
  out.api_version = release.minor <= 21   ? "v1beta1"
                    : release.minor == 22 ? "v1beta2"
                    : release.minor <= 24 ? "v1beta3"
                                          : "v1";
  Profile& profile = out.profiles.emplace_back();
  profile.plugins = MergePlugins(FindApi(out.api_version)->version, {}, release.minor, {});
  return out;
}

std::int32_t NumFeasibleNodesToFind(std::int32_t percentage, std::int32_t nodes) {
  constexpr std::int32_t kLeast = 100;
  if (nodes < kLeast || percentage >= 100) return nodes;
  const std::int64_t share =
      percentage > 0 ? percentage : std::max<std::int64_t>(50 - nodes / 125, 5);
  return static_cast<std::int32_t>(std::max<std::int64_t>(nodes * share / 100, kLeast));
}

}  // namespace core
}  // namespace schedlens::sim
