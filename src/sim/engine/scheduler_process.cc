#include "sim/engine/scheduler_process.h"

#include <string>

#include "sim/engine/simulation.h"

namespace schedlens::sim {

LoopWork::Segment LoopWork::At(Nanos t) const {
  for (const Segment& segment : segments) {
    if (t >= segment.start && t < segment.end) return segment;
  }
  return {};
}

SchedulerProcess::SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
                                   Random random, Nanos now)
    : registry(scenario.release, {scenario.AsyncApiCalls(), scenario.release.async_preemption()}),
      queue(scenario.release,
            {FromSeconds(scenario.initial_backoff), FromSeconds(scenario.max_backoff)}),
      client(scenario.qps, scenario.client_burst),
      event_client(scenario.qps, scenario.client_burst),
      rest(scenario, registry),
      scenario_(scenario),
      profiles_(scenario),
      started_(now) {
  client.Start(now);
  event_client.Start(now);
  for (auto& by_point : point_children_) {
    for (auto& by_profile : by_point) by_profile.resize(profiles_.names.size());
  }
  rest.ObserveLists(random);
  plugins_.emplace(scenario, features, profiles_, registry, random);
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
      plugins_->Observe(next.call);
    }
    later_.pop_front();
  }
}

void SchedulerProcess::ObserveAttempt(std::string_view result, std::uint32_t pod_template,
                                      Nanos e2e) {
  const std::string& profile = profiles_.NameOf(pod_template);
  const double seconds = ToSeconds(e2e);
  registry.Get(Metric::kE2e, {result, profile}).Observe(seconds);
  registry.Get(Metric::kAttempt, {result, profile}).Observe(seconds);
  registry.Get(Metric::kScheduleAttempts, {result, profile}).value += 1;
}

void SchedulerProcess::ObserveScheduled(PodNumber pod, std::uint32_t pod_template, Nanos binding,
                                        Nanos e2e, Nanos now) {
  registry.Get(Metric::kBinding, {}).Observe(ToSeconds(binding));
  ObserveAttempt(kube::ToString(AttemptResult::kScheduled), pod_template, e2e);
  const int attempts = queue.attempts(pod);
  const double waited = ToSeconds(now - queue.first_added(pod));
  const std::string label = attempts >= 15 ? "15+" : std::to_string(attempts);
  registry.Get(Metric::kPodDuration, {label}).Observe(waited);
  registry.Get(Metric::kPodSli, {label}).Observe(waited);
  registry.Get(Metric::kPodAttempts, {}).Observe(attempts);
}

void SchedulerProcess::ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                                    std::size_t assumed) {
  const Release& release = scenario_.release;
  const auto set = [&](Metric metric, std::initializer_list<std::string_view> labels, double v) {
    registry.Get(metric, labels).value = v;
  };
  for (QueueName kind : {QueueName::kActive, QueueName::kBackoff, QueueName::kUnschedulable}) {
    const std::size_t idle = kind == QueueName::kActive ? idle_pending : 0;
    set(Metric::kPendingPods, {kube::ToString(kind)}, static_cast<double>(queue.size(kind) + idle));
    for (const PodEvent event : kube::All<PodEvent>()) {
      std::uint64_t count = queue.incoming(kind, event);
      if (kind == QueueName::kActive && event == PodEvent::kPodAdd) count += standby_adds;
      if (count == 0) continue;
      set(Metric::kIncomingPods, {kube::ToString(kind), kube::SpellingIn(event, release.minor)},
          static_cast<double>(count));
    }
  }
  if (release.minor >= 26) set(Metric::kPendingPods, {kube::ToString(QueueName::kGated)}, 0);
  for (Metric metric : {Metric::kCacheSizeOld, Metric::kCacheSize}) {
    set(metric, {"nodes"}, static_cast<double>(cached_nodes));
    set(metric, {"pods"}, static_cast<double>(cached_pods));
    set(metric, {"assumed_pods"}, static_cast<double>(assumed));
  }
  for (const auto& [bit, plugin] : Rejecters()) {
    const std::size_t count = queue.CountRejectedBy(bit);
    if (count == 0 && !registry.Has(Metric::kUnschedulablePods, {plugin, profiles_.names.front()}))
      continue;
    set(Metric::kUnschedulablePods, {plugin, profiles_.names.front()}, static_cast<double>(count));
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
    for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kScore}) {
      set(Metric::kGoroutines, {kube::ToString(point)}, 0);
    }
    // Its PreFilter runs in parallel; from 1.27 it skips pods without inter-pod affinity.
    if (release.minor < 27) set(Metric::kGoroutines, {"InterPodAffinity"}, 0);
  }
  set(Metric::kProcessCpu, {}, cpu_seconds + 0.01 * ToSeconds(now - started_));
  set(Metric::kProcessStart, {},
      static_cast<double>(scenario_.start_time) / 1000 + ToSeconds(started_));
}

}  // namespace schedlens::sim
