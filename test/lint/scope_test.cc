#include <gmock/gmock.h>

#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;
using test::IdsOf;
using testing::ElementsAre;
using testing::IsEmpty;

LintReport WithFor(std::int64_t for_ms, std::optional<std::int64_t> interval_ms) {
  LintRule rule{"g", "A", true, "scheduler_pending_pods > 3", 1};
  rule.for_ms = for_ms;
  rule.interval_ms = interval_ms;
  return Lint({rule}, {30, 15000, {}});
}

TEST(ScopeTest, ForIsTwoEvaluationsAtLeast) {
  EXPECT_THAT(IdsOf(WithFor(60000, 60000)), ElementsAre("short-for"));
  EXPECT_THAT(IdsOf(WithFor(120000, 60000)), IsEmpty());
  EXPECT_THAT(IdsOf(WithFor(0, 60000)), IsEmpty());
  EXPECT_THAT(IdsOf(WithFor(1000, std::nullopt)), IsEmpty());
}

TEST(ScopeTest, SharedMetricsNeedAJob) {
  ExpectLinted({
      {"sum(rate(rest_client_requests_total{code=~\"5..\"}[5m])) > 1", {"mixed-jobs"}, nullptr},
      {"histogram_quantile(0.99, sum by (le, verb) "
       "(rate(rest_client_rate_limiter_duration_seconds_bucket[5m]))) > 1",
       {"mixed-jobs"},
       nullptr},
      {"sum(rate(rest_client_requests_total{job=\"kube-scheduler\"}[5m])) > 1", {}, nullptr},
      {"sum by (instance, job) (rate(rest_client_requests_total[5m])) > 1", {}, nullptr},
      {"sum without (code) (rate(rest_client_requests_total[5m])) > 1", {}, nullptr},
      {"rate(process_cpu_seconds_total[5m]) > 1", {}, nullptr},
      {"topk(3, rate(process_cpu_seconds_total[5m])) > 1", {}, nullptr},
      {"count(count by (git_version) (kubernetes_build_info)) > 1", {}, nullptr},
      {"sum(scheduler_pending_pods) > 1", {}, nullptr},
  });
}

std::string FixedForClusters(const std::string& expr, std::size_t findings) {
  LintOptions options{30, 15000, {}};
  options.several_clusters = true;
  const LintReport report = Lint({{"g", "A", true, expr, 1}}, options);
  EXPECT_EQ(IdsOf(report), std::vector<std::string>(findings, "cluster-dropped")) << expr;
  return report.fixed[0];
}

TEST(ScopeTest, SeveralClustersStayApart) {
  EXPECT_EQ(FixedForClusters("sum(scheduler_pending_pods) > 1", 1),
            "sum by (cluster) (scheduler_pending_pods) > 1");
  EXPECT_EQ(FixedForClusters("sum by (queue) (scheduler_pending_pods) > 1", 1),
            "sum by (cluster, queue) (scheduler_pending_pods) > 1");
  for (const char* good :
       {"sum(scheduler_pending_pods{cluster=\"a\"}) > 1", "sum(up) > 1", "scheduler_pending_pods",
        "sum without (pod) (scheduler_pending_pods)", "topk(3, scheduler_pending_pods)"}) {
    EXPECT_EQ(FixedForClusters(good, 0), good);
  }
  // Its two sides would no longer fit.
  const std::string matched =
      "sum(scheduler_pending_pods) / on () group_left count(scheduler_pending_pods)";
  EXPECT_EQ(FixedForClusters(matched, 1), matched);
}

TEST(ScopeTest, ARuleThatGroupsByClusterSaysThatThereAreSeveral) {
  const LintReport report =
      Lint({{"g", "A", true, "sum by (cluster) (scheduler_pending_pods) > 1", 1},
            {"g", "B", true, "sum(scheduler_pending_pods) > 9", 2}},
           {30, 15000, {}});
  EXPECT_THAT(IdsOf(report), ElementsAre("cluster-dropped"));
  EXPECT_EQ(report.findings[0].rule, 1u);
}

}  // namespace
}  // namespace schedlens
