#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/doctor/doctor.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "messages/written.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr TimeMs kEnd = 60'000;

Series Of(std::string_view name, std::vector<Labels::View> labels) {
  labels.emplace_back(kMetricName, name);
  return {Labels(std::move(labels)), {{kEnd - 15'000, 1}, {kEnd, 2}}, {}};
}

Facts OneScheduler(const Labels& id = Labels{{"job", "kube-scheduler"}}) {
  Facts facts;
  facts.fetched = {0, kEnd};
  facts.targets.emplace_back();
  facts.targets.back().id = id;
  return facts;
}

ControlPlaneCheckUp Check(std::vector<Series> series, const Facts& facts = OneScheduler(),
                          const ReleaseRange& release = {34, 34, {}}) {
  testing_support::StoreSource source(std::move(series));
  ControlPlaneCheckUp found = CheckControlPlane(source, QuerySet::Embedded(), facts, release);
  for (const CheckUp& check : found.checks) {
    test::ExpectWrittenInEveryLanguage({check.text, check.fix, check.evidence});
    EXPECT_FALSE(check.evidence.empty()) << check.subject;
  }
  return found;
}

std::vector<std::string> Lines(const ControlPlaneCheckUp& found, const std::string& component) {
  std::vector<std::string> lines;
  for (const CheckUp& check : found.checks) {
    if (check.subject == component) lines.push_back(InEnglish(check.text));
  }
  return lines;
}

std::vector<std::string> Expected(const ControlPlaneCheckUp& found, const std::string& component,
                                  bool expected) {
  std::vector<std::string> metrics;
  for (const ComponentFound& seen : found.seen) {
    for (const AbsentMetric& absent : seen.missing) {
      if (seen.component == component && absent.expected == expected) {
        metrics.push_back(absent.metric);
      }
    }
  }
  return metrics;
}

Series Bindings(std::string_view name, std::string_view instance, std::string_view cluster = "") {
  return Of(name, {{"verb", "POST"},
                   {"resource", "pods"},
                   {"subresource", "binding"},
                   {"job", "apiserver"},
                   {"instance", instance},
                   {"cluster", cluster}});
}

TEST(DoctorControlPlane, NothingIsAskedWithoutAScheduler) {
  const ControlPlaneCheckUp found = Check({}, Facts());
  EXPECT_THAT(found.checks, IsEmpty());
  EXPECT_THAT(found.configurations, IsEmpty());
}

TEST(DoctorControlPlane, ProcessesAreCountedOnce) {
  const ControlPlaneCheckUp found =
      Check({Bindings("apiserver_request_duration_seconds_sum", "a"),
             Bindings("apiserver_request_duration_seconds_count", "a"),
             Bindings("apiserver_request_duration_seconds_count", "b")});
  EXPECT_EQ(Lines(found, "kube-apiserver").front(), "2 processes of job apiserver");
  EXPECT_EQ(found.seen.front().instances, 2U);
  EXPECT_THAT(found.seen.front().jobs, ElementsAre("apiserver"));
}

TEST(DoctorControlPlane, AnExtensionApiServerIsNone) {
  const ControlPlaneCheckUp found =
      Check({Of("apiserver_flowcontrol_request_wait_duration_seconds_count",
                {{"execute", "true"}, {"job", "metrics-server"}}),
             Of("apiserver_admission_step_admission_duration_seconds_count",
                {{"operation", "CREATE"}, {"job", "metrics-server"}})});
  EXPECT_THAT(Lines(found, "kube-apiserver"),
              ElementsAre(StartsWith("no kube-apiserver in this source: ")));
}

TEST(DoctorControlPlane, TheSchedulersClusterIsTheOneThatCounts) {
  const std::vector<Series> elsewhere = {
      Bindings("apiserver_request_duration_seconds_count", "a", "east")};
  const auto of = [&](const char* cluster) {
    return Check(elsewhere, OneScheduler(Labels{{"cluster", cluster}})).seen.front().instances;
  };
  EXPECT_EQ(of("east"), 1U);
  EXPECT_EQ(of("west"), 0U);
}

TEST(DoctorControlPlane, WhatTheReleaseLacksIsExpected) {
  const std::vector<Series> series = {Bindings("apiserver_request_duration_seconds_count", "a")};
  const ControlPlaneCheckUp old = Check(series, OneScheduler(), {22, 22, {}});
  EXPECT_THAT(Lines(old, "kube-apiserver"),
              ::testing::Contains(
                  HasSubstr("apiserver_request_sli_duration_seconds is not there (it comes with "
                            "1.23): the webhooks that bindings meet cannot be told")));
  EXPECT_THAT(Expected(old, "kube-apiserver", true),
              ElementsAre("apiserver_request_sli_duration_seconds",
                          "apiserver_admission_webhook_admission_duration_seconds",
                          "go_sched_latencies_seconds"));
  EXPECT_THAT(Expected(Check(series), "kube-apiserver", true),
              ElementsAre("apiserver_admission_webhook_admission_duration_seconds"));
}

TEST(DoctorControlPlane, TheApiServersOwnReleaseDecides) {
  const ControlPlaneCheckUp found = Check(
      {Bindings("apiserver_request_duration_seconds_count", "a"),
       Of("kubernetes_build_info", {{"job", "apiserver"}, {"instance", "a"}, {"minor", "22+"}})},
      OneScheduler(), {});
  EXPECT_THAT(Expected(found, "kube-apiserver", true),
              ::testing::Contains("apiserver_request_sli_duration_seconds"));
}

TEST(DoctorControlPlane, TheOlderNameOfTheIndicatorIsEnough) {
  const ControlPlaneCheckUp found =
      Check({Bindings("apiserver_request_duration_seconds_count", "a"),
             Bindings("apiserver_request_slo_duration_seconds_count", "a")},
            OneScheduler(), {24, 24, {}});
  EXPECT_THAT(Expected(found, "kube-apiserver", false),
              ::testing::Not(::testing::Contains("apiserver_request_sli_duration_seconds")));
}

TEST(DoctorControlPlane, AControllerManagerWithoutVolumesIsThere) {
  const ControlPlaneCheckUp found =
      Check({Of("node_collector_zone_size", {{"job", "kcm"}, {"zone", "a"}})});
  EXPECT_THAT(Lines(found, "kube-controller-manager"),
              ElementsAre("1 process of job kcm",
                          HasSubstr("volume_operation_total_seconds is not there (nothing to count "
                                    "yet, or dropped)")));
  EXPECT_THAT(Lines(found, "csi-sidecar"),
              ElementsAre(StartsWith("no csi-sidecar in this source")));
}

}  // namespace
}  // namespace schedlens
