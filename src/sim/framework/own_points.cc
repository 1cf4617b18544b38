#include "sim/framework/own_points.h"

namespace schedlens::sim::core {

std::optional<PluginPoint> PluginPointOf(kube::ExtensionPoint point) {
  using enum kube::ExtensionPoint;
  constexpr std::pair<kube::ExtensionPoint, PluginPoint> kPoints[] = {
      {kPreEnqueue, PluginPoint::kPreEnqueue},
      {kPreFilter, PluginPoint::kPreFilter},
      {kFilter, PluginPoint::kFilter},
      {kPostFilter, PluginPoint::kPostFilter},
      {kPreScore, PluginPoint::kPreScore},
      {kScore, PluginPoint::kScore},
      {kScoreNormalize, PluginPoint::kNormalizeScore},
      {kReserve, PluginPoint::kReserve},
      {kPermit, PluginPoint::kPermit},
      {kPreBind, PluginPoint::kPreBind},
      {kBind, PluginPoint::kBind},
      {kPostBind, PluginPoint::kPostBind},
      {kUnreserve, PluginPoint::kUnreserve}};
  for (const auto& [known, own] : kPoints) {
    if (known == point) return own;
  }
  return std::nullopt;
}

std::optional<PluginEvent> PluginEventOf(kube::PodEvent event) {
  switch (event) {
    case kube::PodEvent::kNodeAdd:
      return PluginEvent::kNodeAdd;
    case kube::PodEvent::kAssignedPodAdd:
      return PluginEvent::kAssignedPodAdd;
    case kube::PodEvent::kAssignedPodDelete:
      return PluginEvent::kAssignedPodDelete;
    case kube::PodEvent::kClaimAdd:
      return PluginEvent::kPersistentVolumeClaimAdd;
    case kube::PodEvent::kNodeDelete:
      return PluginEvent::kNodeDelete;
    default:
      return std::nullopt;
  }
}

}  // namespace schedlens::sim::core
