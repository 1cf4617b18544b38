#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

TEST(RatesTest, ACounterIsComparedByItsIncrease) {
  ExpectLinted({
      {"sum(scheduler_schedule_attempts_total{result=\"error\"}) > 100",
       {"counter-without-rate"},
       "sum(increase(scheduler_schedule_attempts_total{result=\"error\"}[5m])) > 100"},
      {"100 < scheduler_preemption_attempts_total",
       {"counter-without-rate"},
       "100 < increase(scheduler_preemption_attempts_total[5m])"},
      {"scheduler_scheduling_attempt_duration_seconds_sum{result=\"scheduled\"} / "
       "scheduler_scheduling_attempt_duration_seconds_count{result=\"scheduled\"} > 0.5",
       {"counter-without-rate", "counter-without-rate"},
       "rate(scheduler_scheduling_attempt_duration_seconds_sum{result=\"scheduled\"}[5m]) / "
       "rate(scheduler_scheduling_attempt_duration_seconds_count{result=\"scheduled\"}[5m]) > 0.5"},
      {"quantile(0.9, scheduler_schedule_attempts_total)",
       {"counter-without-rate"},
       "quantile(0.9, increase(scheduler_schedule_attempts_total[5m]))"},
      {"etcd_server_proposals_failed_total > 5",
       {"counter-without-rate"},
       "increase(etcd_server_proposals_failed_total[5m]) > 5"},
      {"sum(apiserver_request_total{code=\"504\"}) > 5",
       {"counter-without-rate"},
       "sum(increase(apiserver_request_total{code=\"504\"}[5m])) > 5"},
  });
}

TEST(RatesTest, SomeReadingsOfACounterAreMeant) {
  ExpectLinted({
      {"scheduler_preemption_attempts_total == 0", {}, nullptr},
      {"scheduler_preemption_attempts_total - scheduler_preemption_attempts_total offset 5m > 10",
       {},
       nullptr},
      {"count(scheduler_schedule_attempts_total) > 3", {}, nullptr},
      {"sum(scheduler_pending_pods) > 10 and scheduler_preemption_attempts_total > 0", {}, nullptr},
      {"scheduler_scheduling_algorithm_duration_seconds_count > 0 and on (job) up == 0",
       {},
       nullptr},
      {"resets(scheduler_preemption_attempts_total[1h]) > 2", {}, nullptr},
      {"foreign_total > 3", {}, nullptr},
      {"etcd_server_proposals_committed_total > 3", {}, nullptr},
      {"etcd_server_leader_changes_seen_total - etcd_server_leader_changes_seen_total offset 1h > "
       "2",
       {},
       nullptr},
      {"scheduler_pending_pods > 10", {}, nullptr},
  });
}

TEST(RatesTest, RangeFunctionsFitTheKindOfMetric) {
  ExpectLinted({
      {"rate(scheduler_pending_pods[5m]) > 1", {"rate-of-gauge", "not-mended"}, nullptr},
      {"increase(process_start_time_seconds{job=\"kube-scheduler\"}[10m]) > 0",
       {"rate-of-gauge"},
       "changes(process_start_time_seconds{job=\"kube-scheduler\"}[10m]) > 0"},
      // Any restart is more than one second; more than one change is two of them.
      {"increase(process_start_time_seconds{job=\"kube-scheduler\"}[10m]) > 1",
       {"rate-of-gauge", "not-mended"},
       nullptr},
      {"60 < sum(increase(process_start_time_seconds{job=\"kube-scheduler\"}[10m]))",
       {"rate-of-gauge", "not-mended"},
       nullptr},
      {"increase(leader_election_master_status{name=\"a\"}[10m]) > 0 and up > 1",
       {"rate-of-gauge"},
       "changes(leader_election_master_status{name=\"a\"}[10m]) > 0 and up > 1"},
      {"rate(etcd_server_proposals_committed_total[5m]) > 1000", {"gauge-that-counts"}, nullptr},
      {"sum(delta(scheduler_schedule_attempts_total[5m])) > 1",
       {"delta-of-counter"},
       "sum(increase(scheduler_schedule_attempts_total[5m])) > 1"},
      {"deriv(scheduler_scheduling_algorithm_duration_seconds_sum[5m]) > 1",
       {"delta-of-counter"},
       "rate(scheduler_scheduling_algorithm_duration_seconds_sum[5m]) > 1"},
      {"idelta(scheduler_schedule_attempts_total[5m]) > 1", {"delta-of-counter"}, nullptr},
      {"delta(scheduler_pending_pods[5m]) > 1", {}, nullptr},
      {"rate(foreign[5m]) > 1", {}, nullptr},
  });
}

TEST(RatesTest, RatesComeBeforeSums) {
  ExpectLinted({
      {"rate(sum by (result) (scheduler_schedule_attempts_total)[5m:])",
       {"sum-before-rate"},
       "sum by (result) (rate(scheduler_schedule_attempts_total[5m]))"},
      {"increase(sum(foreign_total{a=\"b\"})[1h:1m]) > 3",
       {"sum-before-rate"},
       "sum(increase(foreign_total{a=\"b\"}[1h])) > 3"},
      // The idiom of counters that change hands between processes.
      {"increase((max without (pod) (foreign_total))[15m:1m]) > 3", {}, nullptr},
      {"rate(sum(foreign)[5m:])", {}, nullptr},
  });
}

TEST(RatesTest, RatesComeBeforeRecordedSums) {
  const std::vector<LintRule> rules = {
      {"g", "attempts:sum", false, "sum by (result) (scheduler_schedule_attempts_total)", 1},
      {"g", "A", true, "rate(attempts:sum[10m]) > 3", 2}};
  const LintReport report = Lint(rules, {30, 15000, {}});
  EXPECT_EQ(test::IdsOf(report),
            (std::vector<std::string>{"counter-without-rate", "sum-before-rate"}));
  EXPECT_EQ(report.fixed[0], rules[0].expr) << "its readers may take the rate";
  EXPECT_EQ(report.fixed[1], "sum by (result) (rate(scheduler_schedule_attempts_total[10m])) > 3");
}

}  // namespace
}  // namespace schedlens
