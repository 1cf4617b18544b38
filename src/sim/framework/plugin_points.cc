#include "sim/framework/plugin_points.h"

namespace schedlens::sim {
namespace {

struct Row {
  Point point;
  std::string_view plugin;
  int first;
  int last;
  double weight;  // microseconds a call on a plain pod, as seen on 1.20 and 1.26
  unsigned needs;
  int skips_from;  // minor release from which it may answer Skip; 0: never
};

constexpr int kNoEnd = 99;

// Order inside a point is the default order of that release.
constexpr Row kRows[] = {
    {Point::kPreEnqueue, "SchedulingGates", 27, kNoEnd, 0.3, 0, 0},

    {Point::kPreFilter, "NodeAffinity", 24, kNoEnd, 3.4, kFeatureAffinity, 27},
    {Point::kPreFilter, "NodePorts", 24, kNoEnd, 1.4, kFeaturePorts, 27},
    {Point::kPreFilter, "NodeResourcesFit", 18, kNoEnd, 3.6, 0, 0},
    {Point::kPreFilter, "NodePorts", 18, 23, 0.7, kFeaturePorts, 0},
    {Point::kPreFilter, "VolumeRestrictions", 22, kNoEnd, 2.0, kFeatureVolumes, 27},
    {Point::kPreFilter, "NodeVolumeLimits", 28, kNoEnd, 0.5, kFeatureVolumes, 28},
    {Point::kPreFilter, "PodTopologySpread", 18, 23, 2.5, kFeatureSpread, 0},
    {Point::kPreFilter, "InterPodAffinity", 18, 23, 4.2, kFeatureInterPod, 0},
    {Point::kPreFilter, "VolumeBinding", 18, kNoEnd, 2.0, kFeatureVolumes, 27},
    {Point::kPreFilter, "VolumeZone", 27, kNoEnd, 0.5, kFeatureVolumes, 27},
    {Point::kPreFilter, "PodTopologySpread", 24, kNoEnd, 3.2, kFeatureSpread, 27},
    {Point::kPreFilter, "InterPodAffinity", 24, kNoEnd, 12.0, kFeatureInterPod, 27},

    {Point::kFilter, "NodeUnschedulable", 18, kNoEnd, 0.30, 0, 0},
    {Point::kFilter, "NodeName", 18, kNoEnd, 0.12, 0, 0},
    {Point::kFilter, "TaintToleration", 18, kNoEnd, 0.40, 0, 0},
    {Point::kFilter, "NodeAffinity", 18, kNoEnd, 0.30, kFeatureAffinity, 27},
    {Point::kFilter, "NodePorts", 18, kNoEnd, 0.30, kFeaturePorts, 27},
    {Point::kFilter, "NodeResourcesFit", 18, kNoEnd, 1.07, 0, 0},
    {Point::kFilter, "VolumeRestrictions", 18, kNoEnd, 0.10, kFeatureVolumes, 27},
    {Point::kFilter, "EBSLimits", 18, 30, 0.10, kFeatureVolumes, 28},
    {Point::kFilter, "GCEPDLimits", 18, 30, 0.10, kFeatureVolumes, 28},
    {Point::kFilter, "NodeVolumeLimits", 18, kNoEnd, 0.10, kFeatureVolumes, 28},
    {Point::kFilter, "AzureDiskLimits", 18, 30, 0.08, kFeatureVolumes, 28},
    {Point::kFilter, "VolumeBinding", 18, kNoEnd, 0.20, kFeatureVolumes, 27},
    {Point::kFilter, "VolumeZone", 18, kNoEnd, 0.10, kFeatureVolumes, 27},
    {Point::kFilter, "PodTopologySpread", 18, kNoEnd, 0.25, kFeatureSpread, 27},
    {Point::kFilter, "InterPodAffinity", 18, kNoEnd, 0.20, kFeatureInterPod, 27},

    {Point::kPostFilter, "DefaultPreemption", 19, kNoEnd, 16, 0, 0},

    {Point::kPreScore, "TaintToleration", 23, kNoEnd, 7.4, 0, 0},
    {Point::kPreScore, "NodeAffinity", 23, kNoEnd, 5.6, kFeatureAffinity, 27},
    {Point::kPreScore, "NodeResourcesFit", 27, kNoEnd, 0.5, 0, 0},
    {Point::kPreScore, "PodTopologySpread", 23, kNoEnd, 27, 0, 0},
    {Point::kPreScore, "InterPodAffinity", 18, kNoEnd, 8, kFeatureInterPod, 27},
    {Point::kPreScore, "NodeResourcesBalancedAllocation", 27, kNoEnd, 0.5, 0, 0},
    {Point::kPreScore, "PodTopologySpread", 18, 22, 40, 0, 0},
    {Point::kPreScore, "TaintToleration", 18, 22, 0.6, 0, 0},

    {Point::kScore, "NodeResourcesBalancedAllocation", 18, 22, 2.4, 0, 0},
    {Point::kScore, "ImageLocality", 18, 22, 0.5, 0, 0},
    {Point::kScore, "InterPodAffinity", 18, 22, 0.2, kFeatureInterPod, 0},
    {Point::kScore, "NodeResourcesLeastAllocated", 18, 21, 1.6, 0, 0},
    {Point::kScore, "NodeResourcesFit", 22, 22, 1.6, 0, 0},
    {Point::kScore, "NodeAffinity", 18, 22, 0.15, kFeatureAffinity, 0},
    {Point::kScore, "NodePreferAvoidPods", 18, 21, 0.25, 0, 0},
    {Point::kScore, "PodTopologySpread", 18, 22, 0.2, 0, 0},
    {Point::kScore, "TaintToleration", 18, kNoEnd, 0.25, 0, 0},
    {Point::kScore, "NodeAffinity", 23, kNoEnd, 0.3, kFeatureAffinity, 27},
    {Point::kScore, "NodeResourcesFit", 23, kNoEnd, 3.0, 0, 0},
    {Point::kScore, "VolumeBinding", 23, kNoEnd, 0.07, kFeatureVolumes, 27},
    {Point::kScore, "PodTopologySpread", 23, kNoEnd, 0.4, 0, 0},
    {Point::kScore, "InterPodAffinity", 23, kNoEnd, 0.7, kFeatureInterPod, 27},
    {Point::kScore, "NodeResourcesBalancedAllocation", 23, kNoEnd, 2.2, 0, 0},
    {Point::kScore, "ImageLocality", 23, kNoEnd, 0.6, 0, 0},

    {Point::kScoreNormalize, "InterPodAffinity", 18, kNoEnd, 1.0, kFeatureInterPod, 27},
    {Point::kScoreNormalize, "NodeAffinity", 18, kNoEnd, 0.5, kFeatureAffinity, 27},
    {Point::kScoreNormalize, "PodTopologySpread", 18, kNoEnd, 1.2, 0, 0},
    {Point::kScoreNormalize, "TaintToleration", 18, kNoEnd, 0.6, 0, 0},

    {Point::kReserve, "VolumeBinding", 18, kNoEnd, 0.6, 0, 0},
    {Point::kUnreserve, "VolumeBinding", 18, kNoEnd, 0.6, 0, 0},
    {Point::kPreBind, "VolumeBinding", 18, kNoEnd, 0.5, 0, 0},
    {Point::kBind, "DefaultBinder", 18, kNoEnd, 1, 0, 0},
};

}  // namespace

std::string_view PointName(Point point) {
  static constexpr std::string_view kNames[] = {"PreEnqueue",
                                                "PreFilter",
                                                "Filter",
                                                "PostFilter",
                                                "PreScore",
                                                "Score",
                                                "ScoreExtensionNormalize",
                                                "Reserve",
                                                "Unreserve",
                                                "Permit",
                                                "PreBind",
                                                "Bind",
                                                "PostBind"};
  return kNames[static_cast<std::size_t>(point)];
}

std::vector<PluginCall> PluginsAt(const Release& release, Point point) {
  std::vector<PluginCall> out;
  for (const Row& row : kRows) {
    if (row.point != point || release.minor < row.first || release.minor > row.last) continue;
    const bool skips = row.skips_from != 0 && release.minor >= row.skips_from;
    out.push_back({row.plugin, row.weight, row.needs, skips});
  }
  return out;
}

}  // namespace schedlens::sim
