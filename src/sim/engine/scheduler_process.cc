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

}  // namespace schedlens::sim
