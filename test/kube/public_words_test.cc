#include <gtest/gtest.h>

#include "kube/metrics.h"
#include "kube/words.h"

namespace schedlens::kube {
namespace {

TEST(PublicWords, KnowEveryMetricAndLabelOfTheTables) {
  for (const MetricRow& row : MetricTable()) {
    EXPECT_TRUE(IsPublicMetric(row.name)) << row.name;
    for (const MetricEra& era : row.eras) {
      for (const std::string_view label : era.labels) EXPECT_TRUE(IsPublicLabel(label)) << label;
    }
  }
  for (const ControlPlaneMetricRow& row : ControlPlaneTable())
    EXPECT_TRUE(IsPublicMetric(row.name)) << row.name;
  EXPECT_TRUE(IsPublicMetric("scheduler_scheduling_attempt_duration_seconds_bucket"));
  EXPECT_TRUE(IsPublicMetric("scheduler_schedule_attempts")) << "as OpenMetrics names the family";
  EXPECT_FALSE(IsPublicMetric("acme:scheduler_p99"));
  EXPECT_FALSE(IsPublicMetric("scheduler_acme_total"));
}

TEST(PublicWords, KnowTheMetricsOfProcessesByTheirWords) {
  for (const char* name :
       {"go_goroutines", "go_gc_duration_seconds_count", "go_memstats_heap_inuse_bytes",
        "go_sched_latencies_seconds_bucket", "process_cpu_seconds_total",
        "process_resident_memory_bytes", "process_start_time_seconds", "schedlens_groups"}) {
    EXPECT_TRUE(IsPublicMetric(name)) << name;
  }
  for (const char* name : {"go_acme_total", "process_acme", "process_cpu_seconds_total_acme",
                           "go_threads_of_acme", "schedlens_acme", "go_", "process__cpu"}) {
    EXPECT_FALSE(IsPublicMetric(name)) << name;
  }
}

TEST(PublicWords, KnowTheSchedulersOwn) {
  for (const ExtensionPoint point : All<ExtensionPoint>()) {
    EXPECT_TRUE(IsPublicValue("extension_point", ToString(point)));
  }
  for (const PodEvent event : All<PodEvent>()) EXPECT_TRUE(IsPublicValue("event", ToString(event)));
  EXPECT_TRUE(IsPublicValue("exported_namespace", "kube-system"));
  EXPECT_TRUE(IsPublicValue("le", "+Inf"));
}

TEST(PublicWords, ANameIsNeverPublic) {
  for (const char* label :
       {"node", "pod", "instance", "alertname", "cluster", "uid", "unheard_of"}) {
    EXPECT_FALSE(IsPublicValue(label, "kube-scheduler")) << label;
    EXPECT_FALSE(IsPublicValue(label, "1")) << label;
  }
  EXPECT_FALSE(IsPublicLabel("unheard_of"));
  EXPECT_FALSE(IsPublicValue("resource", "widgets.acme.io"));
  EXPECT_FALSE(IsPublicValue("le", "acme"));
  for (const char* label : {"code", "attempts"}) {
    EXPECT_FALSE(IsPublicValue(label, "123456789012")) << label << ": an account's number";
  }
  EXPECT_TRUE(IsPublicValue("code", "503"));
  EXPECT_TRUE(IsPublicValue("attempts", "15+"));
}

}  // namespace
}  // namespace schedlens::kube
