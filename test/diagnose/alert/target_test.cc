#include <gtest/gtest.h>

#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

promql::AlertExpression With(const std::string& matchers, const std::string& by = "le") {
  return promql::ParseAlertExpression("histogram_quantile(0.99, sum by (" + by +
                                      ") (rate(scheduler_x_bucket{" + matchers + "}[5m]))) > 1");
}

TEST(AlertTarget, MatchersOfTargetsAreKeptThoseOfMeasurementsAreNot) {
  const auto of = [](const std::string& matchers) {
    return MatchersText(TargetMatchers(With(matchers)));
  };
  EXPECT_EQ(of("job=\"a\", result=\"scheduled\", le!=\"+Inf\""), "job=\"a\"");
  EXPECT_EQ(of("job=~\"a|b\",namespace!=\"x\""), "job=~\"a|b\",namespace!=\"x\"");
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("result=\"scheduled\""), "");
}

TEST(AlertTarget, OfAnotherProgramsMetricOnlyLabelsOfTheClusterAreKept) {
  const struct {
    const char* expr;
    const char* kept;
  } cases[] = {
      {"kube_pod_status_phase{job=\"kube-state-metrics\",cluster=\"a\",phase=\"Pending\"} > 10",
       "cluster=\"a\""},
      {"sum(kube_pod_status_phase{namespace=\"x\",region=~\"r.*\",env!=\"dev\"}) > 10",
       "region=~\"r.*\",env!=\"dev\""},
      {"kube_pod_status_phase{job=\"kube-state-metrics\"} > 10", ""},
      {"scheduler_pending_pods{job=\"s\",cluster=\"a\"} > 10", "job=\"s\",cluster=\"a\""},
      {"rate(rest_client_requests_total{job=\"s\"}[5m]) > 10", "job=\"s\""},
      {"rate(rest_client_requests_total{job=\"s\",code=~\"5..\",method=\"POST\"}[5m]) > 1",
       "job=\"s\""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(MatchersText(TargetMatchers(promql::ParseAlertExpression(c.expr))), c.kept) << c.expr;
  }
}

TEST(AlertTarget, WhatReadsNothingOfTheControlPlaneIsAboutSomethingElse) {
  Facts facts;
  facts.targets.push_back({});
  facts.targets.back().id = Labels({{"job", "sched"}});
  const struct {
    const char* expr;
    bool about;
  } cases[] = {
      {"node_load1 > 3", false},
      {"up{job=\"node-exporter\",cluster=\"\"} == 0", false},
      {"absent(up{job=\"kubelet\"} == 1)", false},
      {"max_over_time(kube_pod_container_status_waiting_reason{reason=\"x\"}[5m]) >= 1", false},
      {"up{job=\"sched\"} == 0", true},
      {"absent(up{job=~\".*apiserver.*\"} == 1)", true},
      {"up == 0", true},
      {"rate(grpc_server_handled_total{job=~\".*etcd.*\",grpc_code=\"Unavailable\"}[5m]) > 1",
       true},
      {"rate(grpc_server_handled_total{job=\"payments\"}[5m]) > 1", false},
      {"rate(grpc_server_handled_total[5m]) > 1", false},
      {"sum(kube_pod_status_phase{phase=\"Pending\"}) > 10", true},
      {"cluster_quantile:apiserver_request_slo_duration_seconds:histogram_quantile > 1", true},
      {"rate(etcd_disk_wal_fsync_duration_seconds_sum[5m]) > 1", true},
      {"rate(rest_client_requests_total{job=\"sched\"}[5m]) > 10", true},
      {"node_load1 > 3 and on () sum(scheduler_pending_pods) > 10", true},
      {"{__name__=~\"a.*\"} > 1", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(IsAboutControlPlane(*promql::ParseAlertExpression(c.expr).ast, facts, {}), c.about)
        << c.expr;
  }
  const auto down = promql::ParseAlertExpression("up == 0");
  EXPECT_FALSE(IsAboutControlPlane(*down.ast, facts, Labels({{"job", "gone"}})));
  EXPECT_TRUE(IsAboutControlPlane(*down.ast, facts, Labels({{"job", "sched"}})));
}

TEST(AlertTarget, AFiringOfAnotherProgramsMetricNarrowsByTheCluster) {
  const Labels firing({{"alertname", "Pending"},
                       {"cluster", "a"},
                       {"job", "j"},
                       {"namespace", "n"},
                       {"phase", "Pending"},
                       {"region", "r"}});
  const auto of = [&](const std::string& name) {
    return MatchersText(FiringMatchers(
        promql::ParseAlertExpression("sum by (cluster, job, namespace, region) (" + name + ") > 1"),
        firing));
  };
  EXPECT_EQ(of("kube_pod_status_phase"), "cluster=\"a\",region=\"r\"");
  EXPECT_EQ(of("scheduler_pending_pods"), "cluster=\"a\",job=\"j\",namespace=\"n\",region=\"r\"");
}

TEST(AlertTarget, AFiringNarrowsByWhatTellsSchedulersApart) {
  const Labels firing({{"alertname", "Slow"},
                       {"cluster", "a\"b"},
                       {"job", "s"},
                       {"region", "r"},
                       {"result", "error"},
                       {"severity", "page"}});
  EXPECT_EQ(MatchersText(FiringMatchers(With(""), firing)), "cluster=\"a\\\"b\",job=\"s\"");
  EXPECT_EQ(MatchersText(FiringMatchers(With("", "le, region, result"), firing)),
            "cluster=\"a\\\"b\",job=\"s\",region=\"r\"");
}

TEST(AlertTarget, SelectorsAreJoinedWithoutSayingAnythingTwice) {
  const auto more = TargetMatchers(With("job=\"s\",cluster=~\"a|b\""));
  EXPECT_EQ(JoinedSelector("", more), "job=\"s\",cluster=~\"a|b\"");
  EXPECT_EQ(JoinedSelector("cluster=~\"a|b\"", more), "cluster=~\"a|b\",job=\"s\"");
  EXPECT_EQ(JoinedSelector("job = \"s\" , cluster=~\"a|b\"", more),
            "job = \"s\" , cluster=~\"a|b\"");
  EXPECT_THROW(JoinedSelector("job", more), Error);
}

TEST(AlertTarget, AnExpressionIsNarrowedWhereItIsAboutASchedulersMetrics) {
  const std::string expr = "sum(rate(scheduler_x_sum{job=\"s\"}[5m])) > 2 and on () up == 1";
  EXPECT_EQ(NarrowedExpression(expr, "job=\"s\""), expr) << "word for word";
  EXPECT_EQ(NarrowedExpression(expr, "job=\"s\",cluster=\"a\""),
            "sum(rate(scheduler_x_sum{job=\"s\",cluster=\"a\"}[5m])) > 2 and on () up == 1");
  EXPECT_EQ(NarrowedExpression(expr, ""), expr);
}

TEST(AlertTarget, RangesAndUnknownLabelsOfRawPages) {
  const std::string expr = "rate(scheduler_x_sum{job=\"s\",result=\"error\"}[5m])";
  EXPECT_EQ(WithRange(expr, 600'000), "rate(scheduler_x_sum{job=\"s\",result=\"error\"}[10m])");
  EXPECT_EQ(WithRange(expr, 300'000), expr);
  EXPECT_EQ(WithoutUnknownTargets(expr, {"result"}), "rate(scheduler_x_sum{result=\"error\"}[5m])");
  EXPECT_EQ(WithoutUnknownTargets(expr, {"job"}), expr);
}

}  // namespace
}  // namespace schedlens
