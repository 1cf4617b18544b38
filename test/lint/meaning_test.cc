#include "lint/linted.h"

namespace schedlens {
namespace {

using IdList = std::vector<std::string>;

struct NamedCase {
  const char* name;
  bool alerting;
  const char* expr;
  IdList ids;
  const char* fixed;  ///< null: as it was
};

void ExpectNamed(const std::vector<NamedCase>& cases) {
  for (const NamedCase& c : cases) {
    SCOPED_TRACE(std::string(c.name) + ": " + c.expr);
    LintRule rule{"g", c.name, c.alerting, c.expr, 1};
    const LintReport report = Lint({rule}, {33, 15000, {}});
    EXPECT_EQ(test::IdsOf(report), c.ids);
    EXPECT_EQ(report.fixed[0], c.fixed == nullptr ? c.expr : c.fixed);
    rule.expr = report.fixed[0];
    EXPECT_EQ(Lint({rule}, {33, 15000, {}}).fixed[0], rule.expr);
  }
}

TEST(MeaningTest, AGaugeUnderRateIsWhatTheRuleIsCalledAfter) {
  const IdList found = {"rate-of-gauge"}, open = {"rate-of-gauge", "not-mended"};
  ExpectNamed({
      {"queue_depth", false, "sum by (name) (rate(workqueue_depth[5m]))", found,
       "sum by (name) (workqueue_depth)"},
      {"Inflight", true, "sum(rate(apiserver_current_inflight_requests[5m])) > 400", found,
       "sum(apiserver_current_inflight_requests) > 400"},
      {"In-flight requests A", true, "sum(irate(apiserver_current_inflight_requests[5m])) > 400",
       found, "sum(apiserver_current_inflight_requests) > 400"},
      {"QueueGrows", true, "rate(scheduler_pending_pods[5m]) > 1", found,
       "deriv(scheduler_pending_pods[5m]) > 1"},
      {"Pods added: increase", true, "increase(scheduler_pending_pods{queue=\"active\"}[10m]) > 1",
       found, "delta(scheduler_pending_pods{queue=\"active\"}[10m]) > 1"},
      {"Scheduler", true, "rate(scheduler_pending_pods[5m]) > 1", open, nullptr},
      {"Operators", true, "rate(scheduler_pending_pods[5m]) > 1", open, nullptr},
      {"PendingPodsGrowth", true, "rate(scheduler_pending_pods[5m]) > 1", open, nullptr},
      {"workqueue_depth:rate5m", false, "rate(workqueue_depth[5m])", open, nullptr},
      {"LeaderMoved", true, "increase(leader_election_master_status[5m]) > 0", found,
       "changes(leader_election_master_status[5m]) > 0"},
  });
}

TEST(MeaningTest, RecordedSumsOfCountersFallWithARestart) {
  const IdList found = {"counter-without-rate"};
  ExpectNamed({
      {"attempts", false, "sum(scheduler_schedule_attempts_total)", found, nullptr},
      {"attempts:rate5m", false, "sum(scheduler_schedule_attempts_total)", found,
       "sum(rate(scheduler_schedule_attempts_total[5m]))"},
      {"attempts:irate5m", false, "sum(scheduler_schedule_attempts_total)", found,
       "sum(rate(scheduler_schedule_attempts_total[5m]))"},
      {"attempts:burnrate5m", false, "sum(scheduler_schedule_attempts_total)", found,
       "sum(rate(scheduler_schedule_attempts_total[5m]))"},
      {"attempts:increase5m", false, "sum(scheduler_schedule_attempts_total)", found,
       "sum(increase(scheduler_schedule_attempts_total[5m]))"},
      {"scheduler:saturated:ratio", false, "sum(scheduler_schedule_attempts_total)", found,
       nullptr},
      {"bind:mean",
       false,
       "scheduler_scheduling_algorithm_duration_seconds_sum / "
       "scheduler_scheduling_algorithm_duration_seconds_count",
       {"counter-without-rate", "counter-without-rate"},
       "rate(scheduler_scheduling_algorithm_duration_seconds_sum[5m]) / "
       "rate(scheduler_scheduling_algorithm_duration_seconds_count[5m])"},
      {"attempts:of_scheduler",
       false,
       "scheduler_schedule_attempts_total{job=\"kube-scheduler\"}",
       {},
       nullptr},
      {"attempts:rate5m", false, "sum(rate(scheduler_schedule_attempts_total[5m]))", {}, nullptr},
      {"schedulers", false, "count(scheduler_schedule_attempts_total)", {}, nullptr},
      {"leader_changes", false, "sum(etcd_server_leader_changes_seen_total)", found, nullptr},
      {"pending", false, "sum(scheduler_pending_pods)", {}, nullptr},
      {"foreign", false, "sum(foreign_total)", {}, nullptr},
  });
}

TEST(MeaningTest, MeansOfMeansWeighNothing) {
#define SUM "rate(scheduler_scheduling_attempt_duration_seconds_sum[5m])"
#define COUNT "rate(scheduler_scheduling_attempt_duration_seconds_count[5m])"
  test::ExpectLinted({
      {"quantile(0.99, " SUM " / " COUNT ") > 1", {"quantile-of-means"}, nullptr},
      {"avg(" SUM " / " COUNT ") > 1",
       {"quantile-of-means"},
       "(sum(" SUM ") / sum(" COUNT ")) > 1"},
      {"2 * avg by (profile) (" SUM " / " COUNT ")",
       {"quantile-of-means"},
       "2 * (sum by (profile) (" SUM ") / sum by (profile) (" COUNT "))"},
      {"avg(sum by (pod) (" SUM ") / sum by (pod) (" COUNT "))", {"quantile-of-means"}, nullptr},
      {"max(" SUM " / " COUNT ") > 1", {}, nullptr},
      {"sum(" SUM ") / sum(" COUNT ") > 1", {}, nullptr},
      {"avg(rate(own_seconds_sum[5m]) / rate(own_seconds_count[5m]))", {}, nullptr},
  });
}

TEST(MeaningTest, AMeanIsOfTheSameObservations) {
#define SUMS(matchers) "rate(x_seconds_sum" matchers "[5m])"
#define COUNTS(matchers) "rate(x_seconds_count" matchers "[5m])"
  const IdList found = {"mismatched-mean"};
  test::ExpectLinted({
      {"sum(" SUMS("{result=\"a\"}") ") / sum(" COUNTS("") ") > 1", found, nullptr},
      {"sum(" SUMS("") ") / sum(" COUNTS("{result=\"a\"}") ") > 1", found, nullptr},
      {"sum(" SUMS("{r=\"a\"}") ") / sum(" COUNTS("{r=~\"a|b\"}") ") > 1", found, nullptr},
      {"sum by (job) (" SUMS("{r=\"a\"}") ") / sum by (job) (" COUNTS("") ")", found, nullptr},
      {"sum(" SUMS("") ") / sum(rate(x_seconds_count[10m]))", found, nullptr},
      {"sum(" SUMS("") ") / sum(rate(x_seconds_count[5m] offset 1h))", found, nullptr},
      {"sum(" SUMS("{r=\"a\"}") ") / sum(" COUNTS("{r=\"a\"}") ")", {}, nullptr},
      {"sum by (r) (" SUMS("{r=\"a\"}") ") / sum by (r) (" COUNTS("") ")", {}, nullptr},
      {"sum without (pod) (" SUMS("{r=\"a\"}") ") / sum without (pod) (" COUNTS("") ")",
       {},
       nullptr},
      {SUMS("{r=\"a\"}") " / " COUNTS(""), {}, nullptr},
      // Another question: how many of all were quick, or the share of one kind.
      {"sum(rate(x_seconds_bucket{le=\"1.5\"}[5m])) / sum(" COUNTS("{r=\"a\"}") ")", {}, nullptr},
      {"sum(" SUMS("{r=\"a\"}") ") / sum(" SUMS("") ")", {}, nullptr},
      {"sum(" SUMS("{r=\"a\"}") ") / sum(rate(y_seconds_count[5m]))", {}, nullptr},
  });
#undef SUMS
#undef COUNTS
}

TEST(MeaningTest, StandbyReplicasScheduleNothing) {
#define DONE "rate(scheduler_schedule_attempts_total{result=\"scheduled\"}[5m])"
  test::ExpectLinted({
      {DONE " < 20", {"fires-on-standby"}, "sum without (instance, pod) (" DONE ") < 20"},
      {"0 == " DONE, {"fires-on-standby"}, "0 == sum without (instance, pod) (" DONE ")"},
      {"60 * " DONE " <= 5",
       {"fires-on-standby"},
       "60 * sum without (instance, pod) (" DONE ") <= 5"},
      {"sum by (instance) (" DONE ") == 0", {"fires-on-standby"}, nullptr},
      {"sum(" DONE ") < 20", {}, nullptr},
      {"sum by (job) (" DONE ") == 0", {}, nullptr},
      {DONE " > 20", {}, nullptr},
      {DONE " < 20 and on (instance) leader_election_master_status == 1", {}, nullptr},
      {"rate(scheduler_schedule_attempts_total{instance=\"a\"}[5m]) < 20", {}, nullptr},
      {"rate(scheduler_queue_incoming_pods_total[5m]) == 0", {}, nullptr},
      {"scheduler_pending_pods == 0", {}, nullptr},
      {"rate(foreign_total[5m]) == 0", {}, nullptr},
  });
}

TEST(MeaningTest, OtherComponentsDoNotExposeTheSchedulersMetrics) {
  const auto pending = [](const std::string& matchers) {
    return "sum(scheduler_pending_pods{" + matchers + "}) > 100";
  };
  for (const char* matchers : {"job=\"kube-controller-manager\"", "job=~\"etcd|apiserver\"",
                               "container=\"kube-apiserver\""}) {
    test::ExpectLinted({{pending(matchers).c_str(), {"other-target"}, nullptr}});
  }
  for (const char* matchers :
       {"job=\"kube-scheduler\"", "job=\"ksh-metrics\"", "job=~\"etcd|my-scheduler\"",
        "job!=\"etcd\"", "job=~\".*\"", "job=\"$job\"", "namespace=\"etcd\""}) {
    test::ExpectLinted({{pending(matchers).c_str(), {}, nullptr}});
  }
}

TEST(MeaningTest, TheControlPlanesMetricsHaveTheirTargetsToo) {
  const IdList found = {"other-target"};
  test::ExpectLinted({
      {"sum(rate(apiserver_request_total{job=\"kube-scheduler\"}[5m])) > 1", found, nullptr},
      {"sum(rate(etcd_request_duration_seconds_count{job=\"etcd\"}[5m])) > 1", found, nullptr},
      {"etcd_server_has_leader{job=\"kube-apiserver\"} == 0", found, nullptr},
      {"sum(rate(apiserver_request_total{job=~\"apiserver|etcd\"}[5m])) > 1", {}, nullptr},
      {"sum(rate(apiserver_request_total{job=\"metrics-server\"}[5m])) > 1", {}, nullptr},
      {"sum(rate(apiserver_request_total{job=\"kubernetes-apiservers\"}[5m])) > 1", {}, nullptr},
      {"etcd_server_has_leader{job=\"kube-etcd\"} == 0", {}, nullptr},
      // Every component that serves by the library of the API server has it.
      {"rate(apiserver_audit_event_total{job=\"kube-scheduler\"}[5m]) > 1", {}, nullptr},
      {"rate(workqueue_adds_total{job=\"etcd\"}[5m]) > 1", {}, nullptr},
  });
}

TEST(MeaningTest, Release137IsKnown) {
  const IdList too_new = {"metric-too-new"};
  const auto placed =
      "histogram_quantile(0.99, sum by (le) "
      "(rate(scheduler_placement_evaluation_duration_seconds_bucket{result=\"feasible\"}[5m]))) > "
      "1.024";
  const auto preempted =
      "histogram_quantile(0.99, sum by (le, preemptor) "
      "(rate(scheduler_preemption_evaluation_duration_seconds_bucket[5m]))) > 1.024";
  const auto queued = "sum(scheduler_queued_entities{queue=\"active\",type=\"podgroup\"}) > 100";
  const auto incomplete = "sum(scheduler_pending_pods{queue=\"incomplete\"}) > 100";
  for (const char* expr : {placed, preempted, queued}) {
    test::ExpectLinted({{expr, {}, nullptr, 37}, {expr, too_new, nullptr, 36}});
  }
  test::ExpectLinted(
      {{incomplete, {}, nullptr, 37}, {incomplete, {"unknown-label-value"}, nullptr, 36}});
  test::ExpectLinted(
      {{"rate(scheduler_resourceclaim_creates_total[5m]) > 1", {"metric-removed"}, nullptr, 37}});
}

#undef SUM
#undef COUNT
#undef DONE

}  // namespace
}  // namespace schedlens
