#include "scheduler/framework/configuration.h"

#include <algorithm>

#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {

const ApiRow* FindApi(std::string_view name) {
  constexpr int kStill = 999;
  static constexpr ApiRow kApis[] = {
      {"Policy", ApiVersion::kV1Beta1, 0, 22, 20},    {"v1alpha1", ApiVersion::kV1Beta1, 0, 18, 18},
      {"v1alpha2", ApiVersion::kV1Beta1, 18, 19, 19}, {"v1beta1", ApiVersion::kV1Beta1, 19, 22, 20},
      {"v1beta2", ApiVersion::kV1Beta2, 22, 27, 23},  {"v1beta3", ApiVersion::kV1Beta3, 23, 28, 26},
      {"v1", ApiVersion::kV1, 25, kStill, 26},
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
  profile.plugins = MergePlugins(DefaultPluginsOf(FindApi(out.api_version)->version, release.minor),
                                 {}, release.minor, {});
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
