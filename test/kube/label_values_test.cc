#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/metrics.h"

namespace schedlens::kube {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LabelsInTest, AreThoseOfTheRelease) {
  EXPECT_THAT(LabelsIn(RowOf(Metric::kE2e), 18), IsEmpty());
  EXPECT_THAT(LabelsIn(RowOf(Metric::kE2e), 19), ElementsAre("result", "profile"));
  EXPECT_THAT(LabelsIn(RowOf(Metric::kRestRequest), std::nullopt),
              ElementsAre("verb", "url", "host"));
}

TEST(ValuesInTest, AreThoseOfTheRelease) {
  EXPECT_THAT(ValuesIn(RowOf(Metric::kPendingPods), "queue", 25),
              ElementsAre("active", "backoff", "unschedulable"));
  EXPECT_THAT(ValuesIn(RowOf(Metric::kPendingPods), "queue", std::nullopt), Contains("gated"));
  const auto points = [](int minor) {
    return ValuesIn(RowOf(Metric::kExtensionPoint), "extension_point", minor);
  };
  EXPECT_THAT(points(25), Not(Contains("PreEnqueue")));
  EXPECT_THAT(points(26), Contains("PreEnqueue"));
  EXPECT_THAT(points(36), Not(Contains("QueueSort")));
  EXPECT_THAT(ValuesIn(RowOf(Metric::kPlugin), "extension_point", 20),
              Contains("ScoreExtensionNormalize"));
  EXPECT_THAT(ValuesIn(RowOf(Metric::kPlugin), "plugin", 30), IsEmpty());
  EXPECT_THAT(ValuesIn(RowOf(Metric::kPlugin), "result", 30), IsEmpty());
}

// A list of values is of a label that the metric has.
TEST(ValuesInTest, OnlyLabelsThatThereAreHaveValues) {
  for (const MetricRow& row : MetricTable()) {
    const std::vector<std::string> own = LabelsIn(row, std::nullopt);
    for (const char* label : {"result", "status", "extension_point", "queue", "call_type", "hint",
                              "hinted", "type", "attempts", "reason"}) {
      if (ValuesIn(row, label, std::nullopt).empty()) continue;
      EXPECT_THAT(own, Contains(label)) << row.name;
    }
  }
}

TEST(LabelInPlaceOfTest, IsTheOneThatTheReleaseHasInstead) {
  const MetricRow& duration = RowOf(Metric::kRestRequest);
  EXPECT_EQ(LabelInPlaceOf(duration, "url", 24), "host");
  EXPECT_EQ(LabelInPlaceOf(duration, "host", 23), "url");
  EXPECT_EQ(LabelInPlaceOf(duration, "url", 23), "") << "it is there";
  EXPECT_EQ(LabelInPlaceOf(duration, "method", 24), "") << "it never was";
}

TEST(IsOnlyAMetricsLabelTest, NoTargetHasIt) {
  const MetricRow& requests = RowOf(Metric::kRestRequests);
  EXPECT_TRUE(IsOnlyAMetricsLabel(requests, "url"));
  EXPECT_TRUE(IsOnlyAMetricsLabel(requests, "result"));
  EXPECT_FALSE(IsOnlyAMetricsLabel(requests, "region"));
  EXPECT_TRUE(IsOnlyAMetricsLabel(RowOf(Metric::kPendingPods), "reason"));
  EXPECT_FALSE(IsOnlyAMetricsLabel(RowOf(Metric::kPendingPods), "url"));
}

TEST(SuccessorOfOldTest, KnowsNamesOfBeforeTheTable) {
  EXPECT_EQ(SuccessorOfOld("scheduler_binding_latency_microseconds_bucket"), Metric::kBinding);
  EXPECT_EQ(SuccessorOfOld("scheduler_binding_duration_seconds_bucket"), std::nullopt);
}

TEST(SchedulersJobTest, IsKnownByItsName) {
  EXPECT_TRUE(MayBeSchedulersJob("kube-scheduler"));
  EXPECT_TRUE(MayBeSchedulersJob("integrations/kubernetes/kube-scheduler"));
  EXPECT_TRUE(MayBeSchedulersJob("scheduler"));
  EXPECT_FALSE(MayBeSchedulersJob("airflow-scheduler"));
}

TEST(NearestNameTest, IsASlipAway) {
  EXPECT_EQ(NearestName("scheduler_pending_pod"), "scheduler_pending_pods");
  EXPECT_EQ(NearestName("scheduler_pending_pods_total"), "scheduler_pending_pods");
  EXPECT_EQ(NearestName("scheduler_schedule_attempts_total_bucket"),
            "scheduler_schedule_attempts_total");
  EXPECT_EQ(NearestName("scheduler_scheduling_algoritm_duration_seconds_sum"),
            "scheduler_scheduling_algorithm_duration_seconds_sum");
  EXPECT_EQ(NearestName("scheduler_something_else"), "");
  EXPECT_EQ(NearestName("pending_pods"), "");
}

}  // namespace
}  // namespace schedlens::kube
