#include <gtest/gtest.h>

#include "scheduler/engine/placement.h"

namespace schedlens::sim {
namespace {

TEST(PlacementFit, NeverPutsMoreOnANodeThanItHolds) {
  const Scenario scenario = ParseScenario(
      "{cluster: {nodes: [{count: 5, cpu: 3, pods: 7}]}, workload: {rate: 0}}", "few");
  Placement placement(scenario, 1);
  const FitResult fit = placement.Fit(
      "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}", "p.yaml");
  EXPECT_EQ(fit.count, 35);  // the pod limit, before the cores
  EXPECT_TRUE(placement.WithinCapacity());
  EXPECT_EQ(fit.next.message, "0/5 nodes are available: 5 Too many pods.");
}

}  // namespace
}  // namespace schedlens::sim
