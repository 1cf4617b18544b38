#include "sim/framework/plugin_points.h"

#include "kube/metrics.h"

namespace schedlens::sim {
namespace {

struct Row {
  ExtensionPoint point;
  std::string_view plugin;
  int first;
  int last;
  double weight;  // microseconds a call on a plain pod, as seen on 1.20 and 1.26
  unsigned needs;
  int skips_from;  // minor release from which it may answer Skip; 0: never
};

using enum kube::ExtensionPoint;
using kube::kNoEnd;

// Order inside a point is the default order of that release.
constexpr Row kPointRows[] = {
    {kPreEnqueue, "SchedulingGates", 27, kNoEnd, 0.3, 0, 0},

    {kPreFilter, "NodeAffinity", 24, kNoEnd, 3.4, kFeatureAffinity, 27},
    {kPreFilter, "NodePorts", 24, kNoEnd, 1.4, kFeaturePorts, 27},
    {kPreFilter, "NodeResourcesFit", 18, kNoEnd, 3.6, 0, 0},
    {kPreFilter, "NodePorts", 18, 23, 0.7, kFeaturePorts, 0},
    {kPreFilter, "VolumeRestrictions", 22, kNoEnd, 2.0, kFeatureVolumes, 27},
    {kPreFilter, "NodeVolumeLimits", 28, kNoEnd, 0.5, kFeatureVolumes, 28},
    {kPreFilter, "PodTopologySpread", 18, 23, 2.5, kFeatureSpread, 0},
    {kPreFilter, "InterPodAffinity", 18, 23, 4.2, kFeatureInterPod, 0},
    {kPreFilter, "VolumeBinding", 18, kNoEnd, 2.0, kFeatureVolumes, 27},
    {kPreFilter, "VolumeZone", 27, kNoEnd, 0.5, kFeatureVolumes, 27},
    {kPreFilter, "PodTopologySpread", 24, kNoEnd, 3.2, kFeatureSpread, 27},
    {kPreFilter, "InterPodAffinity", 24, kNoEnd, 12.0, kFeatureInterPod, 27},

    {kFilter, "NodeUnschedulable", 18, kNoEnd, 0.30, 0, 0},
    {kFilter, "NodeName", 18, kNoEnd, 0.12, 0, 0},
    {kFilter, "TaintToleration", 18, kNoEnd, 0.40, 0, 0},
    {kFilter, "NodeAffinity", 18, kNoEnd, 0.30, kFeatureAffinity, 27},
    {kFilter, "NodePorts", 18, kNoEnd, 0.30, kFeaturePorts, 27},
    {kFilter, "NodeResourcesFit", 18, kNoEnd, 1.07, 0, 0},
    {kFilter, "VolumeRestrictions", 18, kNoEnd, 0.10, kFeatureVolumes, 27},
    {kFilter, "EBSLimits", 18, 30, 0.10, kFeatureVolumes, 28},
    {kFilter, "GCEPDLimits", 18, 30, 0.10, kFeatureVolumes, 28},
    {kFilter, "NodeVolumeLimits", 18, kNoEnd, 0.10, kFeatureVolumes, 28},
    {kFilter, "AzureDiskLimits", 18, 30, 0.08, kFeatureVolumes, 28},
    {kFilter, "VolumeBinding", 18, kNoEnd, 0.20, kFeatureVolumes, 27},
    {kFilter, "VolumeZone", 18, kNoEnd, 0.10, kFeatureVolumes, 27},
    {kFilter, "PodTopologySpread", 18, kNoEnd, 0.25, kFeatureSpread, 27},
    {kFilter, "InterPodAffinity", 18, kNoEnd, 0.20, kFeatureInterPod, 27},

    {kPostFilter, "DefaultPreemption", 19, kNoEnd, 16, 0, 0},

    {kPreScore, "TaintToleration", 23, kNoEnd, 7.4, 0, 0},
    {kPreScore, "NodeAffinity", 23, kNoEnd, 5.6, kFeatureAffinity, 27},
    {kPreScore, "NodeResourcesFit", 27, kNoEnd, 0.5, 0, 0},
    {kPreScore, "PodTopologySpread", 23, kNoEnd, 27, 0, 0},
    {kPreScore, "InterPodAffinity", 18, kNoEnd, 8, kFeatureInterPod, 27},
    {kPreScore, "NodeResourcesBalancedAllocation", 27, kNoEnd, 0.5, 0, 0},
    {kPreScore, "PodTopologySpread", 18, 22, 40, 0, 0},
    {kPreScore, "TaintToleration", 18, 22, 0.6, 0, 0},

    {kScore, "NodeResourcesBalancedAllocation", 18, 22, 2.4, 0, 0},
    {kScore, "ImageLocality", 18, 22, 0.5, 0, 0},
    {kScore, "InterPodAffinity", 18, 22, 0.2, kFeatureInterPod, 0},
    {kScore, "NodeResourcesLeastAllocated", 18, 21, 1.6, 0, 0},
    {kScore, "NodeResourcesFit", 22, 22, 1.6, 0, 0},
    {kScore, "NodeAffinity", 18, 22, 0.15, kFeatureAffinity, 0},
    {kScore, "NodePreferAvoidPods", 18, 21, 0.25, 0, 0},
    {kScore, "PodTopologySpread", 18, 22, 0.2, 0, 0},
    {kScore, "TaintToleration", 18, kNoEnd, 0.25, 0, 0},
    {kScore, "NodeAffinity", 23, kNoEnd, 0.3, kFeatureAffinity, 27},
    {kScore, "NodeResourcesFit", 23, kNoEnd, 3.0, 0, 0},
    {kScore, "VolumeBinding", 23, kNoEnd, 0.07, kFeatureVolumes, 27},
    {kScore, "PodTopologySpread", 23, kNoEnd, 0.4, 0, 0},
    {kScore, "InterPodAffinity", 23, kNoEnd, 0.7, kFeatureInterPod, 27},
    {kScore, "NodeResourcesBalancedAllocation", 23, kNoEnd, 2.2, 0, 0},
    {kScore, "ImageLocality", 23, kNoEnd, 0.6, 0, 0},

    {kScoreNormalize, "InterPodAffinity", 18, kNoEnd, 1.0, kFeatureInterPod, 27},
    {kScoreNormalize, "NodeAffinity", 18, kNoEnd, 0.5, kFeatureAffinity, 27},
    {kScoreNormalize, "PodTopologySpread", 18, kNoEnd, 1.2, 0, 0},
    {kScoreNormalize, "TaintToleration", 18, kNoEnd, 0.6, 0, 0},

    {kReserve, "VolumeBinding", 18, kNoEnd, 0.6, 0, 0},
    {kUnreserve, "VolumeBinding", 18, kNoEnd, 0.6, 0, 0},
    {kPreBind, "VolumeBinding", 18, kNoEnd, 0.5, 0, 0},
    {kBind, "DefaultBinder", 18, kNoEnd, 1, 0, 0},
};

}  // namespace

std::vector<PluginCall> PluginsAt(const Release& release, ExtensionPoint point) {
  std::vector<PluginCall> out;
  for (const Row& row : kPointRows) {
    if (row.point != point || release.minor < row.first || release.minor > row.last) continue;
    const bool skips = row.skips_from != 0 && release.minor >= row.skips_from;
    out.push_back({row.plugin, row.weight, row.needs, skips});
  }
  return out;
}

}  // namespace schedlens::sim
