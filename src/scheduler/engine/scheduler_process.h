#pragma once

// One kube-scheduler process: its metrics, queue, recorder and API clients. It dies with a restart.

#include "scheduler/engine/placement.h"
#include "scheduler/engine/plugin_metrics.h"

namespace schedlens::sim {

using kube::InformerEvent;
using kube::QueueingHint;

/// What a handler is called for that tells the queue of the event.
inline InformerEvent InformerEventOf(PodEvent event) {
  static constexpr std::pair<PodEvent, InformerEvent> kEvents[] = {
      {PodEvent::kNodeAdd, InformerEvent::kNodeAdd},
      {PodEvent::kAssignedPodAdd, InformerEvent::kAssignedPodAdd},
      {PodEvent::kClaimAdd, InformerEvent::kClaimAdd},
      {PodEvent::kNodeDelete, InformerEvent::kNodeDelete},
      {PodEvent::kGatesEliminated, InformerEvent::kGatesEliminated}};
  const auto* at = std::ranges::find(kEvents, event, &std::pair<PodEvent, InformerEvent>::first);
  return at == std::end(kEvents) ? InformerEvent::kAssignedPodDelete : at->second;
}

/// What one process measures of cluster events: inflight_events, event_handling_duration_seconds
/// and queueing_hint_execution_duration_seconds. It counts beside the queue and decides nothing.
class EventMetrics {
 public:
  /// The registry must outlive it.
  EventMetrics(const Release& release, MetricRegistry& registry, const Random& random)
      : release_(release), registry_(registry), random_(random) {}

  /// A pod's attempt begins; it is in flight until Done.
  void Popped(PodNumber pod) {
    if (!registry_.Shows(Metric::kInflightEvents) || flights_.Knows(pod)) return;
    flights_.AddPod({pod, pod, 0, 0});
    seen_[InformerEvent::kPodPopped] = true;
  }
  /// Bound, failed or gone. Does nothing for a pod that is not in flight.
  void Done(PodNumber pod) { flights_.Done(pod); }
  /// An event that may wake pods: noted while any pod is in flight.
  void Note(InformerEvent event) {
    if (flights_.pods() == 0) return;
    queue::EventInstance instance;
    instance.event.label = static_cast<queue::LabelId>(event);
    flights_.AddEvent(instance);
    seen_[event] = true;
  }
  /// An informer's handler has run; it looked at `pods` waiting pods.
  void Handled(InformerEvent event, std::size_t pods = 0) {
    if (!registry_.Shows(Metric::kEventHandling)) return;
    // Up to 1.35 the clock is read when it starts: about nothing is observed.
    double seconds = 1e-7;
    if (release_.minor >= 36) {
      seconds = CostOf(event, pods) * 1e-6 * (0.4 + 1.2 * random_.Uniform());
    }
    registry_.Get(Metric::kEventHandling, {kube::SpellingIn(event, release_.minor)})
        .Observe(seconds);
  }

  /// A hint function has answered.
  void Hint(std::string_view plugin, InformerEvent event, QueueingHint hint) {
    if (!registry_.Shows(Metric::kQueueingHint)) return;
    MetricChild& child =
        registry_.Get(Metric::kQueueingHint,
                      {plugin, kube::SpellingIn(event, release_.minor), kube::ToString(hint)});
    lossy_.Record(&child, (1 + 3 * random_.Uniform()) * 1e-6);
  }
  /// Something else that goes through the lossy buffer.
  void Record(MetricChild* child, double seconds) { lossy_.Record(child, seconds); }

  /// Brings the gauge up to date for a scrape.
  void Export() {
    const auto count = in_flight();
    for (const InformerEvent event : kube::All<InformerEvent>()) {
      if (!seen_[event]) continue;
      const bool target = release_.minor >= 37 && event == InformerEvent::kPodUpdate;
      const std::string_view name =
          target ? "TargetPodUpdate" : kube::SpellingIn(event, release_.minor);
      registry_.Get(Metric::kInflightEvents, {name}).value = static_cast<double>(count[event]);
    }
  }

  /// The once-a-second flush of the lossy buffer.
  void Flush(std::size_t count) { lossy_.Flush(count); }

  /// Of each kind in flight; kPodPopped: of the pods themselves.
  kube::EnumMap<InformerEvent, std::size_t> in_flight() const {
    kube::EnumMap<InformerEvent, std::size_t> out;
    for (const queue::InFlightList::Entry& entry : flights_.entries()) {
      ++out[entry.is_pod ? InformerEvent::kPodPopped
                         : static_cast<InformerEvent>(entry.event.event.label)];
    }
    return out;
  }

 private:
  // Microseconds of one handler that looks at so many waiting pods; measured on 1.36.
  static double CostOf(InformerEvent event, std::size_t pods) {
    constexpr double kLook = 2.5;
    static constexpr std::tuple<InformerEvent, double, double> kCosts[] = {
        {InformerEvent::kPodAdd, 150, 0},
        {InformerEvent::kPodUpdate, 200, 0},
        {InformerEvent::kPodDelete, 18, 0},
        {InformerEvent::kAssignedPodAdd, 90, kLook},
        {InformerEvent::kAssignedPodDelete, 50, kLook}};
    const auto waiting = static_cast<double>(pods);
    for (const auto& [of, base, per_pod] : kCosts) {
      if (of == event) return base + per_pod * waiting;
    }
    return 10 + kLook * waiting;
  }

  Release release_;
  MetricRegistry& registry_;
  Random random_;
  queue::InFlightList flights_;  // an event is its label
  kube::EnumMap<InformerEvent, bool> seen_;
  PluginRecorder lossy_;
};

/// The requests a scheduler sends, by REST template.
enum class Request { kBind, kStatusPatch, kDeletePod, kClaimUpdate, kEventPost, kEventPatch };

/// What the scheduling loop does in the current attempt, for goroutines that want the processor.
struct LoopWork {
  /// CPU work from `start` until before `end`; empty where the loop waits.
  struct Segment {
    Nanos start = 0, end = 0;
    int workers = 0;
  };
  Segment At(Nanos t) const {
    for (const Segment& segment : segments) {
      if (t >= segment.start && t < segment.end) return segment;
    }
    return {};
  }

  bool busy = false;  ///< between an attempt's start and the loop's next turn
  std::vector<Segment> segments;
};

class SchedulerProcess {
 public:
  /// `features` are the bits of Feature of each template; both must outlive it.
  SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
                   const RunOptions& options, Random random, Nanos now)
      : registry(scenario.release, {scenario.AsyncApiCalls(), scenario.release.async_preemption(),
                                    scenario.PodGroups(), !options.metrics}),
        queue(scenario.release,
              {FromSeconds(scenario.initial_backoff), FromSeconds(scenario.max_backoff),
               scenario.start_time % 1000 * kMillisecond}),
        client(scenario.qps, scenario.client_burst),
        event_client(scenario.qps, scenario.client_burst),
        events(scenario.release, registry, random),
        scenario_(scenario),
        measures_(options.metrics),
        profiles_(scenario),
        started_(now),
        point_children_(profiles_.names.size()) {
    ObserveLists(random);
    if (options.metrics && options.plugins) {
      plugins_.emplace(scenario, features, profiles_, registry, random);
    }
  }

  /// Something the scheduling loop will observe at a later time, in order of time.
  void Later(Nanos at, MetricChild& child, double value) {
    if (measures_) due_.emplace_back(at, [&child, value] { child.Add(value); });
  }
  void PointLater(Nanos at, ExtensionPoint point, Status status, std::uint32_t pod_template,
                  Nanos duration) {
    if (measures_) Later(at, PointChild(point, status, pod_template), ToSeconds(duration));
  }
  void CallLater(Nanos at, const PointCall& call) {
    due_.emplace_back(at, [this, call] { plugins_->Observe(call); });
  }
  /// Makes every observation that is due.
  void CatchUp(Nanos now) {
    for (; !due_.empty() && due_.front().first <= now; due_.pop_front()) due_.front().second();
  }

  void ObservePoint(ExtensionPoint point, Status status, std::uint32_t pod_template,
                    Nanos duration) {
    PointChild(point, status, pod_template).Observe(ToSeconds(duration));
  }
  /// A request of the API client was answered; `wait` in its rate limiter is part of `total`.
  void ObserveRequest(Request request, int code, Nanos wait, Nanos total) {
    // By Request. Names are replaced by placeholders, percent-encoded in the label.
    static constexpr std::pair<std::string_view, std::string_view> kRequests[] = {
        {"POST", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/binding"},
        {"PATCH", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/status"},
        {"DELETE", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D"},
        {"PUT", "/api/v1/namespaces/%7Bnamespace%7D/persistentvolumeclaims/%7Bname%7D"},
        {"POST", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events"},
        {"PATCH", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events/%7Bname%7D"},
    };
    const auto& [verb, path] = kRequests[static_cast<std::size_t>(request)];
    const std::string target = Target(path);
    registry.Get(Metric::kRestRequest, {verb, target}).Observe(ToSeconds(total));
    // Even an idle limiter takes a few microseconds.
    registry.Get(Metric::kRestLimiter, {verb, target}).Observe(ToSeconds(wait) + 2.5e-6);
    registry
        .Get(Metric::kRestRequests,
             {fmt::format_int(code).c_str(), verb, HostOf(scenario_.api_host)})
        .value += 1;
  }

  /// An informer's handler has told the queue of that event.
  void Heard(PodEvent event) {
    events.Handled(InformerEventOf(event), queue.size(QueueName::kUnschedulable));
  }
  /// A plugin's queueing hint has answered.
  void ObserveHint(PodEvent event, Rejection plugin, bool helps) {
    const std::string_view name = RejecterOf(plugin);
    if (name.empty()) return;
    events.Hint(name, InformerEventOf(event),
                helps ? QueueingHint::kQueue : QueueingHint::kQueueSkip);
  }
  /// From 1.35 on: the pod's signature is made, for opportunistic batching.
  void Sign(std::uint32_t pod_template) {
    constexpr double kSeconds = 35e-6;
    events.Record(&PointChild(ExtensionPoint::kSign, Status::kSuccess, pod_template), kSeconds);
  }
  /// From 1.35 on: what came of the node hint that the loop asked for.
  void ObserveNodeHint(std::uint32_t pod_template, const PlacementDecision& decision) {
    constexpr double kSeconds = 4e-6;
    const std::string& profile = ProfileOf(pod_template);
    registry.Get(Metric::kNodeHint, {decision.hinted ? "hint" : "no_hint", profile})
        .Observe(kSeconds);
    const std::string_view result = decision.hint_taken ? "hint_used"
                                    : decision.hinted   ? "hint_not_used"
                                                        : "no_hint";
    registry.Get(Metric::kBatchAttempts, {profile, result}).value += 1;
    if (decision.hint_rescored) {
      registry.Get(Metric::kBatchRescoreAttempts, {profile}).value += 1;
      registry.Get(Metric::kBatchRescore, {profile}).Observe(kSeconds);
    }
    for (const std::string_view reason : decision.hint_flushes) {
      registry.Get(Metric::kBatchCacheFlushed, {profile, reason}).value += 1;
    }
  }

  /// From 1.35 on: PreBind plugins are asked first whether they have work to do.
  void PreFlight(std::uint32_t pod_template, bool has_work) {
    if (scenario_.release.minor < 35) return;
    const Status status = has_work ? Status::kSuccess : Status::kSkip;
    ObservePoint(ExtensionPoint::kPreBindPreFlight, status, pod_template, 18 * kMicrosecond);
  }
  /// From 1.35 on: the loop has found a node, and keeps the scores for the next pod if it can.
  void StoreResults(std::uint32_t pod_template) {
    // 1.35 reads the clock when it starts.
    const double seconds = scenario_.release.minor >= 36 ? 15e-6 : 1e-7;
    const std::string& profile = ProfileOf(pod_template);
    registry.Get(Metric::kStoreResults, {profile}).Observe(seconds);
  }
  bool MeasuresPlugins() const { return plugins_.has_value(); }
  void ObserveCall(const PointCall& call) { plugins_->Observe(call); }
  void ObserveAttempt(std::string_view result, std::uint32_t pod_template, Nanos e2e) {
    if (!measures_) return;
    const std::string& profile = ProfileOf(pod_template);
    const double seconds = ToSeconds(e2e);
    // 1.18 observes only what it has bound.
    if (scenario_.release.minor >= 19 || result == kube::ToString(AttemptResult::kScheduled)) {
      registry.Get(Metric::kE2e, {result, profile}).Observe(seconds);
    }
    registry.Get(Metric::kAttempt, {result, profile}).Observe(seconds);
    registry.Get(Metric::kScheduleAttempts, {result, profile}).value += 1;
  }

  /// An attempt that ends now with its pod bound; the queue still knows the pod.
  void ObserveScheduled(PodNumber pod, std::uint32_t pod_template, Nanos binding, Nanos e2e,
                        Nanos now) {
    if (!measures_) return;
    registry.Get(Metric::kBinding, {}).Observe(ToSeconds(binding));
    ObserveAttempt(kube::ToString(AttemptResult::kScheduled), pod_template, e2e);
    const int attempts = queue.attempts(pod);
    const double waited = ToSeconds(now - queue.first_added(pod));
    const std::string label = attempts >= 15 ? "15+" : std::to_string(attempts);
    registry.Get(Metric::kPodDuration, {label}).Observe(waited);
    registry.Get(Metric::kPodSli, {label}).Observe(waited);
    registry.Get(Metric::kPodAttempts, {}).Observe(attempts);
    if (queue.was_flushed(pod)) registry.Get(Metric::kScheduledAfterFlush, {}).value += 1;
  }

  /// See PluginMetrics::Flush.
  void FlushRecorders(bool first_half) {
    if (plugins_) plugins_->Flush(first_half);
    events.Flush(first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity);
  }
  /// Brings gauges up to date for a scrape.
  void ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                    std::size_t assumed) {
    ExportQueue();
    for (const Metric metric : {Metric::kCacheSizeOld, Metric::kCacheSize}) {
      Set(metric, {"nodes"}, static_cast<double>(cached_nodes));
      Set(metric, {"pods"}, static_cast<double>(cached_pods));
      Set(metric, {"assumed_pods"}, static_cast<double>(assumed));
    }
    ExportGoroutines();
    events.Export();
    if (registry.Shows(Metric::kAsyncPending)) {
      for (const kube::CallType type : kube::All<kube::CallType>()) {
        Set(Metric::kAsyncPending, {kube::ToString(type)},
            static_cast<double>(dispatch_waiting[type]));
      }
    }
    Set(Metric::kProcessCpu, {}, cpu_seconds + 0.01 * ToSeconds(now - started_));
    Set(Metric::kProcessStart, {},
        static_cast<double>(scenario_.start_time) / 1000 + ToSeconds(started_));
  }

  const std::string& ProfileOf(std::uint32_t pod_template) const {
    return profiles_.NameOf(pod_template);
  }
  std::uint64_t dropped_samples() const { return plugins_ ? plugins_->dropped() : 0; }

  MetricRegistry registry;
  SchedulingQueue queue;
  TokenBucket client, event_client;
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
  // What the informers list when the process starts.
  void ObserveLists(Random& random) {
    static constexpr std::string_view kLists[] = {
#include "scheduler/engine/informer_lists.inc"
    };
    for (const std::string_view path : kLists) {
      const double seconds = 0.002 + 0.002 * random.Uniform();
      registry.Get(Metric::kRestRequest, {"GET", Target(path)}).Observe(seconds);
      registry.Get(Metric::kRestLimiter, {"GET", Target(path)}).Observe(1e-6);
      registry.Get(Metric::kRestRequests, {"200", "GET", HostOf(scenario_.api_host)}).value += 2;
    }
  }

  static std::string HostOf(const std::string& api) {
    const std::size_t at = api.find("://");
    return at == std::string::npos ? api : api.substr(at + 3);
  }
  std::string Target(std::string_view path) const {
    const std::string& api = scenario_.api_host;
    const std::string host = HostOf(api);
    if (scenario_.release.minor >= 24) return host;
    return fmt::format("{}{}{}", host.size() != api.size() ? "" : "https://", api, path);
  }
  void Set(Metric metric, std::initializer_list<std::string_view> labels, double value) {
    registry.Get(metric, labels).value = value;
  }
  void ExportQueue() {
    const int minor = scenario_.release.minor;
    // Of pod groups, which are one each, the queue here knows the pods alone.
    const bool entities = minor >= 37 && !scenario_.PodGroups();
    for (const QueueName kind :
         {QueueName::kActive, QueueName::kBackoff, QueueName::kUnschedulable}) {
      const std::size_t idle = kind == QueueName::kActive ? idle_pending : 0;
      Set(Metric::kPendingPods, {kube::ToString(kind)},
          static_cast<double>(queue.size(kind) + idle));
      if (entities) {
        Set(Metric::kQueuedEntities, {kube::ToString(kind), "pod"},
            static_cast<double>(queue.size(kind) + idle));
      }
      for (const PodEvent event : kube::All<PodEvent>()) {
        std::uint64_t count = queue.incoming(kind, event);
        if (kind == QueueName::kActive && event == PodEvent::kPodAdd) count += standby_adds;
        if (count == 0) continue;
        const std::string_view word = kube::SpellingIn(event, minor);
        Set(Metric::kIncomingPods, {kube::ToString(kind), word}, static_cast<double>(count));
        if (entities) {
          Set(Metric::kIncomingEntities, {kube::ToString(kind), word, "pod"},
              static_cast<double>(count));
        }
      }
    }
    if (minor >= 37) {
      for (const std::string_view kind : {"incomplete", "pending"}) {
        Set(Metric::kPendingPods, {kind}, 0);
      }
    }
    if (minor >= 26) {
      Set(Metric::kPendingPods, {kube::ToString(QueueName::kGated)},
          static_cast<double>(queue.size(QueueName::kGated)));
    }
    const std::string& profile = profiles_.names.front();
    for (const Rejecter& one : kRejecters) {
      const bool group = one.bit == kRejectedByGang && scenario_.PodGroups();
      const std::string_view plugin = group ? "GangScheduling" : one.plugin;
      const std::int64_t count = queue.CountRejectedBy(one.bit);
      if (count == 0 && !registry.Has(Metric::kUnschedulablePods, {plugin, profile})) continue;
      Set(Metric::kUnschedulablePods, {plugin, profile}, static_cast<double>(count));
    }
  }

  void ExportGoroutines() {
    for (const Metric metric : {Metric::kGoroutinesOld, Metric::kGoroutines}) {
      if (bound) Set(metric, {"binding"}, static_cast<double>(bindings));
      if (prioritized) Set(metric, {"prioritizing_extender"}, 0);
    }
    if (!cycled) return;
    for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kScore}) {
      Set(Metric::kGoroutines, {kube::ToString(point)}, 0);
    }
    // Its PreFilter runs in parallel; from 1.27 it skips pods without inter-pod affinity.
    if (scenario_.release.minor < 27) Set(Metric::kGoroutines, {"InterPodAffinity"}, 0);
  }

  MetricChild& PointChild(ExtensionPoint point, Status status, std::uint32_t pod_template) {
    MetricChild*& child = point_children_[profiles_.of_template[pod_template]][point][status];
    if (child == nullptr) {
      child = &registry.Get(Metric::kExtensionPoint, {kube::ToString(point), kube::ToString(status),
                                                      ProfileOf(pod_template)});
    }
    return *child;
  }

  const Scenario& scenario_;
  bool measures_;
  SchedulerProfiles profiles_;
  std::optional<PluginMetrics> plugins_;  // made last: it goes on with the constructor's stream
  Nanos started_;
  std::deque<std::pair<Nanos, std::function<void()>>> due_;
  // By profile; null: none yet.
  std::vector<kube::EnumMap<ExtensionPoint, kube::EnumMap<Status, MetricChild*>>> point_children_;
};

}  // namespace schedlens::sim
