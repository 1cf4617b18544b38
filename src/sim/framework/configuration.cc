#include "sim/framework/configuration.h"

#include <algorithm>

#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {

std::optional<Release> ReleaseOfApiVersion(std::string_view api_version) {
  if (api_version == "v1beta1") return Release{20};
  if (api_version == "v1beta2") return Release{23};
  if (api_version == "v1beta3" || api_version == "v1") return Release{26};
  return std::nullopt;
}

Configuration DefaultConfiguration(const Release& release) {
  Configuration out;
  out.release = release;
  const ApiVersion version = release.minor <= 21   ? ApiVersion::kV1Beta1
                             : release.minor == 22 ? ApiVersion::kV1Beta2
                             : release.minor <= 24 ? ApiVersion::kV1Beta3
                                                   : ApiVersion::kV1;
  constexpr std::string_view kTexts[] = {"v1beta1", "v1beta2", "v1beta3", "v1"};
  out.api_version = kTexts[static_cast<std::size_t>(version)];
  Profile& profile = out.profiles.emplace_back();
  profile.plugins = MergePlugins(DefaultPluginsOf(version, release.minor), {}, release.minor, {});
  return out;
}

std::int32_t NumFeasibleNodesToFind(std::int32_t percentage, std::int32_t nodes) {
  constexpr std::int32_t kLeast = 100;
  if (nodes < kLeast || percentage >= 100) return nodes;
  const std::int64_t share =
      percentage > 0 ? percentage : std::max<std::int64_t>(50 - nodes / 125, 5);
  return static_cast<std::int32_t>(std::max<std::int64_t>(nodes * share / 100, kLeast));
}

}  // namespace schedlens::sim::core
