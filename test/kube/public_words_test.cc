#include "kube/public_words.h"

#include <gtest/gtest.h>

#include "kube/metrics.h"
#include "kube/neighbour_metrics.h"
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
  for (const NeighbourRow& row : NeighbourTable())
    EXPECT_TRUE(IsPublicMetric(row.name)) << row.name;
  EXPECT_TRUE(IsPublicMetric("scheduler_scheduling_attempt_duration_seconds_bucket"));
  EXPECT_TRUE(IsPublicMetric("scheduler_schedule_attempts")) << "as OpenMetrics names the family";
  EXPECT_FALSE(IsPublicMetric("acme:scheduler_p99"));
  EXPECT_FALSE(IsPublicMetric("scheduler_acme_total"));
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
}

}  // namespace
}  // namespace schedlens::kube
