#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_TABLE_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_TABLE_H_

// Which in-tree plugins there are, where each hooks in, and which run by default, by release.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/framework/configuration.h"

namespace schedlens::sim::core {

/// A set of extension points, bit n for the point of that value.
using Points = unsigned;
constexpr Points Bit(ExtensionPoint point) { return 1U << static_cast<unsigned>(point); }

struct InTreePlugin {
  std::string_view name;
  int first_minor, last_minor;  ///< releases that register it
};
/// Every plugin of the reference scheduler, of all releases.
const std::vector<InTreePlugin>& InTreePlugins();

/// Where `plugin` hooks in at that release; 0 if it is not registered there.
Points PointsOf(std::string_view plugin, int minor);

/// The configuration's API versions, oldest first.
enum class ApiVersion : std::uint8_t { kV1Beta1, kV1Beta2, kV1Beta3, kV1 };

/// Of the word after the group (`v1beta2`); the alphas are read as v1beta1. Nothing for others.
std::optional<ApiVersion> ApiVersionOf(std::string_view name);

/// Default plugins: until v1beta2 a list for each extension point, from v1beta3 one MultiPoint
/// list.
struct DefaultPlugins {
  std::array<std::vector<PluginRef>, kExtensionPoints> points;
  std::vector<PluginRef> multi_point;
};
DefaultPlugins DefaultPluginsOf(ApiVersion version, int minor);

/// One extension point's part of a profile as the file has it.
struct PluginSet {
  std::vector<PluginRef> enabled;
  std::vector<std::string> disabled;  ///< `*` for all
};
struct PluginSets {
  std::array<PluginSet, kExtensionPoints> points;
  PluginSet multi_point;
};

/// The plugins of each extension point in order of execution, after defaults and the file are
/// merged as that API version merges them. `points_of` says where a plugin hooks in.
std::array<std::vector<PluginRef>, kExtensionPoints> MergePlugins(
    const DefaultPlugins& defaults, const PluginSets& file, int minor,
    const std::vector<std::string>& own_plugins);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_TABLE_H_
