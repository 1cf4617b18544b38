#include "sim/framework/configuration.h"

#include <algorithm>

#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {

std::optional<Release> ReleaseOfApiVersion(std::string_view api_version) {
  if (api_version == "v1alpha1") return Release{18};
  if (api_version == "v1alpha2") return Release{19};
  if (api_version == "v1beta1" || api_version == "Policy") return Release{20};
  if (api_version == "v1beta2") return Release{23};
  if (api_version == "v1beta3" || api_version == "v1") return Release{26};
  return std::nullopt;
}

std::optional<ReleasesOfApi> ReleasesThatRead(std::string_view api_version) {
  constexpr int kStill = 999;
  if (api_version == "Policy") return ReleasesOfApi{0, 22};
  if (api_version == "v1alpha1") return ReleasesOfApi{0, 18};
  if (api_version == "v1alpha2") return ReleasesOfApi{18, 19};
  if (api_version == "v1beta1") return ReleasesOfApi{19, 22};
  if (api_version == "v1beta2") return ReleasesOfApi{22, 27};
  if (api_version == "v1beta3") return ReleasesOfApi{23, 28};
  if (api_version == "v1") return ReleasesOfApi{25, kStill};
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
