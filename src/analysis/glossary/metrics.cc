// kube-scheduler's metrics, every one of the table by release, and those of its neighbours.

#include "kube/metrics.h"

#include <fmt/format.h>

#include "analysis/glossary/glossary.h"
#include "analysis/glossary/neighbour_texts.h"

namespace schedlens {
namespace {

using kube::Metric;

struct Row {
  Metric metric;
  const char* population;
  const char* traps;
};

constexpr Row kMetricRows[] = {
    {Metric::kE2e,
     "Every finished attempt by result (scheduled, unschedulable, error) and profile, from taking "
     "the pod off the queue to the end of the bind. Waiting in the queue is not in it.",
     "Last finite bucket 16.384 s. Without result=\"scheduled\" cheap failed attempts drown the "
     "scheduled ones. Successor: scheduler_scheduling_attempt_duration_seconds, same values."},
    {Metric::kE2eMicroseconds,
     "Successful binds, from taking the pod off the queue to the end of the bind, in microseconds.",
     "Off since 1.17; until then the same population as "
     "scheduler_e2e_scheduling_duration_seconds."},
    {Metric::kSchedulingLatency,
     "A summary over five hours by operation: predicates, priorities, preemption, binding.",
     "Quantiles of several processes cannot be added up. Off since 1.17."},
    {Metric::kAttempt,
     "Every finished attempt by result and profile: the same clock and population as "
     "scheduler_e2e_scheduling_duration_seconds.",
     "Last finite bucket 16.384 s. Thresholds of 1 s and 5 s lie inside buckets: (0.512, 1.024] "
     "and (4.096, 8.192]."},
    {Metric::kAlgorithm,
     "Up to 1.29 only attempts that found a node; from 1.30 all that reached the algorithm, "
     "failures with their preemption included. No result label, no profile.",
     "Contains extenders' filter and prioritize calls, which no extension point shows. A jump at "
     "the upgrade to 1.30 is a change of population."},
    {Metric::kBinding,
     "Successful binds: an extender's bind or the Bind plugins, and finishing in the cache. "
     "Neither Permit wait nor PreBind.",
     "Gone in 1.21: its absence does not mean that nothing is bound."},
    {Metric::kExtensionPoint,
     "Every run of an extension point, not sampled, by extension_point, status and profile.",
     "Last finite bucket 0.2048 s: use sums. Add all statuses. Filter's status is Success even "
     "when no node fits. Bind is not observed when an extender binds. Points without plugins add a "
     "mass of tiny values."},
    {Metric::kPlugin,
     "One attempt in ten; Filter and Score plugins once a node. The recorder keeps at most about "
     "1000 observations a second and drops the rest silently.",
     "Last finite bucket 0.0222 s. What survives favours early filters and slow binds. Rank "
     "plugins within one extension point; never add up, never scale by ten."},
    {Metric::kPermitWait, "Pods that at least one Permit plugin made wait, by result.",
     "Last finite bucket 16.384 s; gangs wait up to a minute by default."},
    {Metric::kPodDuration,
     "Scheduled pods, from entering the queue to bound: queue, back-off and all attempts, by "
     "attempts.",
     "Pods that are never scheduled are not in it. Up to 1.27 time behind a scheduling gate "
     "counts. Restart and leader change set its clock to zero."},
    {Metric::kPodSli,
     "Scheduled pods, from first entering the active queue to bound, by attempts; time behind a "
     "gate is left out.",
     "Pods that are never scheduled are not in it."},
    {Metric::kPodAttempts, "Scheduled pods: how many attempts each one took.",
     "Pods that are never scheduled are not in it."},
    {Metric::kPredicateEvaluation,
     "Filtering, extenders' filter calls included, of attempts that found a node.",
     "In 1.18 PreScore is in it, in 1.19 PreFilter. Failed attempts are not."},
    {Metric::kPriorityEvaluation,
     "Scoring, extenders' prioritize calls included, of attempts that found a node.",
     "In 1.19 PreScore is in it."},
    {Metric::kPreemptionEvaluation, "Every run of preemption, successful or not.",
     "Gone in 1.21: PostFilter of the extension points has it from 1.19 on."},
    {Metric::kSchedulingSummary,
     "A summary over five hours by operation: filtering, scoring, preemption, binding.",
     "Quantiles of several processes cannot be added up."},
    {Metric::kVolumeScheduling, "Stages of the volume binder, by operation.", ""},
    {Metric::kVolumeErrors, "Errors of the volume binder, by operation.", ""},
    {Metric::kVolumeCacheRequests, "Reads and writes of the volume binder's cache, by operation.",
     ""},
    {Metric::kScheduleAttempts,
     "Finished attempts by result and profile: equal to the count of e2e.", ""},
    {Metric::kPendingPods,
     "Pods in the queues now: active, backoff, unschedulable, and gated from 1.26.",
     "A pod that is being tried or bound is in none of them."},
    {Metric::kIncomingPods, "Pods put into a queue, by queue and event.",
     "Event names changed in 1.32."},
    {Metric::kUnschedulablePods,
     "Pods that are unschedulable now, by the plugin that rejected them.",
     "A pod counts once under each plugin that rejected it."},
    {Metric::kPreemptionAttempts, "Every run of preemption, successful or not.", ""},
    {Metric::kPreemptionAttemptsOld, "Every run of preemption, successful or not.",
     "Successor: scheduler_preemption_attempts_total."},
    {Metric::kVictimsOld, "Preemptions that chose victims: how many each.",
     "A gauge of the last preemption in 1.16. Successor: scheduler_preemption_victims."},
    {Metric::kVictims, "Preemptions that chose victims: how many each.",
     "Bucket bounds changed in 1.26."},
    {Metric::kPluginEvaluations,
     "Calls of plugins, not sampled: Filter and Score once a node, PreFilter and PreScore once an "
     "attempt.",
     "Preemption's dry runs count too."},
    {Metric::kGoroutinesOld,
     "Running goroutines by work; work=\"binding\" are pods in the binding cycle.",
     "Successor: scheduler_goroutines{operation=\"binding\"}."},
    {Metric::kGoroutines,
     "Running goroutines by operation; operation=\"binding\" are pods in the binding cycle.", ""},
    {Metric::kCacheSizeOld, "Nodes, pods and assumed pods in the scheduler's cache now, by type.",
     "Successor: scheduler_cache_size."},
    {Metric::kCacheSize, "Nodes, pods and assumed pods in the scheduler's cache now, by type.",
     "Assumed pods are placed, but not yet seen bound."},
    {Metric::kEventHandling, "Events from the API server that the scheduler took in, by event.",
     "Up to 1.35 nearly all values are close to zero: the clock was read too early."},
    {Metric::kQueueingHint,
     "Calls of plugins' queueing hints by plugin, event and hint (Queue, QueueSkip, Error).",
     "The recorder keeps at most about 1000 observations a second and drops the rest silently."},
    {Metric::kInflightEvents,
     "Events that the queue keeps while pods are being tried, by event; PodPopped are the pods.",
     "Grows while an attempt or a bind hangs."},
    {Metric::kPreemptionGoroutines, "Preemptions whose victims are deleted beside the loop.",
     "Up to 1.36 the values are close to zero and the result is success: the clock and the result "
     "are read when the goroutine starts. Only the count says something."},
    {Metric::kPreemptionGoroutineRuns, "Preemptions whose victims are deleted beside the loop.",
     "Up to 1.36 the result is always success: only the count says something."},
    {Metric::kAsyncCall,
     "API calls of the dispatcher by call_type and result: rate limiter and request.",
     "Waiting in the dispatcher's queue is not in it."},
    {Metric::kAsyncCallRuns, "API calls that the dispatcher made, by call_type and result.", ""},
    {Metric::kAsyncPending, "API calls that wait in the dispatcher's queue now.", ""},
    {Metric::kNodeHint,
     "Attempts that looked for a node that an equal pod before left over, by hinted and profile.",
     ""},
    {Metric::kStoreResults,
     "Attempts that kept their nodes in order for the next equal pod, by profile.",
     "In 1.35 all values are close to zero: the clock was read too early."},
    {Metric::kBatchAttempts,
     "Attempts that looked for a node hint, by profile and result: no_hint, hint_used, "
     "hint_not_used.",
     "Always no_hint with the default configuration: its spread constraints let no two pods count "
     "as "
     "equal."},
    {Metric::kBatchCacheFlushed, "Times the nodes kept for equal pods were dropped, by reason.",
     ""},
    {Metric::kResourceClaimCreates,
     "ResourceClaims that the scheduler created for extended resources, by status.", ""},
    {Metric::kScheduledAfterFlush,
     "Pods placed after five minutes in the unschedulable queue moved them on.",
     "Each one was due earlier: no queueing hint, or no event, had told so."},
    {Metric::kPodGroupAttempt, "Attempts to schedule a pod group, by result and profile.",
     "Ends when the binding of its pods begins, whatever its help text says."},
    {Metric::kPodGroupAlgorithm, "Finding the nodes for a pod group.", ""},
    {Metric::kPodGroupAttempts, "Attempts to schedule a pod group, by result and profile.", ""},
    {Metric::kDraWait,
     "Waits in PreBind until a pod's devices meet their binding conditions, by profile, driver "
     "and status.",
     "The waits are a part of PreBind."},
    {Metric::kDraAllocations,
     "Allocations of devices with binding conditions, by profile, driver and status.",
     "One for each driver and attempt."},
    {Metric::kRestRequest,
     "The scheduler's requests; the clock starts before the rate limiter and ends after the last "
     "retry. By verb and url (up to 1.23), verb and host (from 1.24).",
     "Includes the client's own throttling: it is not the API server's latency. From 1.24 binds "
     "and events are one POST series. Last finite bucket 0.512 s up to 1.23, 60 s after."},
    {Metric::kRestLimiter,
     "Waits in the client's rate limiter, zero waits included, labels as for the requests.",
     "Events have a limiter of their own; from 1.24 it reports into the same series."},
    {Metric::kRestRequests, "The scheduler's requests by code, method and host.", ""},
    {Metric::kProcessCpu, "CPU time of the process, user and system.", ""},
    {Metric::kProcessStart, "When the process started; a change is a restart.", ""},
    {Metric::kLeader, "1 where the process leads, 0 where it waits, by name of the lease.",
     "A scheduler that does not lead places nothing; one without leader election has no series."},
    {Metric::kBuildInfo, "Always 1; its labels tell the release.", ""},
};

MetricText TextOf(const NeighbourText& row) {
  const kube::NeighbourRow& metric = RowOf(row.metric);
  const kube::MetricEra& newest = metric.eras.back();
  return {std::string(metric.name),
          ReleasesText(metric),
          row.population,
          row.traps,
          std::string(ToString(metric.component)),
          fmt::format("{}", fmt::join(newest.labels, ", "))};
}

}  // namespace

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const Row& row : kMetricRows) {
      const kube::MetricRow& metric = RowOf(row.metric);
      texts.push_back(
          {std::string(metric.name), ReleasesText(metric), row.population, row.traps, {}, {}});
    }
    for (auto* part : {RequestTexts, StorageTexts, EtcdTexts, ObjectTexts}) {
      for (const NeighbourText& row : part()) texts.push_back(TextOf(row));
    }
    return texts;
  }();
  return all;
}

}  // namespace schedlens
