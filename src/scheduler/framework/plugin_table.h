#pragma once

// Which in-tree plugins there are, where each hooks in, which run by default, in which order, and
// what share of a point's time each has, by release.

#include "scheduler/framework/configuration.h"

namespace schedlens::sim {

using kube::ExtensionPoint;

/// What a pod uses; plugins that have nothing to do for a pod skip (from 1.27).
enum Feature : unsigned {
  kFeatureNone = 0,
  kFeatureAffinity = 1,  ///< node affinity or selector
  kFeaturePorts = 2,
  kFeatureVolumes = 4,
  kFeatureSpread = 8,
  kFeatureInterPod = 16,
  kFeatureGang = 32,
};

struct PluginCall {
  std::string_view plugin;
  double weight;   ///< its share of the point's worker time, relative to the others
  unsigned needs;  ///< features without which the plugin skips; 0: always runs
  bool skips;      ///< whether this release lets it skip
};

/// How many nodes one Filter plugin rejected, by its status.
struct PluginRejections {
  std::string_view plugin;
  int unschedulable = 0;
  int unresolvable = 0;  ///< UnschedulableAndUnresolvable
};

/// The calls of one point in order for the default plugins of a release: for plugin metrics where
/// an attempt's placement is simplified; the full algorithm knows its plugins itself.
std::vector<PluginCall> PluginsAt(const Release& release, ExtensionPoint point);

namespace core {

/// A set of extension points, bit n for the point of that value.
using Points = unsigned;
constexpr Points Bit(ExtensionPoint point) { return 1U << static_cast<unsigned>(point); }

/// Every plugin of the reference scheduler, of all releases.
std::vector<std::string_view> InTreePlugins();
/// Whether nothing here plays a plugin that real schedulers have in-tree: at that release or,
/// without one, at any.
bool IsUnplayed(std::string_view plugin, std::optional<int> minor = std::nullopt);

/// Where `plugin` hooks in at that release; 0 if it is not registered there.
Points PointsOf(std::string_view plugin, int minor);

/// The configuration's API versions, oldest first.
enum class ApiVersion : std::uint8_t { kV1Beta1, kV1Beta2, kV1Beta3, kV1 };

/// An API version by the word after the group (`v1beta2`); the alphas and a `Policy` are read as
/// v1beta1.
struct ApiRow {
  std::string_view name;
  ApiVersion version;
  int first_minor, last_minor;  ///< the releases that read it
  int usual_minor;              ///< what goes with it if nothing else is known
};
/// Null for another word.
const ApiRow* FindApi(std::string_view name);

using PluginsByPoint = std::array<std::vector<PluginRef>, kExtensionPoints>;

/// One extension point's part of a profile as the file has it.
struct PluginSet {
  std::vector<PluginRef> enabled;
  std::vector<std::string> disabled;  ///< `*` for all
};
struct PluginSets {
  std::array<PluginSet, kExtensionPoints> points;
  PluginSet multi_point;
};

/// The plugins of each extension point in order of execution: the release's defaults and the file,
/// merged as that API version merges them. `own_plugins` hook in everywhere.
PluginsByPoint MergePlugins(ApiVersion version, const PluginSets& file, int minor,
                            const std::vector<std::string>& own_plugins);

}  // namespace core
}  // namespace schedlens::sim
