#include "lint/checks.h"
#include "lint/linted.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

bool OfAnother(const std::string& selector) {
  return lint::IsOfAnotherProgram(*promql::ParsePrometheus(selector)->As<promql::Selector>());
}

TEST(ProgramTest, IsNamedByItsTarget) {
  EXPECT_TRUE(OfAnother("rest_client_requests_total{job=\"database-operator\"}"));
  EXPECT_TRUE(OfAnother("rest_client_requests_total{pod=~\"operator-.*\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{job!=\"database-operator\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{job=\"kubelet\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{job=\"apiserver\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{namespace=\"ops\", job=\"kube-scheduler\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{job=~\".+\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{job=\"ack-scheduler\"}"));
  EXPECT_FALSE(OfAnother("rest_client_requests_total{pod=~\".*scheduler.*\"}"));
  EXPECT_FALSE(OfAnother("scheduler_pending_pods{job=\"database-operator\"}"));
}

// The bounds and labels of the table are those of Kubernetes.
TEST(ProgramTest, OfAnotherIsNotJudgedByKubernetesTable) {
  ExpectLinted({
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(rest_client_request_duration_seconds_bucket{job=\"database-operator\"}[5m]))) > 0.7",
       {},
       nullptr},
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(rest_client_request_duration_seconds_bucket{job=\"kube-scheduler\"}[5m]))) > 0.7",
       {"threshold-inside-bucket"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(rest_client_request_duration_seconds_bucket{job=\"kube-scheduler\"}[5m]))) > 0.5"},
      {"sum by (url) (rate(rest_client_requests_total{service=\"database\"}[5m])) > 3",
       {},
       nullptr},
      {"rate(rest_client_rate_limiter_duration_seconds_sum{job=\"database-operator\"}[5m]) > 1",
       {},
       nullptr,
       20},
  });
}

}  // namespace
}  // namespace schedlens
