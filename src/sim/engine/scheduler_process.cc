#include "sim/engine/scheduler_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/framework/plugin_table.h"
#include "sim/scenario/cluster.h"

namespace schedlens::sim {
namespace {

std::string_view StatusName(Status status) {
  static constexpr std::string_view kNames[] = {
      "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip"};
  return kNames[static_cast<std::size_t>(status)];
}

// A configured profile's plugins at that point, in its order. What the table does not know of is as
// dear as a plain plugin.
std::vector<PluginCall> OnlyThoseOf(const core::Profile& profile, Point point,
                                    std::vector<PluginCall> known) {
  using core::ExtensionPoint;
  static constexpr std::pair<Point, ExtensionPoint> kPoints[] = {
      {Point::kPreFilter, ExtensionPoint::kPreFilter},
      {Point::kFilter, ExtensionPoint::kFilter},
      {Point::kPostFilter, ExtensionPoint::kPostFilter},
      {Point::kPreScore, ExtensionPoint::kPreScore},
      {Point::kScore, ExtensionPoint::kScore},
      {Point::kScoreNormalize, ExtensionPoint::kScore},
      {Point::kReserve, ExtensionPoint::kReserve},
      {Point::kUnreserve, ExtensionPoint::kReserve},
      {Point::kPreBind, ExtensionPoint::kPreBind},
      {Point::kBind, ExtensionPoint::kBind}};
  const auto row = std::find_if(std::begin(kPoints), std::end(kPoints),
                                [&](const auto& item) { return item.first == point; });
  if (row == std::end(kPoints)) return known;
  std::vector<PluginCall> out;
  for (const core::PluginRef& plugin : profile.At(row->second)) {
    const auto call = std::find_if(known.begin(), known.end(),
                                   [&](const auto& c) { return c.plugin == plugin.name; });
    if (call != known.end()) {
      out.push_back(*call);
    } else if (point == Point::kFilter || point == Point::kScore) {
      for (const core::InTreePlugin& tree : core::InTreePlugins()) {
        if (tree.name == plugin.name) out.push_back({tree.name, 0.5, 0, false});
      }
    }
  }
  return out;
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

SchedulerProcess::SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
                                   const Random& random, Nanos now)
    : registry(scenario.release, {scenario.AsyncApiCalls(), scenario.release.async_preemption()}),
      queue(scenario.release,
            {FromSeconds(scenario.initial_backoff), FromSeconds(scenario.max_backoff)}),
      client(scenario.qps, scenario.client_burst),
      event_client(scenario.qps, scenario.client_burst),
      scenario_(scenario),
      features_(features),
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
  for (auto& by_point : point_children_) {
    for (auto& by_profile : by_point) by_profile.resize(profiles_.size());
  }
  const core::Configuration configuration = ConfigurationOf(scenario, false);
  for (const std::string& name : profiles_) {
    const core::Profile* profile = nullptr;  // what a configuration file says of it
    for (const core::Profile& known : configuration.profiles) {
      if (!scenario.configuration.empty() && known.scheduler_name == name) profile = &known;
    }
    slots_.push_back(MakeSlots(profile));
  }
  ListRequests();
}

// Every plugin that runs for a profile, in order, at each point.
SchedulerProcess::Slots SchedulerProcess::MakeSlots(const core::Profile* profile) const {
  Slots out;
  for (std::size_t p = 0; p < out.size(); ++p) {
    const auto point = static_cast<Point>(p);
    std::vector<PluginCall> calls = PluginsAt(scenario_.release, point);
    if (profile != nullptr) calls = OnlyThoseOf(*profile, point, std::move(calls));
    for (const PluginCall& call : calls) {
      PluginSlot slot;
      slot.plugin = call.plugin;
      slot.weight = call.weight;
      slot.needs = call.needs;
      slot.skips = call.skips;
      const auto weight =
          scenario_.plugin_weights.find(fmt::format("{}/{}", PointName(point), call.plugin));
      if (weight != scenario_.plugin_weights.end()) slot.weight *= weight->second;
      out[p].push_back(std::move(slot));
    }
  }
  const bool gangs = std::any_of(scenario_.templates.begin(), scenario_.templates.end(),
                                 [](const PodTemplate& pod) { return pod.gang > 0; });
  if (gangs) {
    PluginSlot slot;
    slot.plugin = "Coscheduling";
    slot.weight = 1;
    out[static_cast<std::size_t>(Point::kPermit)].push_back(std::move(slot));
  }
  return out;
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

// How many nodes each of the running plugins is asked about: those that all before it let pass.
std::vector<double> SchedulerProcess::AskedOf(const PointCall& call,
                                              const std::vector<PluginSlot*>& running) {
  std::vector<double> out;
  double left = call.nodes > 0 ? call.nodes : 1;
  for (const PluginSlot* slot : running) {
    out.push_back(left);
    for (const PluginRejections& r : call.rejected) {
      if (r.plugin == slot->plugin) left -= r.unschedulable + r.unresolvable;
    }
  }
  return out;
}

// At which plugin the next node ends, and how: every node that is left is as likely as any other.
// Null if it passes.
PluginRejections* SchedulerProcess::NextRejection(std::vector<PluginRejections>& left,
                                                  int nodes_left, Status* status) {
  int rejected = 0;
  for (const PluginRejections& r : left) rejected += r.unschedulable + r.unresolvable;
  if (rejected == 0) return nullptr;
  const bool certain = left.size() == 1 && rejected == nodes_left &&
                       (left[0].unschedulable == 0 || left[0].unresolvable == 0);
  int pick = certain ? 0 : static_cast<int>(random_.Below(static_cast<std::uint32_t>(nodes_left)));
  for (PluginRejections& r : left) {
    for (int* count : {&r.unschedulable, &r.unresolvable}) {
      if (pick < *count) {
        --*count;
        *status = count == &r.unschedulable ? Status::kUnschedulable : Status::kUnresolvable;
        return &r;
      }
      pick -= *count;
    }
  }
  return nullptr;
}

// One sample per plugin per node, node by node, until the buffer is full.
void SchedulerProcess::RecordNodes(const PointCall& call, const std::vector<PluginSlot*>& running,
                                   const std::vector<double>& asked, double total) {
  PluginRecorder& recorder = RecorderOf(call.pod_template);
  const bool plain = call.rejecting.empty() && call.rejected.empty();
  const double rejects = call.point == Point::kFilter && plain
                             ? scenario_.templates[call.pod_template].spread_rejects
                             : 0;
  double unseen = std::accumulate(asked.begin(), asked.end(), 0.0);
  std::vector<PluginRejections> left = call.rejected;
  for (int node = 0; node < call.nodes && recorder.room() > 0; ++node) {
    Status status = call.status;
    std::string_view end = call.rejecting;
    if (const auto* r = NextRejection(left, call.nodes - node, &status); r != nullptr) {
      end = r->plugin;
    }
    for (PluginSlot* slot : running) {
      Status answer = slot->plugin == end ? status : Status::kSuccess;
      if (rejects > 0 && slot->plugin == "PodTopologySpread" && random_.Chance(rejects)) {
        answer = Status::kUnschedulable;
      }
      recorder.Record(PluginChild(*slot, call.point, answer),
                      call.worker_seconds * slot->weight / total * (0.4 + 1.2 * random_.Uniform()));
      --unseen;
      if (answer != Status::kSuccess) break;
    }
  }
  recorder.Drop(static_cast<std::uint64_t>(std::max(0.0, unseen)));
}

void SchedulerProcess::ObserveCall(const PointCall& call) {
  const unsigned features = features_[call.pod_template];
  std::vector<PluginSlot*> running;
  for (PluginSlot& slot : SlotsAt(call.point, call.pod_template)) {
    if (slot.skips && (slot.needs & features) == 0) {
      const bool answers = call.point == Point::kPreFilter || call.point == Point::kPreScore;
      if (answers && call.nodes == 0 && call.worker_seconds > 0) {
        RecorderOf(call.pod_template).Record(PluginChild(slot, call.point, Status::kSkip), 3e-7);
      }
      continue;
    }
    running.push_back(&slot);
    if (slot.plugin == call.rejecting) break;
  }
  const std::vector<double> asked = AskedOf(call, running);
  double total = 0;
  for (std::size_t i = 0; i < running.size(); ++i) {
    total += running[i]->weight * asked[i];
    CountEvaluation(*running[i], call, asked[i]);
  }
  // Not sampled: only plugin_evaluation_total counts it.
  if (total <= 0 || call.worker_seconds <= 0) return;
  if (call.nodes > 0) {
    RecordNodes(call, running, asked, total);
    return;
  }
  if (call.custom_seconds > 0) {
    MetricChild& custom =
        registry.Get(Metric::kPlugin, {"Custom", PointName(call.point), StatusName(call.status)});
    RecorderOf(call.pod_template).Record(&custom, call.custom_seconds);
  }
  for (PluginSlot* slot : running) {
    const bool ended = call.rejecting.empty() || slot->plugin == call.rejecting;
    RecorderOf(call.pod_template)
        .Record(PluginChild(*slot, call.point, ended ? call.status : Status::kSuccess),
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
  for (const auto& [bit, plugin] : Rejecters()) {
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
