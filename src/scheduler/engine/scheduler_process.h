#pragma once

// One kube-scheduler process: its metrics, queue, recorder and API clients. It dies with a restart.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kube/words.h"
#include "scheduler/base/random.h"
#include "scheduler/engine/placement.h"
#include "scheduler/engine/plugin_metrics.h"
#include "scheduler/engine/scheduling_queue.h"
#include "scheduler/engine/token_bucket.h"
#include "scheduler/metrics/registry.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

struct RunOptions;

using kube::InformerEvent;
using kube::QueueingHint;

/// The requests a scheduler sends, by REST template.
enum class Request {
  kBind,
  kStatusPatch,
  kDeletePod,
  kClaimUpdate,
  kEventPost,
  kEventPatch,
};

/// What a handler is called for that tells the queue of the event.
InformerEvent InformerEventOf(PodEvent event);

/// What one process measures of cluster events: inflight_events, event_handling_duration_seconds
/// and queueing_hint_execution_duration_seconds. It counts beside the queue and decides nothing.
class EventMetrics {
 public:
  /// The registry must outlive it.
  EventMetrics(const Release& release, MetricRegistry& registry, const Random& random)
      : release_(release), registry_(registry), random_(random) {}

  /// A pod's attempt begins; it is in flight until Done.
  void Popped(PodNumber pod);
  /// Bound, failed or gone. Does nothing for a pod that is not in flight.
  void Done(PodNumber pod) { flights_.Done(pod); }
  /// An event that may wake pods: noted while any pod is in flight.
  void Note(InformerEvent event);
  /// An informer's handler has run; it looked at `pods` waiting pods.
  void Handled(InformerEvent event, std::size_t pods = 0);
  /// A hint function has answered.
  void Hint(std::string_view plugin, InformerEvent event, QueueingHint hint);
  /// Something else that goes through the lossy buffer.
  void Record(MetricChild* child, double seconds) { lossy_.Record(child, seconds); }

  /// Brings the gauge up to date for a scrape.
  void Export();
  /// The once-a-second flush of the lossy buffer.
  void Flush(std::size_t count) { lossy_.Flush(count); }

  /// Of each kind in flight; kPodPopped: of the pods themselves.
  kube::EnumMap<InformerEvent, std::size_t> in_flight() const;

 private:
  Release release_;
  MetricRegistry& registry_;
  Random random_;
  queue::InFlightList flights_;  // an event is its label
  kube::EnumMap<InformerEvent, bool> seen_;
  PluginRecorder lossy_;
};

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
  void Later(Nanos at, MetricChild& child, double value) {
    if (measures_) due_.push_back({at, &child, value});
  }
  void PointLater(Nanos at, ExtensionPoint point, Status status, std::uint32_t pod_template,
                  Nanos duration) {
    if (measures_) Later(at, PointChild(point, status, pod_template), ToSeconds(duration));
  }
  void CallLater(Nanos at, const PointCall& call) {
    due_.push_back({at, nullptr, 0, std::make_unique<PointCall>(call)});
  }
  /// Makes every observation that is due.
  void CatchUp(Nanos now);

  void ObservePoint(ExtensionPoint point, Status status, std::uint32_t pod_template,
                    Nanos duration) {
    PointChild(point, status, pod_template).Observe(ToSeconds(duration));
  }
  /// A request of the API client was answered; `wait` in its rate limiter is part of `total`.
  void ObserveRequest(Request request, int code, Nanos wait, Nanos total);
  /// An informer's handler has told the queue of that event.
  void Heard(PodEvent event) {
    events.Handled(InformerEventOf(event), queue.size(QueueName::kUnschedulable));
  }
  /// A plugin's queueing hint has answered.
  void ObserveHint(PodEvent event, Rejection plugin, bool helps);
  /// From 1.35 on: the pod's signature is made, for opportunistic batching.
  void Sign(std::uint32_t pod_template) {
    constexpr double kSeconds = 35e-6;
    events.Record(&PointChild(ExtensionPoint::kSign, Status::kSuccess, pod_template), kSeconds);
  }
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
  void FlushRecorders(bool first_half) {
    if (plugins_) plugins_->Flush(first_half);
    events.Flush(first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity);
  }
  /// Brings gauges up to date for a scrape.
  void ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                    std::size_t assumed);
  const std::string& ProfileOf(std::uint32_t pod_template) const {
    return profiles_.NameOf(pod_template);
  }
  std::uint64_t dropped_samples() const { return plugins_ ? plugins_->dropped() : 0; }

  MetricRegistry registry;
  SchedulingQueue queue;
  TokenBucket client;
  TokenBucket event_client;
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
  struct Due {
    Nanos at = 0;
    MetricChild* child = nullptr;
    double value = 0;
    std::unique_ptr<PointCall> call{};  // instead, of plugins
  };
  void ObserveLists(Random& random);
  std::string Target(std::string_view path) const;
  void Set(Metric metric, std::initializer_list<std::string_view> labels, double value) {
    registry.Get(metric, labels).value = value;
  }
  void ExportQueue();
  void ExportGoroutines();
  MetricChild& PointChild(ExtensionPoint point, Status status, std::uint32_t pod_template);

  const Scenario& scenario_;
  bool measures_;
  SchedulerProfiles profiles_;
  std::optional<PluginMetrics> plugins_;  // made last: it goes on with the constructor's stream
  Nanos started_;
  std::deque<Due> due_;
  std::vector<MetricChild*> point_children_;  // by point, status and profile; null: none yet
};

}  // namespace schedlens::sim
