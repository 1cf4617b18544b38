// The findings: causes in the order of the scheduling attempt, then remarks about the number.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<FindingText>& FindingTexts() {
  static const std::vector<FindingText> all = {
      {"bind.extender",
       "An extender's bind call is slow",
       "A scheduler extender with a bindVerb binds pods in place of the Bind plugins. "
       "kube-scheduler "
       "has no metric for that call: its time is inside e2e (up to 1.20 also inside "
       "binding_duration) and nowhere else. That is why every Bind plugin looks fast or is absent.",
       "PostBind counts more attempts than Bind with status Success: the difference was bound by "
       "an "
       "extender. What is left of the bind after the Bind plugins' sum has grown, and divided by "
       "that count it is the mean extender bind.",
       {"Find the extender: in the file that kube-scheduler's `--config` names, the entry of "
        "extenders[] with a bindVerb; `schedlens diagnose --scheduler-config FILE` then names it.",
        "Look at the extender's own log and metrics for its bind verb in this window. It binds "
        "with a "
        "client of its own: check that client's QPS limit and its locks too.",
        "Tell network from work: `curl -so /dev/null -w '%{time_connect} %{time_total}\\n' "
        "URL_PREFIX` from the scheduler's host.",
        "See what a fast bind would give: `schedlens whatif --set bind.extender=0`, same source "
        "and "
        "window.",
        "If the extender's bind does nothing but bind, removing bindVerb hands the bind back to "
        "DefaultBinder."},
       "scheduler_binding_duration_seconds (up to 1.20); from 1.21 on the extender's own request "
       "duration for bind."},
      {"bind.apiserver",
       "The API server answers bind requests slowly",
       "POST .../pods/NAME/binding itself takes long: API server, its admission webhooks, etcd, or "
       "the "
       "network between. Binds run in goroutines of their own, so the scheduling loop stays fast.",
       "The Bind extension point's sum has grown, little of it is waiting in the scheduler's own "
       "rate "
       "limiter, and binds leave the scheduler as unevenly as they enter: nothing paces them.",
       {"Ask the API servers: `histogram_quantile(0.99, sum by (le) "
        "(rate(apiserver_request_duration_seconds_bucket{verb=\"POST\",resource=\"pods\","
        "subresource=\"binding\"}[5m])))`.",
        "Admission webhooks: `apiserver_admission_webhook_admission_duration_seconds` by name; a "
        "webhook on pods/binding runs inside every bind.",
        "etcd: `etcd_request_duration_seconds` on the API servers, "
        "`etcd_disk_wal_fsync_duration_seconds` on etcd.",
        "Priority and fairness: `apiserver_flowcontrol_request_wait_duration_seconds` of the "
        "priority "
        "level that serves system:kube-scheduler."},
       "apiserver_request_duration_seconds{resource=\"pods\",subresource=\"binding\"}: the "
       "server's own "
       "time for the same requests."},
      {"bind.client-throttling",
       "The scheduler's own client limit delays binds",
       "kube-scheduler sends binds, status patches and victim deletions through one token bucket, "
       "clientConnection.qps (50 by default) with clientConnection.burst (100). More work than "
       "that "
       "per second waits in the client, before any request is sent.",
       "rest_client_rate_limiter_duration_seconds of POST makes up the growth of the Bind "
       "extension "
       "point; without that metric: binds leave at a flat rate near the limit while running "
       "binding "
       "cycles pile up.",
       {"Read the limit: clientConnection.qps and .burst in the file that `--config` names; 50 and "
        "100 when absent.",
        "Confirm in the log: `Waited for ... due to client-side throttling` (waits over 1 s at "
        "-v=2).",
        "See who else drains the bucket: every newly unschedulable pod costs one status PATCH: "
        "`sum by (verb) (rate(rest_client_rate_limiter_duration_seconds_count[5m]))`.",
        "Predict a higher limit: `schedlens whatif --set client.qps=200`, same source and window; "
        "then raise qps and burst together and watch the API servers."},
       "rest_client_rate_limiter_duration_seconds of the scheduler (from 1.22)."},
      {"bind.async-queue",
       "Binds wait in the scheduler's API call dispatcher",
       "With the feature gate SchedulerAsyncAPICalls (on in 1.34.0, 1.34.1 and 1.35.0) a bind is "
       "handed "
       "to a dispatcher that runs at most `parallelism` (16) calls at once, shared with status "
       "patches. Waiting in that queue counts as bind time.",
       "The Bind extension point's sum exceeds async_api_call_execution_duration of pod_binding by "
       "far, "
       "and calls are pending.",
       {"Check the gate: `--feature-gates` of kube-scheduler; the metric "
        "scheduler_pending_async_api_calls exists only with it.",
        "Turn it off with `--feature-gates=SchedulerAsyncAPICalls=false`, or move to a patch "
        "release "
        "where it is off.",
        "Count what shares the queue: "
        "`sum by (call_type) (rate(scheduler_async_api_call_execution_total[5m]))`."},
       "scheduler_pending_async_api_calls and "
       "scheduler_async_api_call_execution_duration_seconds{call_type=\"pod_binding\"}."},
      {"algorithm.extender",
       "An extender's filter or prioritize call holds up the algorithm",
       "Filter calls to extenders run one after the other on the single scheduling loop, "
       "prioritize "
       "calls together but waited for. Neither is in any extension point's metric; every pod "
       "behind "
       "waits.",
       "The part of the algorithm outside PreFilter, Filter, PreScore and Score has grown by more "
       "seconds than the scheduler's process had CPU: it waited rather than computed.",
       {"Find extenders[] with a filterVerb or prioritizeVerb in the file that `--config` names.",
        "kube-scheduler logs a trace of each algorithm run over 100 ms: `kubectl -n kube-system "
        "logs "
        "POD | grep -A4 'Trace.*Scheduling'`; the long step is `Computing predicates` (filter) or "
        "`Prioritizing`.",
        "A plateau at 5 s is the default httpTimeout: the extender does not answer at all.",
        "nodeCacheCapable: true sends node names in place of whole Node objects; managedResources "
        "keeps "
        "pods away that the extender has no say in; ignorable: true lets scheduling go on without "
        "it."},
       "The extender's own request duration for filter and prioritize."},
      {"algorithm.prefilter",
       "PreFilter plugins take the time",
       "PreFilter runs once an attempt on the scheduling loop, its plugins one after the other. "
       "InterPodAffinity and PodTopologySpread walk all nodes and their pods there, whatever "
       "percentageOfNodesToScore says.",
       "The sum of the PreFilter extension point per attempt has grown against the baseline.",
       {"See which plugin: the plugin rows of PreFilter in this diagnosis (a sample: rank, do not "
        "add).",
        "InterPodAffinity first: fewer required pod (anti-)affinity terms, or topology spread "
        "constraints with a narrower selector.",
        "Check how many nodes and pods the cache holds: `scheduler_scheduler_cache_size` (up to "
        "1.33), "
        "`scheduler_cache_size` (from 1.33)."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreFilter\"}, or a CPU "
       "profile "
       "from /debug/pprof/profile."},
      {"algorithm.filter",
       "Filter plugins take the time",
       "Filter runs all filter plugins on node after node, up to 16 at a time, until enough "
       "feasible "
       "nodes are found. When few nodes fit, all nodes are tried: a full cluster makes it slow.",
       "The sum of the Filter extension point per attempt has grown against the baseline.",
       {"See which plugin: the plugin rows of Filter in this diagnosis (a sample: rank, do not "
        "add).",
        "Nodes tried per attempt (from 1.27): `sum by (plugin) "
        "(rate(scheduler_plugin_evaluation_total{extension_point=\"Filter\"}[5m]))` over the "
        "attempts "
        "per second.",
        "If nearly all nodes are tried, the cluster is full or selectors are narrow: that is "
        "capacity, "
        "not code.",
        "An out-of-tree filter plugin that calls out (network, locks) belongs in PreFilter, once "
        "an "
        "attempt."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Filter\"} together with "
       "scheduler_plugin_evaluation_total."},
      {"algorithm.prescore",
       "PreScore plugins take the time",
       "PreScore runs once an attempt that has more than one feasible node. InterPodAffinity and "
       "PodTopologySpread count pods over all nodes there.",
       "The sum of the PreScore extension point per attempt has grown against the baseline.",
       {"See which plugin: the plugin rows of PreScore in this diagnosis (a sample: rank, do not "
        "add).",
        "Preferred inter-pod affinity costs here: drop terms nobody needs, or disable the plugin's "
        "scoring in the profile.",
        "Default topology spread constraints apply to pods that declare none: "
        "pluginConfig PodTopologySpread, defaultingType."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreScore\"}."},
      {"algorithm.score",
       "Score plugins take the time",
       "Score runs all score plugins over the feasible nodes, then normalises: one observation "
       "covers "
       "both. Extenders' prioritize calls are not in it.",
       "The sum of the Score extension point per attempt has grown against the baseline.",
       {"See which plugin: the plugin rows of Score in this diagnosis (a sample: rank, do not "
        "add).",
        "Score fewer nodes: percentageOfNodesToScore in the file that `--config` names.",
        "An out-of-tree score plugin that calls out once a node multiplies its latency by the "
        "nodes: "
        "fetch in PreScore instead."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Score\"}."},
      {"algorithm.cpu-starved",
       "The scheduler does not get the CPU it needs",
       "The process is throttled by its CPU limit, or its host is full. Every step that computes "
       "gets "
       "slower, most visibly the parts without a metric of their own; bind goroutines suffer too.",
       "Algorithm time has grown in all its parts, the process used as much CPU as it could get, "
       "and "
       "bind time follows the loop's busy seconds scrape by scrape.",
       {"Throttling: "
        "`rate(container_cpu_cfs_throttled_periods_total{container=\"kube-scheduler\"}[5m]) "
        "/ rate(container_cpu_cfs_periods_total{container=\"kube-scheduler\"}[5m])`.",
        "Used CPU: `rate(process_cpu_seconds_total{job=\"kube-scheduler\"}[5m])`, beside the limit "
        "in "
        "/etc/kubernetes/manifests/kube-scheduler.yaml.",
        "Host: load and steal of the control plane node; etcd and the API server share it.",
        "If the CPU is spent well, see on what: 30 s of /debug/pprof/profile of the scheduler."},
       "container_cpu_cfs_throttled_seconds_total of the scheduler's container."},
      {"preemption",
       "Preemption takes the time",
       "After no node fits, PostFilter looks for victims, dry-runs their removal and deletes them. "
       "Up "
       "to 1.25 victims are deleted one by one through the throttled client, up to 1.32 in "
       "parallel "
       "but still inside the attempt, from 1.33 in the background.",
       "The PostFilter sum makes up the time of the unschedulable attempts and has grown against "
       "the "
       "baseline.",
       {"Who preempts: `kubectl get events -A --field-selector reason=Preempted`.",
        "How often and how many: `rate(scheduler_preemption_attempts_total[5m])`, "
        "`scheduler_preemption_victims`.",
        "Pods that need not preempt: a PriorityClass with preemptionPolicy: Never.",
        "Deletions share the scheduler's client limit: look at bind.client-throttling too."},
       "scheduler_framework_extension_point_duration_seconds{extension_point=\"PostFilter\"}."},
      {"attempts.unschedulable",
       "Unschedulable attempts outnumber scheduled ones",
       "Pods that fit nowhere are tried again and again. Such attempts are short: in a quantile "
       "over all "
       "results they drown the scheduled pods. Each newly unschedulable pod also costs a status "
       "PATCH "
       "on the scheduling loop, through the same client limit as binds.",
       "The increase of attempts with result unschedulable exceeds that of scheduled, or its share "
       "rose "
       "against the baseline.",
       {"Which pods and why: `kubectl get events -A --field-selector reason=FailedScheduling`.",
        "Which plugin rejects (from 1.24): `sum by (plugin) (scheduler_unschedulable_pods)`.",
        "Alert on what users feel: add result=\"scheduled\" to the alert, or keep the label in its "
        "aggregation.",
        "Stop the retries: capacity, or remove the pods that can never fit."},
       "scheduler_schedule_attempts_total by result."},
      {"attempts.error",
       "Attempts end in errors",
       "Attempts with result error: a plugin or extender failed, a bind was refused, or volumes or "
       "claims timed out. The pod is retried with back-off.",
       "The increase of attempts with result error is no longer small beside the scheduled ones.",
       {"Read why: `kubectl -n kube-system logs POD | grep 'Error scheduling pod'`.",
        "Refused requests: `sum by (code, method) "
        "(rate(rest_client_requests_total{code!~\"2..\"}[5m]))` "
        "of the scheduler.",
        "Which step: `sum by (extension_point, status) (increase("
        "scheduler_framework_extension_point_duration_seconds_count{status!=\"Success\"}[5m]))`."},
       "scheduler_framework_extension_point_duration_seconds_count by status."},
      {"reserve",
       "Reserve plugins take the time",
       "Reserve runs on the single scheduling loop after a node was chosen: a slow plugin there "
       "holds up "
       "every pod.",
       "The sum of the Reserve extension point per attempt has grown against the baseline.",
       {"See which plugin: the plugin rows of Reserve in this diagnosis.",
        "In-tree Reserve plugins do bookkeeping in memory: look for an out-of-tree plugin in the "
        "profile, and for calls or locks in it."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"Reserve\"}."},
      {"permit.wait",
       "Pods wait at Permit",
       "A Permit plugin (gang scheduling, quota) made pods wait until others arrive or time runs "
       "out. "
       "The wait is inside e2e but takes no scheduler work; when a gang is complete all members go "
       "on "
       "at once.",
       "permit_wait_duration has grown against the baseline and makes up the excess.",
       {"Find the plugin: profiles[].plugins.permit in the file that `--config` names.",
        "With coscheduling: `kubectl get podgroups -A`, groups below minMember, and "
        "scheduleTimeoutSeconds.",
        "Many waits that end Unschedulable are time-outs: `sum by (result) "
        "(increase(scheduler_permit_wait_duration_seconds_count[5m]))`.",
        "If such waiting is wanted, alert on time without it: e2e less permit wait, by sums."},
       "scheduler_permit_wait_duration_seconds."},
      {"prebind.volume",
       "PreBind waits for volumes",
       "VolumeBinding waits in PreBind until volumes are provisioned and bound. It looks once a "
       "second, "
       "so a pod with a late-bound claim pays whole seconds; that is normal. More than before is "
       "not.",
       "The PreBind sum has grown against the baseline, and VolumeBinding leads the PreBind "
       "plugins.",
       {"Claims that wait: `kubectl get pvc -A | grep Pending`, then `kubectl describe pvc` for "
        "the "
        "provisioner's events.",
        "The CSI provisioner's time: `csi_sidecar_operations_seconds{method_name="
        "\"/csi.v1.Controller/CreateVolume\"}` of external-provisioner, and its log.",
        "The limit of the wait is bindTimeoutSeconds of VolumeBinding (600 s by default).",
        "Where it may happen earlier, volumeBindingMode: Immediate takes provisioning out of the "
        "attempt, at the price of worse placement."},
       "scheduler_plugin_execution_duration_seconds{plugin=\"VolumeBinding\","
       "extension_point=\"PreBind\"}: its sum, not its quantile (the ladder ends at 22 ms)."},
      {"prebind",
       "PreBind plugins take the time",
       "PreBind runs one plugin after the other before the bind, in the pod's own goroutine. "
       "Plugins "
       "there write objects: volumes, resource claims, a custom plugin's own.",
       "The PreBind sum has grown against the baseline, and no plugin could be proven to lead.",
       {"See which plugin: the plugin rows of PreBind in this diagnosis.",
        "VolumeBinding: `kubectl get pvc -A | grep Pending`. DynamicResources: `kubectl get "
        "resourceclaims -A`.",
        "PreBind writes go through the scheduler's client limit: look at bind.client-throttling "
        "too."},
       "scheduler_plugin_execution_duration_seconds{extension_point=\"PreBind\"}."},
      {"queue.backlog",
       "Pods wait in the queue, not in attempts",
       "Attempts are short but pods wait for one: more arrive than the single loop can try, or "
       "they sit "
       "in back-off. The pod-level histogram grows, e2e of an attempt does not.",
       "pod_scheduling_(sli_)duration has grown far more than the attempts' own time, or pods stay "
       "in "
       "the active queue while the loop is busy.",
       {"Who waits where: `sum by (queue) (scheduler_pending_pods)`.",
        "How busy the loop is: the loop can start at most 1 / (mean algorithm time) attempts a "
        "second.",
        "Active queue full while the loop is not busy: un-metered work on the loop (status patches "
        "of "
        "failed pods), or CPU: look at algorithm.cpu-starved.",
        "Back-off: pods with many attempts; podMaxBackoffSeconds (10 s by default)."},
       "scheduler_pending_pods{queue=\"active\"} beside attempts per second."},
      {"quantile.population",
       "The compared numbers count different attempts",
       "Two histograms, or one with and without its result label, do not cover the same attempts. "
       "Then "
       "one quantile can lie above another that it should contain. Up to 1.29 algorithm counts "
       "only "
       "attempts that found a node; e2e counts all.",
       "A bucket bound at which the quantiles order wrongly, which no interpolation of the same "
       "attempts can produce; or counts that differ.",
       {"Compare like with like: add result=\"scheduled\" to e2e.",
        "See the witness and the cause: `schedlens compare`, same source and window.",
        "For shares use sums, never the difference of two quantiles."},
       "The _count increases of both histograms."},
      {"quantile.threshold-inside-bucket",
       "The threshold lies inside a bucket",
       "Between two bucket bounds the server interpolates on a straight line. Whether the true "
       "quantile "
       "is above a threshold there cannot be seen from this data: the line decides the alert.",
       "The threshold is strictly between two bounds, and the bucket that holds the quantile is "
       "that "
       "one.",
       {"Move the threshold to a bound: this diagnosis names the nearest decidable ones.",
        "Or alert on a share, which needs no interpolation: 1 - rate of _bucket{le=\"BOUND\"} / "
        "rate of "
        "_count > 0.01.",
        "`schedlens lint RULES.yaml` finds all such rules and proposes the change."},
       ""},
      {"quantile.saturated",
       "The quantile is at the last finite bucket: read it as more than",
       "When the rank falls into the open bucket the server prints the largest finite bound. A "
       "flat line "
       "at 16.384 s (attempts), 0.2048 s (extension points), 0.0222 s (plugins) or 0.512 s "
       "(requests, "
       "old) means at least that.",
       "The rank lies in the +Inf bucket, or the mean from _sum / _count is above the last bound.",
       {"Use the mean: rate of _sum / rate of _count is never clipped.",
        "A threshold above the last bound can never fire: `schedlens lint RULES.yaml`.",
        "The time above the last bound is bounded by _sum: see the interval in this diagnosis."},
       ""},
      {"quantile.few-samples",
       "Too few attempts for this quantile",
       "With n attempts, about n (1 - q) lie above the quantile. When that is a handful, one "
       "attempt "
       "moves the number: it says little about the scheduler.",
       "Fewer than ten attempts lie above the quantile in the window.",
       {"Take a longer window or a lower quantile: p90 needs a tenth of the attempts that p99 "
        "needs.",
        "Guard the alert: `and sum(increase(..._count[5m])) > 1000`.",
        "Read the sampling interval, not the number."},
       ""},
      {"quantile.forced-monotonic",
       "The server repaired the buckets before it computed",
       "Cumulative buckets must not fall as le grows. Where they do (partial sums, recording rules "
       "over "
       "different moments, torn remote writes), the server raises them, and the quantile moves.",
       "A bucket of the summed rates is smaller than one below it, beyond rounding.",
       {"Find the series: `sum by (le, instance) (rate(..._bucket[5m]))`, one instance falls.",
        "Recording rules: aggregate buckets in one rule, from raw series, at one time.",
        "Different bucket layouts summed together do it too: look at data.mixed-layouts."},
       ""},
      {"quantile.rate-extrapolation",
       "rate() bends this number: series are young or were reset",
       "rate() extends each bucket series to the window's edges on its own. For series that began "
       "or "
       "were reset in the window the buckets get different factors, and the quantile moves; "
       "Prometheus "
       "up to 2.50 can even invert two of them.",
       "A series starts, or is reset, inside the alert's window, and the quantile of exact "
       "increases "
       "differs.",
       {"Trust the numbers of --start/--end: they are exact increases between scrapes.",
        "Wait one window after a restart or leader change before reading the alert.",
        "See both: `schedlens quantile`, same source and time."},
       ""},
      {"data.reset",
       "Counters were reset: a scheduler restarted",
       "Counters begin at zero after a restart or when another replica takes over. What was "
       "observed "
       "between the last scrape and the restart is lost; everything else is accounted for.",
       "A counter fell from one scrape to the next, or process_start_time_seconds changed.",
       {"When and why: `kubectl -n kube-system get pods -l component=kube-scheduler`, restart "
        "count and "
        "last state.",
        "Leader changes: `kubectl -n kube-system get lease kube-scheduler -o yaml`, "
        "leaseTransitions.",
        "After a restart informers sync and caches are cold: slow first attempts are expected."},
       "process_start_time_seconds."},
      {"data.missing",
       "Metrics that the answer needs are missing",
       "A metric is not in the source: not scraped, dropped by relabelling, hidden or removed in "
       "this "
       "release. Its time is then part of a remainder and bounds are wider.",
       "A question got no answer although the scheduler's other metrics did.",
       {"See what is there: `schedlens doctor`, same source.",
        "Scrape configuration: metric_relabel_configs that drop _bucket series or scheduler_*.",
        "Hidden by deprecation: `--show-hidden-metrics-for-version` of kube-scheduler, previous "
        "minor."},
       ""},
      {"data.mixed-layouts",
       "Bucket layouts differ between series that are summed",
       "Replicas of different releases, or two kinds of series under one name, have different le "
       "values. "
       "Summed by le they blend into a histogram that no process had.",
       "Two series of one family have different sets of le.",
       {"Split by instance: `sum by (le, instance) (rate(..._bucket[5m]))`.",
        "Finish the roll-out, or select one release with --selector.",
        "Recording rules over both layouts stay wrong until the old series are gone."},
       ""},
  };
  return all;
}

}  // namespace schedlens
