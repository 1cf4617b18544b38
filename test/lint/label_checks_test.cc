#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

TEST(LabelChecksTest, ValuesAreThoseOfTheRelease) {
  ExpectLinted({
      {"scheduler_pending_pods{queue=\"pending\"} > 3", {"unknown-label-value"}, nullptr},
      {"scheduler_pending_pods{queue=\"gated\"} > 3", {}, nullptr},
      {"scheduler_pending_pods{queue=\"gated\"} > 3", {"unknown-label-value"}, nullptr, 25},
      {"scheduler_pending_pods{queue=\"gated\"} > 3", {}, nullptr, std::nullopt},
      {"scheduler_pending_pods{queue='unschedulabel'} > 3",
       {"unknown-label-value"},
       "scheduler_pending_pods{queue='unschedulable'} > 3"},
      {"scheduler_pending_pods{job=\"x\", queue=~\"active|backof\"} > 3",
       {"unknown-label-value"},
       "scheduler_pending_pods{job=\"x\", queue=~\"active|backoff\"} > 3"},
      {"scheduler_pending_pods{queue=~\"un.*\"} > 3", {}, nullptr},
      // The opposite is never meant.
      {"rate(scheduler_schedule_attempts_total{result=\"unscheduled\"}[5m]) > 3",
       {"unknown-label-value"},
       nullptr},
      {"scheduler_pending_pods{queue=\"schedulable\"} > 3", {"unknown-label-value"}, nullptr},
      {"scheduler_pending_pods{queue=~\"wait.*\"} > 3", {"unknown-label-value"}, nullptr},
      {"rate(scheduler_schedule_attempts_total{result!=\"success\"}[5m]) > 3",
       {"unknown-label-value"},
       nullptr},
      {"rate(scheduler_framework_extension_point_duration_seconds_sum{extension_point=\"filter\"}"
       "[5m]) > 3",
       {"unknown-label-value"},
       "rate(scheduler_framework_extension_point_duration_seconds_sum{extension_point=\"Filter\"}"
       "[5m]) > 3"},
      // Nobody has a list of the plugins.
      {"rate(scheduler_plugin_execution_duration_seconds_sum{plugin=\"Mine\"}[5m]) > 3",
       {},
       nullptr},
  });
}

TEST(LabelChecksTest, LabelsAreTheMetricsOrTheScrapes) {
  ExpectLinted({
      {"rate(scheduler_plugin_execution_duration_seconds_sum{result=\"scheduled\"}[5m])",
       {"unknown-label"},
       nullptr},
      {"rate(scheduler_framework_extension_point_duration_seconds_sum{extention_point=\"Bind\"}"
       "[5m])",
       {"unknown-label"},
       "rate(scheduler_framework_extension_point_duration_seconds_sum{extension_point=\"Bind\"}"
       "[5m])"},
      {"scheduler_pending_pods{cluster=\"a\", tier=\"b\", type=\"c\"} > 3", {}, nullptr},
      {"rate(scheduler_plugin_execution_duration_seconds_sum{result!=\"scheduled\"}[5m])",
       {},
       nullptr},
      {"rate(scheduler_e2e_scheduling_duration_seconds_sum{result=\"scheduled\"}[5m])",
       {"unknown-label"},
       nullptr,
       18},
  });
}

// Durations had the URL until 1.23 and have the host since; requests are counted by host.
TEST(LabelChecksTest, ClientsLabelsAreThoseOfTheRelease) {
  const char* by_url =
      "histogram_quantile(0.99, sum by (verb, url, le) "
      "(rate(rest_client_request_duration_seconds_bucket{job=\"kube-scheduler\"}[5m])))";
  ExpectLinted(
      {
          {by_url, {"unknown-grouping"}, nullptr, 24},
          {by_url, {}, nullptr, 23},
          {by_url, {}, nullptr, std::nullopt},
          {"rate(rest_client_request_duration_seconds_sum{url=~\".*bindings\"}[5m])",
           {"unknown-label"},
           nullptr},
          {"sum by (url) (rate(rest_client_requests_total[5m]))",
           {"unknown-grouping"},
           nullptr,
           std::nullopt},
          {"sum by (verb) (rate(rest_client_requests_total{verb=\"POST\"}[5m]))",
           {"unknown-label", "unknown-grouping"},
           "sum by (method) (rate(rest_client_requests_total{method=\"POST\"}[5m]))"},
          {"sum by (host) (rate(rest_client_rate_limiter_duration_seconds_sum[5m]))",
           {},
           nullptr,
           22},
          {"sum by (url) (rate(process_cpu_seconds_total{job=\"kube-scheduler\"}[5m]))",
           {},
           nullptr},
      },
      /*panel=*/true);
}

TEST(LabelChecksTest, GroupsAreMadeByLabelsThatThereAre) {
  ExpectLinted({
      {"sum by (reason) (rate(scheduler_schedule_attempts_total[5m]))",
       {"unknown-grouping"},
       nullptr},
      {"sum by (extension_points) "
       "(rate(scheduler_framework_extension_point_duration_seconds_sum[5m]))",
       {"unknown-grouping"},
       "sum by (extension_point) "
       "(rate(scheduler_framework_extension_point_duration_seconds_sum[5m]))"},
      {"sum by (result) (rate(scheduler_plugin_execution_duration_seconds_sum[5m]))",
       {"unknown-grouping"},
       nullptr},
      {"sum by (region) (rate(scheduler_plugin_execution_duration_seconds_sum[5m]))", {}, nullptr},
      {"sum by (result) (label_replace(scheduler_pending_pods, \"result\", \"x\", \"queue\", "
       "\".*\"))",
       {},
       nullptr},
      {"sum by (result) (foreign)", {}, nullptr},
  });
}

TEST(LabelChecksTest, BoundsAreThoseOfTheBuckets) {
  ExpectLinted({
      {"rate(scheduler_scheduling_attempt_duration_seconds_bucket{le=\"1\"}[5m])",
       {"unknown-label-value"},
       "rate(scheduler_scheduling_attempt_duration_seconds_bucket{le=\"1.024\"}[5m])"},
      {"rate(scheduler_scheduling_attempt_duration_seconds_bucket{le=\"+Inf\"}[5m])", {}, nullptr},
      {"rate(scheduler_pod_scheduling_attempts_bucket{le=\"4.0\"}[5m])", {}, nullptr},
      {"rate(scheduler_scheduling_attempt_duration_seconds_count{le=\"1.024\"}[5m])",
       {"unknown-label"},
       nullptr},
      {"rate(foreign_bucket{le=\"1.5\"}[5m])", {}, nullptr},
  });
}

}  // namespace
}  // namespace schedlens
