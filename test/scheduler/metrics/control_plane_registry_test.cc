// The metrics of a component, by release.

#include <gtest/gtest.h>

#include "scheduler/metrics/registry.h"

namespace schedlens::sim {
namespace {

using kube::Component;
using Values = std::vector<std::string>;

TEST(ControlPlaneRegistry, TakesTheLabelsThatTheReleaseHas) {
  const struct {
    int minor;
    Values values;
  } cases[] = {{33, {"update", "pods"}}, {34, {"update", "", "pods"}}};
  for (const auto& c : cases) {
    ControlPlaneRegistry registry(Component::kApiServer, c.minor);
    MetricChild& child =
        registry.Get(ControlPlaneMetric::kEtcdRequestDuration,
                     {{"resource", "pods"}, {"operation", "update"}, {"type", "pods"}});
    EXPECT_EQ(child.label_values, c.values);
    child.Observe(0.01);
    EXPECT_EQ(registry.children().size(), 1u);
    EXPECT_EQ(registry
                  .Get(ControlPlaneMetric::kEtcdRequestDuration,
                       {{"type", "pods"}, {"operation", "update"}, {"resource", "pods"}})
                  .count,
              1u);
  }
}

TEST(ControlPlaneRegistry, WhatAReleaseOrAComponentLacksIsSwallowed) {
  ControlPlaneRegistry old(Component::kApiServer, 22);
  EXPECT_FALSE(old.Shows(ControlPlaneMetric::kApiserverRequestSliDuration));
  EXPECT_FALSE(old.Shows(ControlPlaneMetric::kEtcdDiskWalFsyncDuration)) << "etcd's";
  old.Get(ControlPlaneMetric::kApiserverRequestSliDuration, {{"verb", "POST"}}).Observe(1);
  EXPECT_TRUE(old.children().empty());
  EXPECT_FALSE(ControlPlaneRegistry(Component::kApiServer, 19)
                   .Shows(ControlPlaneMetric::kApiserverFlowcontrolDispatchedRequests))
      << "gate off";
  EXPECT_TRUE(ControlPlaneRegistry(Component::kApiServer, 20)
                  .Shows(ControlPlaneMetric::kApiserverFlowcontrolDispatchedRequests));
  EXPECT_TRUE(ControlPlaneRegistry(Component::kEtcd, 22)
                  .Shows(ControlPlaneMetric::kEtcdServerApplyDuration));
  EXPECT_FALSE(ControlPlaneRegistry(Component::kEtcd, 21)
                   .Shows(ControlPlaneMetric::kEtcdServerApplyDuration))
      << "etcd 3.4";
}

TEST(ControlPlaneRegistry, HasWhatTheSchedulerHasToo) {
  ControlPlaneRegistry registry(Component::kApiServer, 36);
  registry.Get(Metric::kProcessStart, {}).value = 5;
  MetricChild& calls =
      registry.Get(Metric::kRestRequest, {{"verb", "POST"}, {"host", "h"}, {"url", "u"}});
  EXPECT_EQ(calls.label_values, (Values{"POST", "h"}));
  EXPECT_EQ(registry.children().size(), 2u);
}

TEST(ControlPlaneTypes, AreThoseOfOpenMetrics) {
  const auto types = ControlPlaneTypes();
  EXPECT_EQ(types.at("apiserver_request"), "counter");
  EXPECT_EQ(types.at("apiserver_request_duration_seconds"), "histogram");
  EXPECT_EQ(types.at("kube_pod_owner"), "gauge");
}

}  // namespace
}  // namespace schedlens::sim
