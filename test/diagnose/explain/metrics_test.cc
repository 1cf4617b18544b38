#include "kube/metrics.h"

#include <gtest/gtest.h>

#include <set>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"
#include "messages/written.h"

namespace schedlens {
namespace {

/// How the metric misleads; empty where it does not.
Message TrapsOf(const MetricText& text) {
  const std::string id = "metric." + text.name + ".traps";
  return Catalog::Of("en").Has(id) ? Message(id) : Message();
}

TEST(GlossaryMetrics, NamesAreFamiliesAndUnique) {
  std::set<std::string> names;
  for (const MetricText& text : MetricTexts()) {
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
  }
  for (const std::string& name : names) {
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      EXPECT_FALSE(names.contains(name + suffix)) << name;
    }
  }
}

TEST(GlossaryMetrics, HasEveryMetricOfTheSchedulerInEveryRelease) {
  for (const kube::MetricRow& row : kube::MetricTable()) {
    const MetricText* text = Explain(row.name).metric;
    ASSERT_NE(text, nullptr) << row.name;
    EXPECT_EQ(text->name, row.name);
    EXPECT_EQ(text->releases, ReleasesText(row));
  }
}

TEST(GlossaryMetrics, NamesMetricsBeforeTheTablesFirstRelease) {
  EXPECT_EQ(Explain("scheduler_total_preemption_attempts").metric->releases, "up to 1.18");
  EXPECT_EQ(Explain("e2e_scheduling_latency_microseconds_bucket").metric->releases, "up to 1.16");
}

TEST(GlossaryMetrics, HasWhatPagesOfLongAgoShowInMicroseconds) {
  for (const char* name : {"scheduler_binding_latency_microseconds_count",
                           "scheduler_scheduling_algorithm_latency_microseconds_bucket",
                           "scheduler_scheduling_algorithm_predicate_evaluation_sum",
                           "scheduler_scheduling_algorithm_priority_evaluation",
                           "scheduler_scheduling_algorithm_preemption_evaluation_count"}) {
    const MetricText* text = Explain(name).metric;
    ASSERT_NE(text, nullptr) << name;
    EXPECT_EQ(text->releases, "up to 1.16");
    EXPECT_TRUE(std::string(name).starts_with(text->name)) << name;
    EXPECT_NE(InEnglish(Message("metric." + text->name + ".counts")).find("in microseconds"),
              std::string::npos)
        << name;
  }
}

TEST(GlossaryMetrics, HasEveryMetricOfTheControlPlaneThatIsRead) {
  for (const kube::MetricRow& row : kube::ControlPlaneTable()) {
    if (row.id == kube::Metric::kCount) continue;
    const MetricText* text = Explain(row.name).metric;
    ASSERT_NE(text, nullptr) << row.name;
    EXPECT_EQ(text->name, row.name);
    EXPECT_EQ(text->component, ToString(row.component));
    const std::string traps = InEnglish(TrapsOf(*text));
    const bool successor = traps.find("Successor: ") != std::string::npos;
    if (successor) {
      ASSERT_FALSE(row.successor.empty()) << row.name;
      EXPECT_NE(traps.find(row.successor), std::string::npos) << row.name;
    }
  }
}

TEST(GlossaryMetrics, SaysOfAControlPlaneMetricWhoseItIsAndWhichLabelsItHas) {
  const MetricText& sli = *Explain("apiserver_request_sli_duration_seconds_sum").metric;
  EXPECT_EQ(sli.component, "kube-apiserver");
  EXPECT_EQ(sli.releases, "from 1.26");
  EXPECT_EQ(sli.labels, "verb, group, version, resource, subresource, scope, component");
  EXPECT_EQ(Explain("apiserver_request_slo_duration_seconds").metric->releases,
            "1.23 to 1.27; hidden from 1.28");
  EXPECT_EQ(Explain("etcd_disk_wal_fsync_duration_seconds_bucket").metric->releases, "all");
  EXPECT_EQ(Explain("kube_pod_created").metric->component, "kube-state-metrics");
}

TEST(GlossaryMetrics, EachSaysWhereItIsVisibleAndWhatItCounts) {
  for (const MetricText& text : MetricTexts()) {
    EXPECT_FALSE(text.releases.empty()) << text.name;
    test::ExpectWrittenInEveryLanguage({Message("metric." + text.name + ".counts"), TrapsOf(text)});
  }
}

}  // namespace
}  // namespace schedlens
