#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/cluster.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Cluster;
using Lines = std::vector<std::string>;
constexpr double kVolumes = 100;  // five of them between the window's edges and its next scrapes
constexpr const char* kCreate = "/csi.v1.Controller/CreateVolume";

void AddDriver(Cluster* cluster, const std::string& driver, double before, double now) {
  cluster->AddCalls("volumes", "csi_sidecar_operations_seconds",
                    {{"driver_name", driver}, {"method_name", kCreate}}, kVolumes, before, now,
                    "csi-provisioner");
}

void AddProvision(Cluster* cluster, const std::string& plugin, double before, double now) {
  cluster->AddCalls("volumes", "volume_operation_total_seconds",
                    {{"plugin_name", plugin}, {"operation_name", "provision"}}, kVolumes, before,
                    now, "kube-controller-manager");
}

/// PreBind took a second a volume before and so many seconds now, of all the time there is.
std::vector<CauseBehind> VolumesBehind(const Cluster& cluster, double now) {
  const VolumeWait wait{test::kNow, test::kBefore, kVolumes * now, kVolumes * (now - 1),
                        kVolumes * now};
  return WhyVolumesAreSlow(cluster.facts(), wait);
}

/// "id object confidence value high", parts in whole percents.
Lines LinesOf(const std::vector<CauseBehind>& behind) {
  Lines lines;
  for (const CauseBehind& one : behind) {
    EXPECT_EQ(*one.share.low, 0) << "whose volumes they were is in no metric";
    lines.push_back(one.id + (one.object.empty() ? "" : " " + one.object) + " " +
                    ToString(one.confidence) + " " +
                    std::to_string(std::lround(100 * *one.share.value)) + " " +
                    std::to_string(std::lround(100 * *one.share.high)));
  }
  return lines;
}

TEST(WhyVolumesAreSlowTest, NamesTheDriverThatBecameSlow) {
  Cluster cluster;
  AddDriver(&cluster, "disk.csi.example", 0.8, 6);
  AddDriver(&cluster, "files.csi.example", 2, 2.1);
  AddProvision(&cluster, "disk.csi.example", 1, 6.3);
  EXPECT_EQ(LinesOf(VolumesBehind(cluster, 7)), Lines{"csi.driver disk.csi.example likely 81 100"});
  EXPECT_EQ(InEnglish(VolumesBehind(cluster, 7)[0].evidence[0].text),
            "95 calls of CreateVolume took 6 s each, 0.8 s before.");
}

TEST(WhyVolumesAreSlowTest, WhatTheDriversDidNotTakeIsTheControllers) {
  Cluster cluster;
  AddDriver(&cluster, "disk.csi.example", 0.8, 0.8);
  AddProvision(&cluster, "disk.csi.example", 1, 6.3);
  EXPECT_EQ(LinesOf(VolumesBehind(cluster, 7)), Lines{"volume.controller likely 75 100"});
}

TEST(WhyVolumesAreSlowTest, WithoutCsiMetricsDriverAndControllerAreATie) {
  const auto tie = VolumesBehind(Cluster(), 7);
  EXPECT_EQ(LinesOf(tie),
            (Lines{"csi.driver possible 86 100", "volume.controller possible 86 100"}));
  for (const CauseBehind& one : tie) {
    EXPECT_TRUE(InEnglish(one.evidence.at(0).text).starts_with("Volume binding waits, and there "));
  }
  Cluster provisioned;
  AddProvision(&provisioned, "disk.csi.example", 1, 6.3);
  EXPECT_EQ(
      LinesOf(VolumesBehind(provisioned, 7)),
      (Lines{"csi.driver disk.csi.example possible 72 100", "volume.controller possible 72 100"}));
}

TEST(WhyVolumesAreSlowTest, ADriverThatIsAsQuickAsEverIsNoCause) {
  Cluster cluster;
  AddDriver(&cluster, "disk.csi.example", 0.8, 0.9);
  const auto behind = VolumesBehind(cluster, 7);
  ASSERT_EQ(behind.size(), 2u);
  EXPECT_EQ(behind[0].object, "") << "another driver may not be scraped";
  AddProvision(&cluster, "disk.csi.example", 1, 1.2);
  EXPECT_TRUE(VolumesBehind(cluster, 7).empty()) << "both are here and neither explains it";
  EXPECT_TRUE(VolumesBehind(Cluster(), 1).empty()) << "nothing grew";
}

}  // namespace
}  // namespace schedlens
