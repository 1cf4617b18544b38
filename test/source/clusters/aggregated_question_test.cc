#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/clusters/by_label.h"

namespace schedlens {
namespace {

TEST(AggregatedQuestionTest, RawSamplesBecomeSumsOverProcesses) {
  EXPECT_EQ(Aggregated("{__name__=~\"a_(sum|count)\", job=\"x\"}[1h]", "cluster", {"le", "result"}),
            "sum by (__name__, cluster, le, result) ({__name__=~\"a_(sum|count)\",job=\"x\"})");
  EXPECT_EQ(Aggregated("a_total[5m]", "cluster", {}), "sum by (__name__, cluster) (a_total)");
}

TEST(AggregatedQuestionTest, OfAGaugeTheLargestProcessCounts) {
  EXPECT_EQ(Aggregated("scheduler_pending_pods{job=\"x\"}[5m]", "region", {"queue"}),
            "max by (__name__, queue, region) (scheduler_pending_pods{job=\"x\"})");
}

TEST(AggregatedQuestionTest, WhatCountsAlreadyKeepsTheLabelToo) {
  EXPECT_EQ(Aggregated("count by (__name__) (last_over_time({a=\"b\"}[1h]))", "cluster", {"le"}),
            "count by (__name__, cluster) (last_over_time({a=\"b\"}[1h]))");
}

TEST(AggregatedQuestionTest, AnAlertKeepsTheLabelInEveryAggregation) {
  struct Case {
    const char* given;
    const char* kept;
  };
  const Case cases[] = {
      {"histogram_quantile(0.99, sum by (le) (rate(x_bucket[5m]))) > 3",
       "histogram_quantile(0.99, sum by (le, cluster) (rate(x_bucket[5m]))) > 3"},
      {"histogram_quantile(0.99, sum(rate(x_bucket[5m])) without (instance, cluster))",
       "histogram_quantile(0.99, sum without (instance) (rate(x_bucket[5m])))"},
      {"max(histogram_quantile(0.9, sum by (cluster, le) (rate(x_bucket[5m]))))",
       "max by (cluster) (histogram_quantile(0.9, sum by (cluster, le) (rate(x_bucket[5m]))))"},
  };
  for (const Case& c : cases) EXPECT_EQ(KeepingLabel(c.given, "cluster"), c.kept) << c.given;
  EXPECT_THROW(KeepingLabel("sum by (", "cluster"), Error);
}

TEST(AggregatedQuestionTest, LabelsThatAnExpressionMentions) {
  EXPECT_EQ(LabelsOf("sum by (le, zone) (rate(x_bucket{job=\"a\", ns!~\"b\"}[5m])) > 1"),
            (std::set<std::string>{"le", "zone", "job", "ns"}));
  EXPECT_EQ(LabelsOf("sum without (pod) ({__name__=\"x\"})"), std::set<std::string>{});
}

}  // namespace
}  // namespace schedlens
