// kube-scheduler's metrics as far as a diagnosis uses them.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = {
      {"scheduler_e2e_scheduling_duration_seconds",
       "up to 1.23; hidden in 1.24 to 1.26, gone in 1.27",
       "Every finished attempt by result (scheduled, unschedulable, error) and profile, from "
       "taking the "
       "pod off the queue to the end of the bind. Waiting in the queue is not in it.",
       "Last finite bucket 16.384 s. Without result=\"scheduled\" cheap failed attempts drown the "
       "scheduled ones. Successor: scheduler_scheduling_attempt_duration_seconds, same values."},
      {"scheduler_scheduling_attempt_duration_seconds", "from 1.23",
       "Every finished attempt by result and profile: the same clock and population as "
       "scheduler_e2e_scheduling_duration_seconds.",
       "Last finite bucket 16.384 s. Thresholds of 1 s and 5 s lie inside buckets: (0.512, 1.024] "
       "and "
       "(4.096, 8.192]."},
      {"scheduler_scheduling_algorithm_duration_seconds", "all",
       "Up to 1.29 only attempts that found a node; from 1.30 all that reached the algorithm, "
       "failures "
       "with their preemption included. No result label, no profile.",
       "Contains extenders' filter and prioritize calls, which no extension point shows. A jump at "
       "the "
       "upgrade to 1.30 is a change of population."},
      {"scheduler_binding_duration_seconds", "up to 1.20",
       "Successful binds: an extender's bind or the Bind plugins, and finishing in the cache. "
       "Neither "
       "Permit wait nor PreBind.",
       "Gone in 1.21: its absence does not mean that nothing is bound."},
      {"scheduler_framework_extension_point_duration_seconds", "all",
       "Every run of an extension point, not sampled, by extension_point, status and profile.",
       "Last finite bucket 0.2048 s: use sums. Add all statuses. Filter's status is Success even "
       "when no "
       "node fits. Bind is not observed when an extender binds. Points without plugins add a mass "
       "of "
       "tiny values."},
      {"scheduler_plugin_execution_duration_seconds", "all",
       "One attempt in ten; Filter and Score plugins once a node. The recorder keeps at most about "
       "1000 "
       "observations a second and drops the rest silently.",
       "Last finite bucket 0.0222 s. What survives favours early filters and slow binds. Rank "
       "plugins "
       "within one extension point; never add up, never scale by ten."},
      {"scheduler_permit_wait_duration_seconds", "all",
       "Pods that at least one Permit plugin made wait, by result.",
       "Last finite bucket 16.384 s; gangs wait up to a minute by default."},
      {"scheduler_pod_scheduling_duration_seconds", "up to 1.28",
       "Scheduled pods, from entering the queue to bound: queue, back-off and all attempts, by "
       "attempts.",
       "Pods that are never scheduled are not in it. Up to 1.27 time behind a scheduling gate "
       "counts. "
       "Restart and leader change set its clock to zero."},
      {"scheduler_pod_scheduling_sli_duration_seconds", "from 1.29",
       "Scheduled pods, from first entering the active queue to bound, by attempts; time behind a "
       "gate is "
       "left out.",
       "Pods that are never scheduled are not in it."},
      {"scheduler_pod_scheduling_attempts", "all",
       "Scheduled pods: how many attempts each one took.",
       "Pods that are never scheduled are not in it."},
      {"scheduler_schedule_attempts_total", "all",
       "Finished attempts by result and profile: equal to the count of e2e.", ""},
      {"scheduler_pending_pods", "all",
       "Pods in the queues now: active, backoff, unschedulable, and gated from 1.26.",
       "A pod that is being tried or bound is in none of them."},
      {"scheduler_queue_incoming_pods_total", "all", "Pods put into a queue, by queue and event.",
       "Event names changed in 1.32."},
      {"scheduler_unschedulable_pods", "from 1.24",
       "Pods that are unschedulable now, by the plugin that rejected them.",
       "A pod counts once under each plugin that rejected it."},
      {"scheduler_preemption_attempts_total", "all", "Every run of preemption, successful or not.",
       ""},
      {"scheduler_preemption_victims", "all", "Preemptions that chose victims: how many each.",
       "Bucket bounds changed in 1.26."},
      {"scheduler_plugin_evaluation_total", "from 1.27",
       "Calls of plugins, not sampled: Filter and Score once a node, PreFilter and PreScore once "
       "an "
       "attempt.",
       "Preemption's dry runs count too."},
      {"scheduler_scheduler_goroutines", "up to 1.26",
       "Running goroutines by work; work=\"binding\" are pods in the binding cycle.",
       "Successor: scheduler_goroutines{operation=\"binding\"}."},
      {"scheduler_goroutines", "from 1.26",
       "Running goroutines by operation; operation=\"binding\" are pods in the binding cycle.", ""},
      {"scheduler_async_api_call_execution_duration_seconds",
       "from 1.34, gate SchedulerAsyncAPICalls",
       "API calls of the dispatcher by call_type and result: rate limiter and request.",
       "Waiting in the dispatcher's queue is not in it."},
      {"scheduler_pending_async_api_calls", "from 1.34, gate SchedulerAsyncAPICalls",
       "API calls that wait in the dispatcher's queue now.", ""},
      {"rest_client_request_duration_seconds", "all",
       "The scheduler's requests; the clock starts before the rate limiter and ends after the last "
       "retry. By verb and url (up to 1.23), verb and host (from 1.24).",
       "Includes the client's own throttling: it is not the API server's latency. From 1.24 binds "
       "and "
       "events are one POST series. Last finite bucket 0.512 s up to 1.23, 60 s after."},
      {"rest_client_rate_limiter_duration_seconds", "from 1.22",
       "Waits in the client's rate limiter, zero waits included, labels as for the requests.",
       "Events have a limiter of their own; from 1.24 it reports into the same series."},
      {"rest_client_requests_total", "all", "The scheduler's requests by code, method and host.",
       ""},
      {"process_cpu_seconds_total", "all", "CPU time of the process, user and system.", ""},
      {"process_start_time_seconds", "all", "When the process started; a change is a restart.", ""},
  };
  return all;
}

}  // namespace schedlens
