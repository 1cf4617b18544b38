// The findings: causes in the order of the scheduling attempt, then remarks about the number.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<FindingText>& OwnFindingTexts() {
  static const std::vector<FindingText> all = {
      {"bind.extender",
       "A scheduler extender with a bindVerb binds pods in place of the Bind plugins. "
       "kube-scheduler "
       "has no metric for that call: its time is inside e2e (up to 1.20 also inside "
       "binding_duration) and nowhere else. That is why every Bind plugin looks fast or is absent.",
       "PostBind counts more attempts than Bind with status Success: the difference was bound by "
       "an "
       "extender. What is left of the bind after the Bind plugins' sum has grown, and divided by "
       "that count it is the mean extender bind.",
       5,
       "scheduler_binding_duration_seconds (up to 1.20); from 1.21 on the extender's own request "
       "duration for bind."},
      {"bind.apiserver",
       "POST .../pods/NAME/binding itself takes long: API server, its admission webhooks, etcd, or "
       "the "
       "network between. Binds run in goroutines of their own, so the scheduling loop stays fast.",
       "The Bind extension point's sum has grown, and little of it is waiting in the scheduler's "
       "own rate limiter; without that metric: binds leave the scheduler as unevenly as they enter "
       "it. "
       "The scheduler sees the call alone, not whether the server or the way to it was slow.",
       4,
       "apiserver_request_duration_seconds{resource=\"pods\",subresource=\"binding\"}: the "
       "server's own "
       "time for the same requests."},
      {"bind.client-throttling",
       "kube-scheduler sends binds, status patches and victim deletions through one token bucket, "
       "clientConnection.qps (50 by default) with clientConnection.burst (100). More work than "
       "that "
       "per second waits in the client, before any request is sent.",
       "rest_client_rate_limiter_duration_seconds of POST makes up the growth of the Bind "
       "extension "
       "point; without that metric: binds leave at a flat rate near the limit while running "
       "binding "
       "cycles pile up.",
       4, "rest_client_rate_limiter_duration_seconds of the scheduler (from 1.22)."},
      {"bind.async-queue",
       "With the feature gate SchedulerAsyncAPICalls (on in 1.34.0, 1.34.1 and 1.35.0) a bind is "
       "handed "
       "to a dispatcher that runs at most `parallelism` (16) calls at once, shared with status "
       "patches. Waiting in that queue counts as bind time.",
       "The Bind extension point's sum exceeds async_api_call_execution_duration of pod_binding by "
       "far, "
       "and calls are pending.",
       3,
       "scheduler_pending_async_api_calls and "
       "scheduler_async_api_call_execution_duration_seconds{call_type=\"pod_binding\"}."},
      {"algorithm.extender",
       "Filter calls to extenders run one after the other on the single scheduling loop, "
       "prioritize "
       "calls together but waited for. Neither is in any extension point's metric; every pod "
       "behind "
       "waits.",
       "The part of the algorithm outside PreFilter, Filter, PreScore and Score has grown by more "
       "seconds than the scheduler's process had CPU: it waited rather than computed. That an "
       "extender was waited for, and not a throttled CPU, its own metrics say.",
       4, "The extender's own request duration for filter and prioritize."},
      {"algorithm.prefilter",
       "PreFilter runs once an attempt on the scheduling loop, its plugins one after the other. "
       "InterPodAffinity and PodTopologySpread walk all nodes and their pods there, whatever "
       "percentageOfNodesToScore says.",
       "The sum of the PreFilter extension point per attempt has grown against the baseline.", 3,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreFilter\"}, or a CPU "
       "profile "
       "from /debug/pprof/profile."},
      {"algorithm.filter",
       "Filter runs all filter plugins on node after node, up to 16 at a time, until enough "
       "feasible "
       "nodes are found. When few nodes fit, all nodes are tried: a full cluster makes it slow.",
       "The sum of the Filter extension point per attempt has grown against the baseline.", 4,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Filter\"} together with "
       "scheduler_plugin_evaluation_total."},
      {"algorithm.prescore",
       "PreScore runs once an attempt that has more than one feasible node. InterPodAffinity and "
       "PodTopologySpread count pods over all nodes there.",
       "The sum of the PreScore extension point per attempt has grown against the baseline.", 3,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreScore\"}."},
      {"algorithm.score",
       "Score runs all score plugins over the feasible nodes, then normalises: one observation "
       "covers "
       "both. Extenders' prioritize calls are not in it.",
       "The sum of the Score extension point per attempt has grown against the baseline.", 3,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Score\"}."},
      {"algorithm.cpu-starved",
       "The process is throttled by its CPU limit, or its host is full. Every step that computes "
       "gets "
       "slower, most visibly the parts without a metric of their own; bind goroutines suffer too.",
       "Attempts cost more algorithm time, the process used at least twice the CPU that it used "
       "before, and bind time follows the loop's busy seconds scrape by scrape. Whether a limit, "
       "the "
       "host or more work is behind it, the container's own metrics say.",
       4, "container_cpu_cfs_throttled_seconds_total of the scheduler's container."},
      {"preemption",
       "After no node fits, PostFilter looks for victims, dry-runs their removal and deletes them. "
       "Up "
       "to 1.25 victims are deleted one by one through the throttled client, up to 1.32 in "
       "parallel "
       "but still inside the attempt, from 1.33 in the background.",
       "The PostFilter sum makes up the time of the unschedulable attempts and has grown against "
       "the "
       "baseline.",
       4, "scheduler_framework_extension_point_duration_seconds{extension_point=\"PostFilter\"}."},
      {"attempts.unschedulable",
       "Pods that fit nowhere are tried again and again. Such attempts are short: in a quantile "
       "over all "
       "results they drown the scheduled pods. Each newly unschedulable pod also costs a status "
       "PATCH "
       "on the scheduling loop, through the same client limit as binds.",
       "The increase of attempts with result unschedulable exceeds that of scheduled, or its share "
       "rose "
       "against the baseline.",
       4, "scheduler_schedule_attempts_total by result."},
      {"attempts.error",
       "Attempts with result error: a plugin or extender failed, a bind was refused, or volumes or "
       "claims timed out. The pod is retried with back-off.",
       "The increase of attempts with result error is no longer small compared with the scheduled "
       "ones.",
       3, "scheduler_framework_extension_point_duration_seconds_count by status."},
      {"reserve",
       "Reserve runs on the single scheduling loop after a node was chosen: a slow plugin there "
       "holds up "
       "every pod.",
       "The sum of the Reserve extension point per attempt has grown against the baseline.", 2,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Reserve\"}."},
      {"permit.wait",
       "A Permit plugin (gang scheduling, quota) made pods wait until others arrive or time runs "
       "out. "
       "The wait is inside e2e but takes no scheduler work; when a gang is complete all members go "
       "on "
       "at once.",
       "permit_wait_duration has grown against the baseline and makes up the excess.", 4,
       "scheduler_permit_wait_duration_seconds."},
      {"prebind.volume",
       "VolumeBinding waits in PreBind until volumes are provisioned and bound. It looks once a "
       "second, "
       "so a pod with a late-bound claim pays whole seconds; that is normal. More than before is "
       "not.",
       "The PreBind sum has grown against the baseline, and VolumeBinding leads the PreBind "
       "plugins.",
       4,
       "scheduler_plugin_execution_duration_seconds{plugin=\"VolumeBinding\","
       "extension_point=\"PreBind\"}: its sum, not its quantile (its buckets end at 22 ms)."},
      {"prebind",
       "PreBind runs one plugin after the other before the bind, in the pod's own goroutine. "
       "Plugins "
       "there write objects: volumes, resource claims, a custom plugin's own.",
       "The PreBind sum has grown against the baseline, and no plugin could be proven to lead.", 3,
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreBind\"}."},
      {"queue.backlog",
       "Pods wait for an attempt: more arrive than the single loop tries. The pod-level histogram "
       "grows; e2e of an attempt does not hold this wait.",
       "On average the active queue held at least ten pods, as many as are tried in 30 s, and "
       "three "
       "times as many as in the baseline.",
       4, "scheduler_pending_pods{queue=\"active\"} next to attempts per second."},
      {"quantile.population",
       "Two histograms, or one with and without its result label, do not cover the same attempts. "
       "Then one quantile can lie above another that it should contain. Up to 1.29 algorithm "
       "counts only attempts that found a node; e2e counts all.",
       "A bucket bound at which the quantiles order wrongly, which no interpolation of the same "
       "attempts can produce; or counts that differ.",
       3, "The _count increases of both histograms."},
      {"quantile.threshold-inside-bucket",
       "Between two bucket bounds the server interpolates on a straight line. Whether the true "
       "quantile is above a threshold there cannot be seen from this data: the line decides.",
       "The threshold lies inside the proven interval of the quantile.", 3, ""},
      {"quantile.saturated",
       "When the rank falls into the open bucket the server prints the largest finite bound. A "
       "flat line at 16.384 s (attempts), 0.2048 s (extension points), 0.0222 s (plugins) or 0.512 "
       "s (requests, old) means at least that.",
       "The rank lies in the +Inf bucket, or the mean from _sum / _count is above the last bound.",
       3, ""},
      {"quantile.few-samples",
       "With n attempts, about n (1 - q) lie above the quantile. When that is a handful, one "
       "attempt "
       "moves the number: it says little about the scheduler.",
       "Fewer than ten attempts lie above the quantile in the window.", 3, ""},
      {"quantile.brief",
       "Some attempts were slower than in the baseline, but for less than a minute or three "
       "scrapes, "
       "or "
       "fewer than five of them, and their p99 is not proven to be half a second: no incident.",
       "The shortest time that holds nine tenths of the attempts over the baseline's p99 is that "
       "short.",
       2, ""},
      {"quantile.profile",
       "Profiles share the scheduler's process, loop and queue, but each has plugins and an order "
       "of its own. The slow attempts are one profile's; the quantile of all shows neither.",
       "Fisher's test over the bucket bounds, one percent, and a p99 of twice the others'.", 2, ""},
      {"quantile.forced-monotonic",
       "Cumulative buckets must not fall as le grows. Where they do (partial sums, recording rules "
       "over "
       "different moments, torn remote writes), the server raises them, and the quantile moves.",
       "A bucket of the summed rates is smaller than one below it, beyond rounding.", 3, ""},
      {"quantile.rate-extrapolation",
       "rate() extends each bucket series to the window's edges on its own. For series that began "
       "or "
       "were reset in the window the buckets get different factors, and the quantile moves; "
       "Prometheus "
       "up to 2.50 can even invert two of them.",
       "A series starts, or is reset, inside the alert's window, and the quantile of exact "
       "increases "
       "differs.",
       3, ""},
      {"data.reset",
       "Counters begin at zero after a restart or when another replica takes over. What was "
       "observed "
       "between the last scrape and the restart is lost; everything else is accounted for.",
       "A counter fell from one scrape to the next, or process_start_time_seconds changed.", 3,
       "process_start_time_seconds."},
      {"data.missing",
       "A metric is not in the source: not scraped, dropped by relabelling, hidden or removed in "
       "this "
       "release. Its time is then part of a remainder and bounds are wider.",
       "A question got no answer although the scheduler's other metrics did.", 3, ""},
      {"data.mixed-layouts",
       "Replicas of different releases, or two kinds of series under one name, have different le "
       "values. "
       "Summed by le they blend into a histogram that no process had.",
       "Two series of one family have different sets of le.", 3, ""},
      {"data.contradiction",
       "Series of one scheduler give numbers that cannot all be true: a part larger than its "
       "whole, "
       "a "
       "sum that the buckets rule out, counts of the same attempts that differ. Shares and causes "
       "that "
       "rest on them are not proven.",
       "Stages add up to more than e2e, a _sum lies outside what its buckets allow or falls "
       "without a "
       "reset, a count is beyond what a process can reach, or counts of the same attempts differ; "
       "each "
       "by more than attempts in flight, rounding and the time of a scrape explain.",
       3, "the scheduler's own /metrics page, read twice."},
  };
  return all;
}

}  // namespace schedlens
