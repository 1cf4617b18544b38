#include "analysis/lint/presence.h"

#include "analysis/lint/linted.h"

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
      // A summary, long gone; it never had buckets.
      {"rate(scheduler_scheduling_duration_seconds_bucket[5m])", {"unknown-metric"}, nullptr},
      {"rate(scheduler_of_somebody_else_total[5m])", {}, nullptr},
      {"rate(foreign_pending_pod[5m])", {}, nullptr},
  });
}

}  // namespace
}  // namespace schedlens
