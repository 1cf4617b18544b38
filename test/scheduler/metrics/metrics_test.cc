// The registry of one process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/metrics/registry.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FormatBound, BoundsReadAsGoPrintsThem) {
  EXPECT_EQ(FormatBound(0.001), "0.001");
  EXPECT_EQ(FormatBound(1e-05), "1e-05");
  EXPECT_EQ(FormatBound(16), "16");
  EXPECT_EQ(FormatBound(0), "0");
  EXPECT_EQ(FormatBound(5242.88), "5242.88");
  EXPECT_EQ(FormatBound(0.0001), "0.0001");
  const auto& plugin = *kube::RowOf(Metric::kPlugin).eras.front().bounds;
  EXPECT_EQ(FormatBound(plugin[1]), "1.5000000000000002e-05");
  EXPECT_EQ(FormatBound(plugin.back()), "0.02216837820053101");
}

TEST(MetricRegistry, LatencyMetricsFollowTheReleases) {
  const auto shows = [](const char* release, Metric metric) {
    return MetricRegistry(Release::Parse(release), {}).Shows(metric);
  };
  EXPECT_TRUE(shows("1.20", Metric::kE2e));
  EXPECT_TRUE(shows("1.20", Metric::kBinding));
  EXPECT_FALSE(shows("1.20", Metric::kAttempt));
  EXPECT_FALSE(shows("1.21", Metric::kBinding));
  EXPECT_TRUE(shows("1.23", Metric::kE2e));
  EXPECT_TRUE(shows("1.23", Metric::kAttempt));
  EXPECT_FALSE(shows("1.24", Metric::kE2e));
  EXPECT_FALSE(shows("1.20", Metric::kRestLimiter));
  EXPECT_TRUE(shows("1.23", Metric::kRestLimiter));
  EXPECT_TRUE(shows("1.28", Metric::kPodDuration));
  EXPECT_FALSE(shows("1.29", Metric::kPodDuration));
  EXPECT_TRUE(shows("1.29", Metric::kPodSli));
  EXPECT_FALSE(shows("1.34", Metric::kAsyncCall)) << "only with the gate";
  EXPECT_TRUE(MetricRegistry(Release::Parse("1.34"), {true, true}).Shows(Metric::kAsyncCall));
}

TEST(MetricRegistry, ExportsOnlyWhatTheSimulatorMeasures) {
  const MetricRegistry registry(Release::Parse("1.34"), {});
  EXPECT_TRUE(registry.Shows(Metric::kPodAttempts));
  EXPECT_FALSE(registry.Shows(Metric::kVolumeErrors));
}

TEST(MetricRegistry, VectorsAppearWithTheirFirstUseOthersAtZero) {
  MetricRegistry registry(Release::Parse("1.20"), {});
  EXPECT_THAT(WriteMetricsPage(registry),
              HasSubstr("scheduler_scheduling_algorithm_duration_seconds_count 0\n"));
  EXPECT_THAT(WriteMetricsPage(registry), Not(HasSubstr("scheduler_e2e_")));
  registry.Get(Metric::kE2e, {"scheduled", "default-scheduler"}).Observe(0.003);
  const std::string page = WriteMetricsPage(registry);
  EXPECT_THAT(page, HasSubstr("# TYPE scheduler_e2e_scheduling_duration_seconds histogram\n"));
  EXPECT_THAT(page,
              HasSubstr("scheduler_e2e_scheduling_duration_seconds_bucket{result=\"scheduled\","
                        "profile=\"default-scheduler\",le=\"0.002\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("le=\"0.004\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("le=\"+Inf\"} 1\n"));
}

TEST(MetricRegistry, ABoundBelongsToItsBucketAndTheSumIsNeverClipped) {
  MetricRegistry registry(Release::Parse("1.20"), {});
  MetricChild& child = registry.Get(Metric::kBinding, {});
  child.Observe(0.001);
  child.Observe(100);
  EXPECT_EQ(child.buckets.front(), 1u);
  EXPECT_EQ(child.buckets.back(), 1u);
  EXPECT_DOUBLE_EQ(child.sum, 100.001);
}

TEST(MetricRegistry, AMetricTheReleaseHidesSwallowsItsObservations) {
  MetricRegistry registry(Release::Parse("1.26"), {});
  registry.Get(Metric::kE2e, {"scheduled", "p"}).Observe(1);
  EXPECT_THAT(WriteMetricsPage(registry), Not(HasSubstr("scheduler_e2e_")));
  EXPECT_FALSE(registry.Has(Metric::kE2e, {"scheduled", "p"}));
}

TEST(MetricRegistry, EscapesLabelValues) {
  MetricRegistry registry(Release::Parse("1.20"), {});
  registry.Get(Metric::kScheduleAttempts, {"a\"b\\c\nd", "p"}).value = 1;
  EXPECT_THAT(WriteMetricsPage(registry), HasSubstr("result=\"a\\\"b\\\\c\\nd\""));
}

TEST(PluginRecorder, DropsWhatDoesNotFitAndFlushesTheOldestFirst) {
  MetricRegistry registry(Release::Parse("1.20"), {});
  MetricChild& early = registry.Get(Metric::kPlugin, {"A", "Filter", "Success"});
  MetricChild& late = registry.Get(Metric::kPlugin, {"B", "Bind", "Success"});
  PluginRecorder recorder;
  for (int i = 0; i < 999; ++i) EXPECT_TRUE(recorder.Record(&early, 1e-6));
  EXPECT_TRUE(recorder.Record(&late, 1e-3));
  EXPECT_FALSE(recorder.Record(&late, 1e-3));
  EXPECT_EQ(recorder.dropped(), 1u);
  EXPECT_EQ(early.count, 0u) << "nothing is visible before the flush";
  recorder.Flush(500);
  EXPECT_EQ(early.count, 500u);
  EXPECT_EQ(recorder.room(), 500u);
  recorder.Flush(PluginRecorder::kCapacity);
  EXPECT_EQ(early.count, 999u);
  EXPECT_EQ(late.count, 1u);
}

}  // namespace
}  // namespace schedlens::sim
