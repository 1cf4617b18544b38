#include <gmock/gmock.h>

#include "lint/linted.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

TEST(PresenceTest, AbsentOfADeadMetricAlwaysFires) {
  ExpectLinted({
      {"absent(scheduler_e2e_scheduling_duration_seconds_count)",
       {"absent-of-dead-metric"},
       "absent(scheduler_scheduling_attempt_duration_seconds_count)"},
      {"absent(scheduler_binding_duration_seconds_count)", {"absent-of-dead-metric"}, nullptr},
      {"absent(scheduler_scheduling_attempt_duration_seconds_count)", {}, nullptr},
      {"absent(up{job=\"kube-scheduler\"} == 1)", {}, nullptr},
      {"absent(scheduler_e2e_scheduling_duration_seconds_count)",
       {"metric-may-be-gone"},
       nullptr,
       std::nullopt},
  });
}

// What serves several releases is no fault of one.
TEST(PresenceTest, AnotherMetricMayAnswer) {
  ExpectLinted({
      {"rate(scheduler_scheduling_attempt_duration_seconds_sum[5m]) or "
       "rate(scheduler_e2e_scheduling_duration_seconds_sum[5m])",
       {},
       nullptr},
      {"rate(scheduler_scheduling_attempt_duration_seconds_sum[5m]) or "
       "rate(scheduler_e2e_scheduling_duration_seconds_sum[5m])",
       {},
       nullptr,
       20},
      {"rate(scheduler_binding_duration_seconds_sum[5m]) or up", {"metric-removed"}, nullptr},
  });
}

TEST(PresenceTest, NamesThatNoReleaseHas) {
  ExpectLinted({
      {"scheduler_pending_pod > 3", {"unknown-metric"}, "scheduler_pending_pods > 3"},
      {"sum(rate(scheduler_scheduling_atempt_duration_seconds_count[5m]))",
       {"unknown-metric"},
       "sum(rate(scheduler_scheduling_attempt_duration_seconds_count[5m]))"},
      {"rate(scheduler_schedule_attempts[5m])",
       {"unknown-metric"},
       "rate(scheduler_schedule_attempts_total[5m])"},
      {"rate(scheduler_schedule_attempts_total_bucket[5m])", {"unknown-metric"}, nullptr},
      {"rate(scheduler_e2e_scheduling_latency_microseconds_sum[5m])", {"metric-removed"}, nullptr},
      // A histogram has no such series either; which of its own is meant is not clear.
      {"rate(scheduler_preemption_victims_total[5m])", {"unknown-metric"}, nullptr},
      // A summary, long gone, never had buckets: those of the attempts are meant.
      {"rate(scheduler_scheduling_duration_seconds_bucket[5m])",
       {"unknown-metric"},
       "rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m])"},
      {"rate(scheduler_scheduling_duration_seconds_bucket[5m])",
       {"unknown-metric"},
       "rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])",
       20},
      {"rate(rest_client_request_latency_seconds_count{job=\"kube-scheduler\"}[5m])",
       {"metric-removed"},
       nullptr},
      {"rate(foreign_pending_pod[5m])", {}, nullptr},
  });
}

// They may be a plugin's: no more than a note.
TEST(PresenceTest, NamesThatMayBeOthers) {
  ExpectLinted({
      {"rate(scheduler_of_somebody_else_total[5m]) > sum(scheduler_pending_pods)",
       {"foreign-metric"},
       nullptr},
      {"rate(scheduler_of_somebody_else_total{job=\"airflow-scheduler\"}[5m])", {}, nullptr},
      {"rate(scheduler_of_somebody_else_total{job=\"kube-scheduler\"}[5m])",
       {"foreign-metric"},
       nullptr},
      {"scheduler_attempts:rate5m > 3", {}, nullptr},
      {"time() - scheduler_schedule_attempts_created > 3", {}, nullptr},
      {"time() - scheduler_pod_scheduling_attempts_created > 3", {}, nullptr},
  });
}

// Rules without a metric of kube-scheduler are about another scheduler altogether; an expression
// by itself is asked about because it is kube-scheduler's.
TEST(PresenceTest, RulesOfAnotherSchedulerAreLeftAlone) {
  const LintRule queue{"g", "queue", true, "scheduler_queue_depth > 1000"};
  const LintRule tasks{"g", "tasks", true, "rate(scheduler_tasks_failed_total[5m]) > 1"};
  const LintRule ours{"g", "ours", true, "scheduler_pending_pods > 100"};
  const LintRule down{"g", "down", true, "absent(up{job=\"kube-scheduler\"})"};
  EXPECT_EQ(test::IdsOf(Lint({queue, tasks}, {})), std::vector<std::string>{});
  EXPECT_EQ(Lint({queue, tasks, ours}, {}).findings.size(), 2u);
  EXPECT_EQ(Lint({queue, tasks, down}, {}).findings.size(), 2u);
  EXPECT_EQ(Lint({{"", "", true, queue.expr}}, {}).findings.size(), 1u);
}

// What is offered without a release is there today.
TEST(PresenceTest, OffersNoNameThatIsGoneToo) {
  const LintRule old{"g", "r", true, "rate(scheduler_binding_latency_microseconds_sum[5m]) > 1"};
  const LintReport report = Lint({old}, {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(report.findings[0].fix.empty());
  LintOptions options;
  options.release = 20;
  EXPECT_EQ(InEnglish(Lint({old}, options).findings[0].fix), "scheduler_binding_duration_seconds");
}

TEST(PresenceTest, WhatARuleRecordsIsThere) {
  const LintRule uses{"g", "uses", true, "scheduler_pending_pod > 3 and scheduler_own_gauge > 1"};
  const LintRule made{"g", "scheduler_pending_pod", false, "sum(scheduler_pending_pods)"};
  LintOptions options;
  options.recorded = {"scheduler_own_gauge"};
  const LintReport report = Lint({uses, made}, options);
  EXPECT_THAT(test::IdsOf(report), testing::IsEmpty());
  EXPECT_EQ(report.fixed[0], uses.expr);
}

TEST(PresenceTest, SaysWhereNothingTookAMetricsPlace) {
  const LintRule rule{"g", "r", true, "rate(scheduler_binding_duration_seconds_sum[5m]) > 1"};
  LintOptions options;
  options.release = 30;
  const LintReport report = Lint({rule}, options);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(InEnglish(report.findings[0].message),
            "scheduler_binding_duration_seconds finds nothing in 1.30: removed in 1.21; no metric "
            "took its place");
}

}  // namespace
}  // namespace schedlens
