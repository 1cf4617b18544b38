#include "scheduler/engine/scheduler_process.h"

#include <fmt/format.h>

#include <string>

#include "scheduler/engine/simulation.h"

namespace schedlens::sim {
namespace {

struct RequestRow {
  std::string_view verb;
  std::string_view path;
};

// By Request. Names are replaced by placeholders, percent-encoded in the label.
constexpr RequestRow kRequests[] = {
    {"POST", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/binding"},
    {"PATCH", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/status"},
    {"DELETE", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D"},
    {"PUT", "/api/v1/namespaces/%7Bnamespace%7D/persistentvolumeclaims/%7Bname%7D"},
    {"POST", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events"},
    {"PATCH", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events/%7Bname%7D"},
};

// What the informers list at start-up.
constexpr std::string_view kLists[] = {
    "/api/v1/nodes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/persistentvolumeclaims?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/persistentvolumes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/pods?fieldSelector=%7Bvalue%7D&limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/replicationcontrollers?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/services?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/apps/v1/replicasets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/apps/v1/statefulsets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/events.k8s.io/v1?timeout=32s",
    "/apis/policy/v1beta1/poddisruptionbudgets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/storage.k8s.io/v1/csinodes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/storage.k8s.io/v1/storageclasses?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
};

std::string HostOf(const std::string& api) {
  const std::size_t at = api.find("://");
  return at == std::string::npos ? api : api.substr(at + 3);
}

// Microseconds of one handler, and of each waiting pod it looks at; measured on 1.36.
struct HandlerCost {
  double base;
  double per_pod;
};

HandlerCost CostOf(InformerEvent event) {
  constexpr double kLook = 2.5;
  switch (event) {
    case InformerEvent::kPodAdd:
      return {150, 0};
    case InformerEvent::kPodUpdate:
      return {200, 0};
    case InformerEvent::kPodDelete:
      return {18, 0};
    case InformerEvent::kAssignedPodAdd:
      return {90, kLook};
    case InformerEvent::kAssignedPodDelete:
      return {50, kLook};
    default:
      return {10, kLook};
  }
}

}  // namespace

InformerEvent InformerEventOf(PodEvent event) {
  static constexpr std::pair<PodEvent, InformerEvent> kEvents[] = {
      {PodEvent::kNodeAdd, InformerEvent::kNodeAdd},
      {PodEvent::kAssignedPodAdd, InformerEvent::kAssignedPodAdd},
      {PodEvent::kClaimAdd, InformerEvent::kClaimAdd},
      {PodEvent::kNodeDelete, InformerEvent::kNodeDelete},
      {PodEvent::kGatesEliminated, InformerEvent::kGatesEliminated}};
  for (const auto& [known, as] : kEvents) {
    if (known == event) return as;
  }
  return InformerEvent::kAssignedPodDelete;
}

void EventMetrics::Popped(PodNumber pod) {
  if (!registry_.Shows(Metric::kInflightEvents) || flights_.Knows(pod)) return;
  flights_.AddPod({pod, pod, 0, 0, 0});
  seen_[InformerEvent::kPodPopped] = true;
}

void EventMetrics::Note(InformerEvent event) {
  if (flights_.pods() == 0) return;
  queue::EventInstance instance;
  instance.event.label = static_cast<queue::LabelId>(event);
  flights_.AddEvent(instance);
  seen_[event] = true;
}

void EventMetrics::Handled(InformerEvent event, std::size_t pods) {
  if (!registry_.Shows(Metric::kEventHandling)) return;
  // Up to 1.35 the clock is read when it starts: about nothing is observed.
  double seconds = 1e-7;
  if (release_.minor >= 36) {
    const HandlerCost cost = CostOf(event);
    seconds = (cost.base + cost.per_pod * static_cast<double>(pods)) * 1e-6 *
              (0.4 + 1.2 * random_.Uniform());
  }
  registry_.Get(Metric::kEventHandling, {kube::ToString(event)}).Observe(seconds);
}

void EventMetrics::Hint(std::string_view plugin, InformerEvent event, QueueingHint hint) {
  if (!registry_.Shows(Metric::kQueueingHint)) return;
  MetricChild& child =
      registry_.Get(Metric::kQueueingHint, {plugin, kube::ToString(event), kube::ToString(hint)});
  lossy_.Record(&child, (1 + 3 * random_.Uniform()) * 1e-6);
}

kube::EnumMap<InformerEvent, std::size_t> EventMetrics::in_flight() const {
  kube::EnumMap<InformerEvent, std::size_t> out;
  for (const queue::InFlightList::Entry& entry : flights_.entries()) {
    ++out[entry.is_pod ? InformerEvent::kPodPopped
                       : static_cast<InformerEvent>(entry.event.event.label)];
  }
  return out;
}

void EventMetrics::Export() {
  const auto count = in_flight();
  for (const InformerEvent event : kube::All<InformerEvent>()) {
    if (!seen_[event]) continue;
    registry_.Get(Metric::kInflightEvents, {kube::ToString(event)}).value =
        static_cast<double>(count[event]);
  }
}

LoopWork::Segment LoopWork::At(Nanos t) const {
  for (const Segment& segment : segments) {
    if (t >= segment.start && t < segment.end) return segment;
  }
  return {};
}

SchedulerProcess::SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
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
      started_(now) {
  client.Start(now);
  event_client.Start(now);
  point_children_.resize(kube::kSize<ExtensionPoint> * kube::kSize<Status> *
                         profiles_.names.size());
  ObserveLists(random);
  if (options.metrics && options.plugins) {
    plugins_.emplace(scenario, features, profiles_, registry, random);
  }
}

MetricChild& SchedulerProcess::PointChild(ExtensionPoint point, Status status,
                                          std::uint32_t pod_template) {
  const std::size_t at = (kube::IndexOf(point) * kube::kSize<Status> + kube::IndexOf(status)) *
                             profiles_.names.size() +
                         profiles_.of_template[pod_template];
  MetricChild*& child = point_children_[at];
  if (child == nullptr) {
    child = &registry.Get(Metric::kExtensionPoint,
                          {kube::ToString(point), kube::ToString(status), ProfileOf(pod_template)});
  }
  return *child;
}

void SchedulerProcess::CatchUp(Nanos now) {
  for (; !due_.empty() && due_.front().at <= now; due_.pop_front()) {
    const Due& next = due_.front();
    if (next.call) {
      plugins_->Observe(*next.call);
    } else {
      next.child->Add(next.value);
    }
  }
}

void SchedulerProcess::ObserveAttempt(std::string_view result, std::uint32_t pod_template,
                                      Nanos e2e) {
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

void SchedulerProcess::ObserveScheduled(PodNumber pod, std::uint32_t pod_template, Nanos binding,
                                        Nanos e2e, Nanos now) {
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

void SchedulerProcess::ObserveHint(PodEvent event, Rejection plugin, bool helps) {
  const std::string_view name = RejecterOf(plugin);
  if (name.empty()) return;
  events.Hint(name, InformerEventOf(event),
              helps ? QueueingHint::kQueue : QueueingHint::kQueueSkip);
}

void SchedulerProcess::ObserveNodeHint(std::uint32_t pod_template,
                                       const PlacementDecision& decision) {
  constexpr double kSeconds = 4e-6;
  const std::string& profile = ProfileOf(pod_template);
  registry.Get(Metric::kNodeHint, {decision.hinted ? "hint" : "no_hint", profile})
      .Observe(kSeconds);
  const std::string_view result = decision.hint_taken ? "hint_used"
                                  : decision.hinted   ? "hint_not_used"
                                                      : "no_hint";
  registry.Get(Metric::kBatchAttempts, {profile, result}).value += 1;
  for (const std::string_view reason : decision.hint_flushes) {
    registry.Get(Metric::kBatchCacheFlushed, {profile, reason}).value += 1;
  }
}

void SchedulerProcess::PreFlight(std::uint32_t pod_template, bool has_work) {
  if (scenario_.release.minor < 35) return;
  const Status status = has_work ? Status::kSuccess : Status::kSkip;
  ObservePoint(ExtensionPoint::kPreBindPreFlight, status, pod_template, 18 * kMicrosecond);
}

void SchedulerProcess::StoreResults(std::uint32_t pod_template) {
  // 1.35 reads the clock when it starts.
  const double seconds = scenario_.release.minor >= 36 ? 15e-6 : 1e-7;
  const std::string& profile = ProfileOf(pod_template);
  registry.Get(Metric::kStoreResults, {profile}).Observe(seconds);
}

std::string SchedulerProcess::Target(std::string_view path) const {
  const std::string& api = scenario_.api_host;
  const std::string host = HostOf(api);
  if (scenario_.release.rest_client_by_host()) return host;
  return fmt::format("{}{}{}", host.size() != api.size() ? "" : "https://", api, path);
}

// What the informers list when the process starts.
void SchedulerProcess::ObserveLists(Random& random) {
  for (const std::string_view path : kLists) {
    const double seconds = 0.002 + 0.002 * random.Uniform();
    registry.Get(Metric::kRestRequest, {"GET", Target(path)}).Observe(seconds);
    registry.Get(Metric::kRestLimiter, {"GET", Target(path)}).Observe(1e-6);
    registry.Get(Metric::kRestRequests, {"200", "GET", HostOf(scenario_.api_host)}).value += 2;
  }
}

void SchedulerProcess::ObserveRequest(Request request, int code, Nanos wait, Nanos total) {
  const RequestRow& row = kRequests[static_cast<std::size_t>(request)];
  const std::string target = Target(row.path);
  registry.Get(Metric::kRestRequest, {row.verb, target}).Observe(ToSeconds(total));
  // Even an idle limiter takes a few microseconds.
  registry.Get(Metric::kRestLimiter, {row.verb, target}).Observe(ToSeconds(wait) + 2.5e-6);
  registry
      .Get(Metric::kRestRequests,
           {fmt::format_int(code).c_str(), row.verb, HostOf(scenario_.api_host)})
      .value += 1;
}

// What a process brings up to date for a scrape.

void SchedulerProcess::ExportQueue() {
  const int minor = scenario_.release.minor;
  for (const QueueName kind :
       {QueueName::kActive, QueueName::kBackoff, QueueName::kUnschedulable}) {
    const std::size_t idle = kind == QueueName::kActive ? idle_pending : 0;
    Set(Metric::kPendingPods, {kube::ToString(kind)}, static_cast<double>(queue.size(kind) + idle));
    for (const PodEvent event : kube::All<PodEvent>()) {
      std::uint64_t count = queue.incoming(kind, event);
      if (kind == QueueName::kActive && event == PodEvent::kPodAdd) count += standby_adds;
      if (count == 0) continue;
      Set(Metric::kIncomingPods, {kube::ToString(kind), kube::SpellingIn(event, minor)},
          static_cast<double>(count));
    }
  }
  if (minor >= 26) {
    Set(Metric::kPendingPods, {kube::ToString(QueueName::kGated)},
        static_cast<double>(queue.size(QueueName::kGated)));
  }
  const std::string& profile = profiles_.names.front();
  for (const Rejecter& one : Rejecters()) {
    const bool group = one.bit == kRejectedByGang && scenario_.PodGroups();
    const std::string_view plugin = group ? "GangScheduling" : one.plugin;
    const std::int64_t count = queue.CountRejectedBy(one.bit);
    if (count == 0 && !registry.Has(Metric::kUnschedulablePods, {plugin, profile})) continue;
    Set(Metric::kUnschedulablePods, {plugin, profile}, static_cast<double>(count));
  }
}

void SchedulerProcess::ExportGoroutines() {
  for (const Metric metric : {Metric::kGoroutinesOld, Metric::kGoroutines}) {
    if (bound) Set(metric, {"binding"}, static_cast<double>(bindings));
  }
  for (const Metric metric : {Metric::kGoroutinesOld, Metric::kGoroutines}) {
    if (prioritized) Set(metric, {"prioritizing_extender"}, 0);
  }
  if (!cycled) return;
  for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kScore}) {
    Set(Metric::kGoroutines, {kube::ToString(point)}, 0);
  }
  // Its PreFilter runs in parallel; from 1.27 it skips pods without inter-pod affinity.
  if (scenario_.release.minor < 27) Set(Metric::kGoroutines, {"InterPodAffinity"}, 0);
}

void SchedulerProcess::ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
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

}  // namespace schedlens::sim
