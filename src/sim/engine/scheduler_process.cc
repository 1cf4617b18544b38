#include "sim/engine/scheduler_process.h"

#include <string>

#include "sim/engine/simulation.h"

namespace schedlens::sim {
namespace {

InformerEvent HeardAs(PodEvent event) {
  switch (event) {
    case PodEvent::kNodeAdd:
      return InformerEvent::kNodeAdd;
    case PodEvent::kAssignedPodAdd:
      return InformerEvent::kAssignedPodAdd;
    case PodEvent::kClaimAdd:
      return InformerEvent::kClaimAdd;
    case PodEvent::kNodeDelete:
      return InformerEvent::kNodeDelete;
    case PodEvent::kGatesEliminated:
      return InformerEvent::kGatesEliminated;
    default:
      return InformerEvent::kAssignedPodDelete;
  }
}

}  // namespace

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
      rest(scenario, registry),
      events(scenario.release, registry, random),
      scenario_(scenario),
      measures_(options.metrics),
      profiles_(scenario),
      started_(now) {
  client.Start(now);
  event_client.Start(now);
  for (auto& by_point : point_children_) {
    for (auto& by_profile : by_point) by_profile.resize(profiles_.names.size());
  }
  rest.ObserveLists(random);
  if (options.metrics && options.plugins) {
    plugins_.emplace(scenario, features, profiles_, registry, random);
  }
}

MetricChild* SchedulerProcess::PointChild(ExtensionPoint point, Status status,
                                          std::uint32_t pod_template) {
  const std::size_t profile = profiles_.of_template[pod_template];
  MetricChild*& child =
      point_children_[static_cast<std::size_t>(point)][static_cast<std::size_t>(status)][profile];
  if (child == nullptr) {
    child = &registry.Get(Metric::kExtensionPoint, {kube::ToString(point), kube::ToString(status),
                                                    profiles_.names[profile]});
  }
  return child;
}

void SchedulerProcess::ObservePoint(ExtensionPoint point, Status status, std::uint32_t pod_template,
                                    Nanos duration) {
  PointChild(point, status, pod_template)->Observe(ToSeconds(duration));
}

void SchedulerProcess::PointLater(Nanos at, ExtensionPoint point, Status status,
                                  std::uint32_t pod_template, Nanos duration) {
  if (!measures_) return;
  later_.push_back({at, PointChild(point, status, pod_template), ToSeconds(duration)});
}

void SchedulerProcess::CallLater(Nanos at, const PointCall& call) {
  later_.push_back({at, nullptr, 0});
  later_calls_.push_back(call);
}

void SchedulerProcess::AlgorithmLater(Nanos at, Nanos duration) {
  if (!measures_) return;
  later_.push_back({at, &registry.Get(Metric::kAlgorithm, {}), ToSeconds(duration)});
}

void SchedulerProcess::GroupAlgorithmLater(Nanos at, Nanos duration) {
  later_.push_back({at, &registry.Get(Metric::kPodGroupAlgorithm, {}), ToSeconds(duration)});
}

void SchedulerProcess::GroupLater(Nanos at, std::string_view result, std::uint32_t pod_template,
                                  Nanos duration) {
  const std::string& profile = profiles_.NameOf(pod_template);
  MetricChild& attempt = registry.Get(Metric::kPodGroupAttempt, {result, profile});
  later_.push_back({at, &attempt, ToSeconds(duration)});
  later_.push_back({at, &registry.Get(Metric::kPodGroupAttempts, {result, profile}), 1});
}

void SchedulerProcess::CatchUp(Nanos now) {
  while (!later_.empty() && later_.front().at <= now) {
    const Later& next = later_.front();
    if (next.child != nullptr) {
      next.child->Add(next.value);
    } else {
      plugins_->Observe(later_calls_.front());
      later_calls_.pop_front();
    }
    later_.pop_front();
  }
}

void SchedulerProcess::ObserveAttempt(std::string_view result, std::uint32_t pod_template,
                                      Nanos e2e) {
  if (!measures_) return;
  const std::string& profile = profiles_.NameOf(pod_template);
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

void SchedulerProcess::FlushRecorders(bool first_half) {
  if (plugins_) plugins_->Flush(first_half);
  events.Flush(first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity);
}

// What a process brings up to date for a scrape, and what it measures beside its attempts.

void SchedulerProcess::Heard(PodEvent event) {
  events.Handled(HeardAs(event), queue.size(QueueName::kUnschedulable));
}

void SchedulerProcess::ObserveHint(PodEvent event, Rejection plugin, bool helps) {
  const std::string_view name = RejecterOf(plugin);
  if (name.empty()) return;
  events.Hint(name, HeardAs(event), helps ? QueueingHint::kQueue : QueueingHint::kQueueSkip);
}

void SchedulerProcess::Sign(std::uint32_t pod_template) {
  constexpr double kSeconds = 35e-6;
  events.Record(PointChild(ExtensionPoint::kSign, Status::kSuccess, pod_template), kSeconds);
}

void SchedulerProcess::ObserveNodeHint(std::uint32_t pod_template,
                                       const PlacementDecision& decision) {
  constexpr double kSeconds = 4e-6;
  const std::string& profile = profiles_.NameOf(pod_template);
  registry.Get(Metric::kNodeHint, {decision.hinted ? "hint" : "no_hint", profile})
      .Observe(kSeconds);
  const std::string_view result = decision.hint_taken ? "hint_used"
                                  : decision.hinted   ? "hint_not_used"
                                                      : "no_hint";
  registry.Get(Metric::kBatchAttempts, {profile, result}).value += 1;
  for (std::size_t i = 0; i < decision.hint_flushes.count; ++i) {
    const std::string_view reason = ToString(decision.hint_flushes.reasons[i]);
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
  const std::string& profile = profiles_.NameOf(pod_template);
  registry.Get(Metric::kStoreResults, {profile}).Observe(seconds);
}

void SchedulerProcess::ExportQueue() {
  const int minor = scenario_.release.minor;
  for (QueueName kind : {QueueName::kActive, QueueName::kBackoff, QueueName::kUnschedulable}) {
    const std::size_t idle = kind == QueueName::kActive ? idle_pending : 0;
    registry.Get(Metric::kPendingPods, {kube::ToString(kind)}).value =
        static_cast<double>(queue.size(kind) + idle);
    for (const PodEvent event : kube::All<PodEvent>()) {
      std::uint64_t count = queue.incoming(kind, event);
      if (kind == QueueName::kActive && event == PodEvent::kPodAdd) count += standby_adds;
      if (count == 0) continue;
      registry.Get(Metric::kIncomingPods, {kube::ToString(kind), kube::SpellingIn(event, minor)})
          .value = static_cast<double>(count);
    }
  }
  if (minor >= 26) {
    registry.Get(Metric::kPendingPods, {kube::ToString(QueueName::kGated)}).value =
        static_cast<double>(queue.size(QueueName::kGated));
  }
  for (const auto& [bit, rejecter] : Rejecters()) {
    const bool group = bit == kRejectedByGang && scenario_.PodGroups();
    const std::string_view plugin = group ? "GangScheduling" : rejecter;
    const std::int64_t count = queue.CountRejectedBy(bit);
    const std::string& profile = profiles_.names.front();
    if (count == 0 && !registry.Has(Metric::kUnschedulablePods, {plugin, profile})) continue;
    registry.Get(Metric::kUnschedulablePods, {plugin, profile}).value = static_cast<double>(count);
  }
}

void SchedulerProcess::ExportGoroutines() {
  const auto set = [&](Metric metric, std::string_view what, double v) {
    registry.Get(metric, {what}).value = v;
  };
  if (bound) {
    set(Metric::kGoroutinesOld, "binding", static_cast<double>(bindings));
    set(Metric::kGoroutines, "binding", static_cast<double>(bindings));
  }
  if (prioritized) {
    set(Metric::kGoroutinesOld, "prioritizing_extender", 0);
    set(Metric::kGoroutines, "prioritizing_extender", 0);
  }
  if (!cycled) return;
  for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kScore}) {
    set(Metric::kGoroutines, kube::ToString(point), 0);
  }
  // Its PreFilter runs in parallel; from 1.27 it skips pods without inter-pod affinity.
  if (scenario_.release.minor < 27) set(Metric::kGoroutines, "InterPodAffinity", 0);
}

void SchedulerProcess::ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                                    std::size_t assumed) {
  const auto set = [&](Metric metric, std::initializer_list<std::string_view> labels, double v) {
    registry.Get(metric, labels).value = v;
  };
  ExportQueue();
  for (Metric metric : {Metric::kCacheSizeOld, Metric::kCacheSize}) {
    set(metric, {"nodes"}, static_cast<double>(cached_nodes));
    set(metric, {"pods"}, static_cast<double>(cached_pods));
    set(metric, {"assumed_pods"}, static_cast<double>(assumed));
  }
  ExportGoroutines();
  events.Export();
  if (registry.Shows(Metric::kAsyncPending)) {
    for (const kube::CallType type : kube::All<kube::CallType>()) {
      set(Metric::kAsyncPending, {kube::ToString(type)},
          static_cast<double>(dispatch_waiting[type]));
    }
  }
  set(Metric::kProcessCpu, {}, cpu_seconds + 0.01 * ToSeconds(now - started_));
  set(Metric::kProcessStart, {},
      static_cast<double>(scenario_.start_time) / 1000 + ToSeconds(started_));
}

}  // namespace schedlens::sim
