#include "sim/scheduler_process.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlens::sim {
namespace {

std::string_view StatusName(Status status) {
  static constexpr std::string_view kNames[] = {
      "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip"};
  return kNames[static_cast<std::size_t>(status)];
}

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

}  // namespace

SchedulerProcess::SchedulerProcess(const Scenario& scenario, const Random& random, Nanos now)
    : registry(scenario.release, {scenario.AsyncApiCalls(), scenario.release.async_preemption()}),
      queue(scenario.release,
            {FromSeconds(scenario.initial_backoff), FromSeconds(scenario.max_backoff)}),
      client(scenario.qps, scenario.client_burst),
      event_client(scenario.qps, scenario.client_burst),
      scenario_(scenario),
      random_(random),
      started_(now) {
  client.Start(now);
  event_client.Start(now);
  for (const PodTemplate& pod : scenario.templates) {
    const auto found = std::find(profiles_.begin(), profiles_.end(), pod.profile);
    profile_of_template_.push_back(static_cast<std::size_t>(found - profiles_.begin()));
    if (found == profiles_.end()) profiles_.push_back(pod.profile);
  }
  recorders_.resize(scenario.release.recorder_per_profile() ? profiles_.size() : 1);
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    const auto point = static_cast<Point>(p);
    for (const PluginCall& call : PluginsAt(scenario.release, point)) {
      PluginSlot slot;
      slot.plugin = call.plugin;
      slot.weight = call.weight;
      slot.needs = call.needs;
      slot.skips = call.skips;
      const auto weight =
          scenario.plugin_weights.find(fmt::format("{}/{}", PointName(point), call.plugin));
      if (weight != scenario.plugin_weights.end()) slot.weight *= weight->second;
      slots_[p].push_back(std::move(slot));
    }
    for (auto& by_profile : point_children_[p]) by_profile.resize(profiles_.size());
  }
  const bool gangs = std::any_of(scenario.templates.begin(), scenario.templates.end(),
                                 [](const PodTemplate& pod) { return pod.gang > 0; });
  if (gangs) {
    PluginSlot slot;
    slot.plugin = "Coscheduling";
    slot.weight = 1;
    slots_[static_cast<std::size_t>(Point::kPermit)].push_back(std::move(slot));
  }
  ListRequests();
}

std::string SchedulerProcess::RequestTarget(std::string_view path) const {
  const std::string host = HostOf(scenario_.api_host);
  if (scenario_.release.rest_client_by_host()) return host;
  const bool has_scheme = host.size() != scenario_.api_host.size();
  return fmt::format("{}{}{}", has_scheme ? "" : "https://", scenario_.api_host, path);
}

void SchedulerProcess::ListRequests() {
  for (std::string_view path : kLists) {
    const double seconds = 0.002 + 0.002 * random_.Uniform();
    registry.Get(Metric::kRestRequest, {"GET", RequestTarget(path)}).Observe(seconds);
    registry.Get(Metric::kRestLimiter, {"GET", RequestTarget(path)}).Observe(1e-6);
    registry.Get(Metric::kRestRequests, {"200", "GET", HostOf(scenario_.api_host)}).value += 2;
  }
}

MetricChild* SchedulerProcess::PointChild(Point point, Status status, std::uint32_t pod_template) {
  const std::size_t profile = profile_of_template_[pod_template];
  MetricChild*& child =
      point_children_[static_cast<std::size_t>(point)][static_cast<std::size_t>(status)][profile];
  if (child == nullptr) {
    child = &registry.Get(Metric::kExtensionPoint,
                          {PointName(point), StatusName(status), profiles_[profile]});
  }
  return child;
}

void SchedulerProcess::ObservePoint(Point point, Status status, std::uint32_t pod_template,
                                    Nanos duration) {
  PointChild(point, status, pod_template)->Observe(ToSeconds(duration));
}

void SchedulerProcess::PointLater(Nanos at, Point point, Status status, std::uint32_t pod_template,
                                  Nanos duration) {
  later_.push_back({at, PointChild(point, status, pod_template), ToSeconds(duration), {}});
}

void SchedulerProcess::CallLater(Nanos at, const PointCall& call) {
  later_.push_back({at, nullptr, 0, call});
}

void SchedulerProcess::AlgorithmLater(Nanos at, Nanos duration) {
  later_.push_back({at, &registry.Get(Metric::kAlgorithm, {}), ToSeconds(duration), {}});
}

void SchedulerProcess::CatchUp(Nanos now) {
  while (!later_.empty() && later_.front().at <= now) {
    const Later& next = later_.front();
    if (next.child != nullptr) {
      next.child->Observe(next.value);
    } else {
      ObserveCall(next.call);
    }
    later_.pop_front();
  }
}

MetricChild* SchedulerProcess::PluginChild(PluginSlot& slot, Point point, Status status) {
  MetricChild*& child = slot.children[static_cast<std::size_t>(status)];
  if (child == nullptr) {
    child = &registry.Get(Metric::kPlugin, {slot.plugin, PointName(point), StatusName(status)});
  }
  return child;
}

PluginRecorder& SchedulerProcess::RecorderOf(std::uint32_t pod_template) {
  return recorders_.size() == 1 ? recorders_.front()
                                : recorders_[profile_of_template_[pod_template]];
}

void SchedulerProcess::CountEvaluation(PluginSlot& slot, const PointCall& call, double times) {
  const int minor = scenario_.release.minor;
  const bool early = call.point == Point::kPreFilter || call.point == Point::kFilter;
  const bool late = call.point == Point::kPreScore || call.point == Point::kScore;
  if (!(early && minor >= 27) && !(late && minor >= 28)) return;
  const std::string& profile = profiles_[profile_of_template_[call.pod_template]];
  MetricChild*& child = slot.evaluations[profile];
  if (child == nullptr) {
    child =
        &registry.Get(Metric::kPluginEvaluations, {slot.plugin, PointName(call.point), profile});
  }
  child->value += times;
}

// One sample per plugin per node, node by node, until the buffer is full.
void SchedulerProcess::RecordNodes(const PointCall& call, std::vector<PluginSlot*>& running,
                                   double total) {
  PluginRecorder& recorder = RecorderOf(call.pod_template);
  const auto samples = static_cast<std::uint64_t>(call.nodes) * running.size();
  const std::uint64_t taken = std::min<std::uint64_t>(recorder.room(), samples);
  recorder.Drop(samples - taken);
  const double rejects = call.point == Point::kFilter && call.rejecting.empty()
                             ? scenario_.templates[call.pod_template].spread_rejects
                             : 0;
  bool rejected = false;  // this node, by an earlier plugin
  for (std::uint64_t i = 0; i < taken; ++i) {
    PluginSlot& slot = *running[i % running.size()];
    if (i % running.size() == 0) rejected = false;
    if (rejected) continue;
    Status status = slot.plugin == call.rejecting ? call.status : Status::kSuccess;
    if (rejects > 0 && slot.plugin == "PodTopologySpread" && random_.Chance(rejects)) {
      status = Status::kUnschedulable;
      rejected = true;
    }
    const double mean = call.worker_seconds * slot.weight / total / call.nodes;
    recorder.Record(PluginChild(slot, call.point, status), mean * (0.4 + 1.2 * random_.Uniform()));
  }
}

void SchedulerProcess::ObserveCall(const PointCall& call) {
  const unsigned features = scenario_.templates[call.pod_template].features;
  std::vector<PluginSlot*> running;
  double total = 0;
  for (PluginSlot& slot : slots_[static_cast<std::size_t>(call.point)]) {
    if (slot.skips && (slot.needs & features) == 0) {
      const bool answers = call.point == Point::kPreFilter || call.point == Point::kPreScore;
      if (answers && call.nodes == 0 && call.worker_seconds > 0) {
        RecorderOf(call.pod_template).Record(PluginChild(slot, call.point, Status::kSkip), 3e-7);
      }
      continue;
    }
    running.push_back(&slot);
    total += slot.weight;
    if (slot.plugin == call.rejecting && call.point == Point::kFilter) break;
  }
  if (running.empty() || total <= 0) return;
  const double times = call.nodes > 0 ? call.nodes : 1;
  for (PluginSlot* slot : running) CountEvaluation(*slot, call, times);
  // Not sampled: only plugin_evaluation_total counts it.
  if (call.worker_seconds <= 0) return;
  if (call.nodes > 0) {
    RecordNodes(call, running, total);
    return;
  }
  if (call.custom_seconds > 0) {
    MetricChild& custom =
        registry.Get(Metric::kPlugin, {"Custom", PointName(call.point), StatusName(call.status)});
    RecorderOf(call.pod_template).Record(&custom, call.custom_seconds);
  }
  for (PluginSlot* slot : running) {
    RecorderOf(call.pod_template)
        .Record(PluginChild(*slot, call.point, call.status),
                call.worker_seconds * slot->weight / total);
  }
}

void SchedulerProcess::ObserveAttempt(std::string_view result, std::uint32_t pod_template,
                                      Nanos e2e) {
  const std::string& profile = profiles_[profile_of_template_[pod_template]];
  const double seconds = ToSeconds(e2e);
  registry.Get(Metric::kE2e, {result, profile}).Observe(seconds);
  registry.Get(Metric::kAttempt, {result, profile}).Observe(seconds);
  registry.Get(Metric::kScheduleAttempts, {result, profile}).value += 1;
}

void SchedulerProcess::ObserveRequest(Request request, int code, Nanos wait, Nanos total) {
  const RequestRow& row = kRequests[static_cast<std::size_t>(request)];
  RequestChildren& children = request_children_[static_cast<std::size_t>(request)];
  if (children.request == nullptr) {
    const std::string target = RequestTarget(row.path);
    children.request = &registry.Get(Metric::kRestRequest, {row.verb, target});
    children.limiter = &registry.Get(Metric::kRestLimiter, {row.verb, target});
  }
  children.request->Observe(ToSeconds(total));
  // Even an idle limiter takes a few microseconds.
  children.limiter->Observe(ToSeconds(wait) + 2.5e-6);
  registry
      .Get(Metric::kRestRequests,
           {fmt::format_int(code).c_str(), row.verb, HostOf(scenario_.api_host)})
      .value += 1;
}

void SchedulerProcess::FlushRecorders(bool first_half) {
  const std::size_t count = first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity;
  for (PluginRecorder& recorder : recorders_) recorder.Flush(count);
}

std::uint64_t SchedulerProcess::dropped_samples() const {
  std::uint64_t out = 0;
  for (const PluginRecorder& recorder : recorders_) out += recorder.dropped();
  return out;
}

void SchedulerProcess::ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                                    std::size_t assumed) {
  const Release& release = scenario_.release;
  const auto set = [&](Metric metric, std::initializer_list<std::string_view> labels, double v) {
    registry.Get(metric, labels).value = v;
  };
  for (QueueKind kind : {QueueKind::kActive, QueueKind::kBackoff, QueueKind::kUnschedulable}) {
    const std::size_t idle = kind == QueueKind::kActive ? idle_pending : 0;
    set(Metric::kPendingPods, {QueueKindName(kind)}, static_cast<double>(queue.size(kind) + idle));
    for (std::size_t e = 0; e < static_cast<std::size_t>(QueueEvent::kCount); ++e) {
      const auto event = static_cast<QueueEvent>(e);
      std::uint64_t count = queue.incoming(kind, event);
      if (kind == QueueKind::kActive && event == QueueEvent::kPodAdd) count += standby_adds;
      if (count == 0) continue;
      set(Metric::kIncomingPods, {QueueKindName(kind), QueueEventName(release, event)},
          static_cast<double>(count));
    }
  }
  if (release.minor >= 26) set(Metric::kPendingPods, {"gated"}, 0);
  for (Metric metric : {Metric::kCacheSizeOld, Metric::kCacheSize}) {
    set(metric, {"nodes"}, static_cast<double>(cached_nodes));
    set(metric, {"pods"}, static_cast<double>(cached_pods));
    set(metric, {"assumed_pods"}, static_cast<double>(assumed));
  }
  static constexpr std::pair<unsigned, std::string_view> kRejecters[] = {
      {kRejectedByResources, "NodeResourcesFit"},
      {kRejectedByNodeAffinity, "NodeAffinity"},
      {kRejectedByGang, "Coscheduling"}};
  for (const auto& [bit, plugin] : kRejecters) {
    const std::size_t count = queue.CountRejectedBy(bit);
    if (count == 0 && !registry.Has(Metric::kUnschedulablePods, {plugin, profiles_.front()}))
      continue;
    set(Metric::kUnschedulablePods, {plugin, profiles_.front()}, static_cast<double>(count));
  }
  if (bound) {
    set(Metric::kGoroutinesOld, {"binding"}, static_cast<double>(bindings));
    set(Metric::kGoroutines, {"binding"}, static_cast<double>(bindings));
  }
  if (prioritized) {
    set(Metric::kGoroutinesOld, {"prioritizing_extender"}, 0);
    set(Metric::kGoroutines, {"prioritizing_extender"}, 0);
  }
  if (cycled) {
    for (std::string_view operation : {"Filter", "Score"}) set(Metric::kGoroutines, {operation}, 0);
    // Its PreFilter runs in parallel; from 1.27 it skips pods without inter-pod affinity.
    if (release.minor < 27) set(Metric::kGoroutines, {"InterPodAffinity"}, 0);
  }
  set(Metric::kProcessCpu, {}, cpu_seconds + 0.01 * ToSeconds(now - started_));
  set(Metric::kProcessStart, {},
      static_cast<double>(scenario_.start_time) / 1000 + ToSeconds(started_));
}

}  // namespace schedlens::sim
