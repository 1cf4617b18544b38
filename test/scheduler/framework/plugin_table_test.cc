#include "scheduler/framework/plugin_table.h"

#include <gtest/gtest.h>

namespace schedlens::sim {
namespace {

std::string Names(const char* release, ExtensionPoint point) {
  std::string out;
  for (const PluginCall& call : PluginsAt(Release::Parse(release), point)) {
    if (!out.empty()) out += ' ';
    out += call.plugin;
  }
  return out;
}

TEST(PluginsAt, FollowsTheDefaultOrderOfTheRelease) {
  EXPECT_EQ(Names("1.20", ExtensionPoint::kPreFilter),
            "NodeResourcesFit NodePorts PodTopologySpread InterPodAffinity VolumeBinding");
  EXPECT_EQ(
      Names("1.20", ExtensionPoint::kFilter),
      "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit "
      "VolumeRestrictions EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding "
      "VolumeZone PodTopologySpread InterPodAffinity");
  EXPECT_EQ(Names("1.20", ExtensionPoint::kScore),
            "NodeResourcesBalancedAllocation ImageLocality InterPodAffinity "
            "NodeResourcesLeastAllocated NodeAffinity NodePreferAvoidPods PodTopologySpread "
            "TaintToleration");
  EXPECT_EQ(Names("1.26", ExtensionPoint::kScore),
            "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread "
            "InterPodAffinity NodeResourcesBalancedAllocation ImageLocality");
  EXPECT_EQ(Names("1.26", ExtensionPoint::kPreEnqueue), "");
  EXPECT_EQ(Names("1.30", ExtensionPoint::kPreEnqueue), "SchedulingGates");
}

TEST(PluginsAt, SkipExistsFrom127) {
  for (const PluginCall& call : PluginsAt(Release::Parse("1.26"), ExtensionPoint::kFilter)) {
    EXPECT_FALSE(call.skips) << call.plugin;
  }
  int skipping = 0;
  for (const PluginCall& call : PluginsAt(Release::Parse("1.30"), ExtensionPoint::kFilter)) {
    skipping += call.skips;
    EXPECT_TRUE(!call.skips || call.needs != 0) << call.plugin;
  }
  EXPECT_GE(skipping, 6);
}

}  // namespace
}  // namespace schedlens::sim
