#include <gtest/gtest.h>

#include "scheduler/bed.h"

namespace schedlens::sim::core {
namespace {

PodSpec Resolved(const char* spec, int minor) {
  Bed bed(minor);
  return bed.cluster.spec(bed.Spec("{}", spec));
}

TEST(Requests, TheLargestInitContainerCountsAgainstTheSumOfContainers) {
  const PodSpec spec = Resolved(
      "{containers: [{resources: {requests: {cpu: 100m}}}, {resources: {requests: {memory: 1Gi}}}],"
      " initContainers: [{resources: {requests: {cpu: 2}}}]}",
      26);
  EXPECT_EQ(spec.request.milli_cpu, 2000);
  EXPECT_EQ(spec.request.memory, 1 << 30);
  EXPECT_EQ(spec.nonzero.milli_cpu, 2000);
  EXPECT_EQ(spec.nonzero.memory, (1 << 30) + 200 * 1024 * 1024);
}

TEST(Requests, LimitsStandInForRequestsAndZeroStaysZero) {
  const PodSpec spec =
      Resolved("{containers: [{resources: {limits: {cpu: 300m}, requests: {memory: 0}}}]}", 26);
  EXPECT_EQ(spec.request.milli_cpu, 300);
  EXPECT_EQ(spec.nonzero.milli_cpu, 300);
  EXPECT_EQ(spec.nonzero.memory, 0);
}

TEST(Requests, CpuOverheadIsTakenInCoresWhenScoringUntil127) {
  const char* pod = "{containers: [{resources: {requests: {cpu: 1}}}], overhead: {cpu: 250m}}";
  for (const int minor : {20, 26, 30}) {
    const PodSpec spec = Resolved(pod, minor);
    EXPECT_EQ(spec.request.milli_cpu, 1250) << minor;
    EXPECT_EQ(spec.nonzero.milli_cpu, 1250) << minor;
    EXPECT_EQ(spec.score_nonzero.milli_cpu, minor <= 27 ? 1001 : 1250) << minor;
  }
}

TEST(Requests, ASidecarRunsOnBesideTheContainersFrom128) {
  const char* pod =
      "{containers: [{resources: {requests: {cpu: 1}}}], initContainers: [{restartPolicy: Always, "
      "resources: {requests: {cpu: 500m}}}, {resources: {requests: {cpu: 900m}}}]}";
  EXPECT_EQ(Resolved(pod, 26).request.milli_cpu, 1000);
  EXPECT_EQ(Resolved(pod, 30).request.milli_cpu, 1500);
}

TEST(Requests, MinimaKnowSidecarsOnlyAsInitContainersUntil131) {
  const char* pod =
      "{containers: [{resources: {requests: {cpu: 300m}}}], initContainers: [{restartPolicy: "
      "Always, resources: {requests: {cpu: 500m}}}, {restartPolicy: Always}]}";
  constexpr std::int64_t kMinimum = std::int64_t{200} * 1024 * 1024;
  const PodSpec before = Resolved(pod, 30);
  EXPECT_EQ(before.nonzero.milli_cpu, 500);
  EXPECT_EQ(before.nonzero.memory, kMinimum);
  EXPECT_EQ(before.score_nonzero.milli_cpu, 900) << "300m, 500m and a minimum";
  const PodSpec after = Resolved(pod, 32);
  EXPECT_EQ(after.nonzero.milli_cpu, 900);
  EXPECT_EQ(after.nonzero.memory, 3 * kMinimum);
}

TEST(Requests, PodLevelRequestsStandForTheContainersFrom134) {
  const char* pod =
      "{containers: [{resources: {requests: {cpu: 200m}}}, {}], resources: {requests: {cpu: "
      "700m}, limits: {cpu: 2, memory: 1Gi}}, overhead: {cpu: 50m}}";
  const PodSpec before = Resolved(pod, 33);
  EXPECT_EQ(before.request.milli_cpu, 250);
  EXPECT_EQ(before.request.memory, 0);
  const PodSpec after = Resolved(pod, 34);
  EXPECT_EQ(after.request.milli_cpu, 750);
  EXPECT_EQ(after.request.memory, 1 << 30) << "its limit, as no container asks";
  EXPECT_EQ(after.nonzero.milli_cpu, 750);
  EXPECT_EQ(after.nonzero.memory, 1 << 30);
  EXPECT_EQ(after.score_nonzero.milli_cpu, 350) << "NodeResourcesFit adds up containers";
  EXPECT_EQ(after.score_nonzero.memory, 400 * 1024 * 1024);
  EXPECT_EQ(after.score_milli_cpu, 750);
}

TEST(Requests, NextToPodLevelRequestsTheMinimumIsForWhatNobodyAsks) {
  const PodSpec spec = Resolved("{containers: [{}, {}], resources: {requests: {memory: 1Gi}}}", 34);
  EXPECT_EQ(spec.nonzero.milli_cpu, 200) << "for each container";
  EXPECT_EQ(spec.nonzero.memory, 1 << 30);
  const PodSpec one = Resolved(
      "{containers: [{resources: {requests: {cpu: 10m}}}, {}], resources: {requests: {memory: "
      "1Gi}}}",
      34);
  EXPECT_EQ(one.nonzero.milli_cpu, 10);
}

PodSpec Resizing(const char* status, int minor) {
  Bed bed(minor);
  const std::string yaml =
      "spec: {containers: [{name: c, resources: {requests: {cpu: 500m, memory: 512Mi}}}]}\n"
      "status: " +
      std::string(status);
  return bed.cluster.spec(
      bed.cluster.AddSpec(ReadPodManifest(yaml, "pod", bed.cluster.strings()).spec));
}

TEST(Requests, AResizeCountsTheLargestOfWhatIsWantedAndGivenFrom133) {
  const char* given =
      "{containerStatuses: [{name: c, allocatedResources: {cpu: 300m}, resources: {requests: {cpu: "
      "1, memory: 256Mi}}}]}";
  EXPECT_EQ(Resizing(given, 30).request.milli_cpu, 500);
  EXPECT_EQ(Resizing(given, 34).request.milli_cpu, 1000);
  EXPECT_EQ(Resizing(given, 34).request.memory, 512 * 1024 * 1024);
  const PodSpec infeasible = Resizing(
      "{conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}], "
      "containerStatuses: [{name: c, allocatedResources: {cpu: 300m}, resources: {requests: {cpu: "
      "200m, memory: 256Mi}}}]}",
      34);
  EXPECT_EQ(infeasible.request.milli_cpu, 300);
  EXPECT_EQ(infeasible.request.memory, 256 * 1024 * 1024);
}

TEST(Requests, SidecarsPortsCountFrom134) {
  const char* pod =
      "{containers: [{ports: [{containerPort: 80, hostPort: 80}]}], initContainers: "
      "[{restartPolicy: Always, ports: [{containerPort: 81, hostPort: 81}]}, {ports: "
      "[{containerPort: 82, hostPort: 82}]}]}";
  EXPECT_EQ(Resolved(pod, 33).host_ports.size(), 1U);
  const PodSpec after = Resolved(pod, 34);
  ASSERT_EQ(after.host_ports.size(), 2U);
  EXPECT_EQ(after.host_ports[1].port, 81);
}

}  // namespace
}  // namespace schedlens::sim::core
