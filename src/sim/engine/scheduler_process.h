#ifndef SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_
#define SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_

// One kube-scheduler process: its metrics, queue, recorder and API clients. It dies with a restart.

#include <array>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/event_metrics.h"
#include "sim/engine/placement.h"
#include "sim/engine/plugin_metrics.h"
#include "sim/engine/rest_metrics.h"
#include "sim/engine/scheduling_queue.h"
#include "sim/engine/token_bucket.h"
#include "sim/metrics/registry.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

struct RunOptions;

/// What the scheduling loop does in the current attempt, for goroutines that want the processor.
struct LoopWork {
  /// CPU work from `start` until before `end`; empty where the loop waits.
  struct Segment {
    Nanos start = 0;
    Nanos end = 0;
    int workers = 0;
  };
  Segment At(Nanos t) const;

  bool busy = false;  ///< between an attempt's start and the loop's next turn
  std::vector<Segment> segments;
};

class SchedulerProcess {
 public:
  /// `features` are the bits of Feature of each template; both must outlive it.
  SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
                   const RunOptions& options, Random random, Nanos now);

  /// Something the scheduling loop will observe at a later time, in order of time.
  void PointLater(Nanos at, ExtensionPoint point, Status status, std::uint32_t pod_template,
                  Nanos duration);
  void CallLater(Nanos at, const PointCall& call);
  void AlgorithmLater(Nanos at, Nanos duration);
  void GroupAlgorithmLater(Nanos at, Nanos duration);
  /// A pod group's cycle ends.
  void GroupLater(Nanos at, std::string_view result, std::uint32_t pod_template, Nanos duration);
  /// Makes every observation that is due.
  void CatchUp(Nanos now);

  void ObservePoint(ExtensionPoint point, Status status, std::uint32_t pod_template,
                    Nanos duration);
  /// An informer's handler has told the queue of that event.
  void Heard(PodEvent event);
  /// A plugin's queueing hint has answered.
  void ObserveHint(PodEvent event, Rejection plugin, bool helps);
  /// From 1.35 on: the pod's signature is made, for opportunistic batching.
  void Sign(std::uint32_t pod_template);
  /// From 1.35 on: what came of the node hint that the loop asked for.
  void ObserveNodeHint(std::uint32_t pod_template, const PlacementDecision& decision);
  /// From 1.35 on: PreBind plugins are asked first whether they have work to do.
  void PreFlight(std::uint32_t pod_template, bool has_work);
  /// From 1.35 on: the loop has found a node, and keeps the scores for the next pod if it can.
  void StoreResults(std::uint32_t pod_template);
  bool MeasuresPlugins() const { return plugins_.has_value(); }
  void ObserveCall(const PointCall& call) { plugins_->Observe(call); }
  void ObserveAttempt(std::string_view result, std::uint32_t pod_template, Nanos e2e);
  /// An attempt that ends now with its pod bound; the queue still knows the pod.
  void ObserveScheduled(PodNumber pod, std::uint32_t pod_template, Nanos binding, Nanos e2e,
                        Nanos now);
  /// See PluginMetrics::Flush.
  void FlushRecorders(bool first_half);
  /// Brings gauges up to date for a scrape.
  void ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                    std::size_t assumed);
  std::uint64_t dropped_samples() const { return plugins_ ? plugins_->dropped() : 0; }

  MetricRegistry registry;
  SchedulingQueue queue;
  TokenBucket client;
  TokenBucket event_client;
  RestMetrics rest;
  EventMetrics events;
  LoopWork work;
  double cpu_seconds = 0.25;       ///< start-up
  std::size_t bindings = 0;        ///< binding goroutines running
  bool cycled = false;             ///< it has scheduled
  bool bound = false;              ///< it has started a binding goroutine
  bool prioritized = false;        ///< it has asked extenders to prioritize
  std::uint64_t standby_adds = 0;  ///< pods its queue has seen while idle
  std::size_t idle_pending = 0;    ///< pods in its queue while idle

  // Asynchronous API calls (1.34): at most `parallelism` at once, the rest waits in order.
  int dispatched = 0;
  std::deque<std::uint32_t> dispatch_queue;
  kube::EnumMap<kube::CallType, std::size_t> dispatch_waiting;

 private:
  struct Later {
    Nanos at = 0;
    MetricChild* child = nullptr;  // null: the next plugin call
    double value = 0;
  };
  void ExportQueue();
  void ExportGoroutines();
  MetricChild* PointChild(ExtensionPoint point, Status status, std::uint32_t pod_template);

  const Scenario& scenario_;
  bool measures_;
  SchedulerProfiles profiles_;
  std::optional<PluginMetrics> plugins_;  // made last: it goes on with the constructor's stream
  Nanos started_;
  std::deque<Later> later_;
  std::deque<PointCall> later_calls_;
  // [point][status][profile]
  std::array<std::array<std::vector<MetricChild*>, kube::kSize<Status>>,
             kube::kSize<ExtensionPoint>>
      point_children_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_
