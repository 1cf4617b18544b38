// The metrics of a neighbour, by release.

#include <gtest/gtest.h>

#include "scheduler/metrics/registry.h"

namespace schedlens::sim {
namespace {

using kube::Component;
using Values = std::vector<std::string>;

TEST(NeighbourRegistry, TakesTheLabelsThatTheReleaseHas) {
  const struct {
    int minor;
    Values values;
  } cases[] = {{33, {"update", "pods"}}, {34, {"update", "", "pods"}}};
  for (const auto& c : cases) {
    NeighbourRegistry registry(Component::kApiServer, c.minor);
    MetricChild& child =
        registry.Get(Neighbour::kEtcdRequestDuration,
                     {{"resource", "pods"}, {"operation", "update"}, {"type", "pods"}});
    EXPECT_EQ(child.label_values, c.values);
    child.Observe(0.01);
    EXPECT_EQ(registry.children().size(), 1u);
    EXPECT_EQ(registry
                  .Get(Neighbour::kEtcdRequestDuration,
                       {{"type", "pods"}, {"operation", "update"}, {"resource", "pods"}})
                  .count,
              1u);
  }
}

TEST(NeighbourRegistry, WhatAReleaseOrAComponentLacksIsSwallowed) {
  NeighbourRegistry old(Component::kApiServer, 22);
  EXPECT_FALSE(old.Shows(Neighbour::kApiserverRequestSliDuration));
  EXPECT_FALSE(old.Shows(Neighbour::kEtcdDiskWalFsyncDuration)) << "etcd's";
  old.Get(Neighbour::kApiserverRequestSliDuration, {{"verb", "POST"}}).Observe(1);
  EXPECT_TRUE(old.children().empty());
  EXPECT_FALSE(NeighbourRegistry(Component::kApiServer, 19)
                   .Shows(Neighbour::kApiserverFlowcontrolDispatchedRequests))
      << "gate off";
  EXPECT_TRUE(NeighbourRegistry(Component::kApiServer, 20)
                  .Shows(Neighbour::kApiserverFlowcontrolDispatchedRequests));
  EXPECT_TRUE(NeighbourRegistry(Component::kEtcd, 22).Shows(Neighbour::kEtcdServerApplyDuration));
  EXPECT_FALSE(NeighbourRegistry(Component::kEtcd, 21).Shows(Neighbour::kEtcdServerApplyDuration))
      << "etcd 3.4";
}

TEST(NeighbourRegistry, HasWhatTheSchedulerHasToo) {
  NeighbourRegistry registry(Component::kApiServer, 36);
  registry.Get(Metric::kProcessStart, {}).value = 5;
  MetricChild& calls =
      registry.Get(Metric::kRestRequest, {{"verb", "POST"}, {"host", "h"}, {"url", "u"}});
  EXPECT_EQ(calls.label_values, (Values{"POST", "h"}));
  EXPECT_EQ(registry.children().size(), 2u);
}

TEST(NeighbourTypes, AreThoseOfOpenMetrics) {
  const auto types = NeighbourTypes();
  EXPECT_EQ(types.at("apiserver_request"), "counter");
  EXPECT_EQ(types.at("apiserver_request_duration_seconds"), "histogram");
  EXPECT_EQ(types.at("kube_pod_owner"), "gauge");
}

}  // namespace
}  // namespace schedlens::sim
