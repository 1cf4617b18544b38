// kube-scheduler's metrics as far as a diagnosis uses them, and those of its neighbours.

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

constexpr Row kRows[] = {
    {Metric::kE2e,
     "Every finished attempt by result (scheduled, unschedulable, error) and profile, from taking "
     "the pod off the queue to the end of the bind. Waiting in the queue is not in it.",
     "Last finite bucket 16.384 s. Without result=\"scheduled\" cheap failed attempts drown the "
     "scheduled ones. Successor: scheduler_scheduling_attempt_duration_seconds, same values."},
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
    {Metric::kAsyncCall,
     "API calls of the dispatcher by call_type and result: rate limiter and request.",
     "Waiting in the dispatcher's queue is not in it."},
    {Metric::kAsyncPending, "API calls that wait in the dispatcher's queue now.", ""},
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
    for (const Row& row : kRows) {
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
