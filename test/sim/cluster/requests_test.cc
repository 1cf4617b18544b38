#include <gtest/gtest.h>

#include "sim/bed.h"

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

}  // namespace
}  // namespace schedlens::sim::core
