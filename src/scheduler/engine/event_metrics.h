#pragma once

// inflight_events, event_handling_duration_seconds and queueing_hint_execution_duration_seconds of
// one process.

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "kube/words.h"
#include "scheduler/base/random.h"
#include "scheduler/engine/scheduling_queue.h"
#include "scheduler/metrics/registry.h"

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
  for (const auto& [known, as] : kEvents) {
    if (known == event) return as;
  }
  return InformerEvent::kAssignedPodDelete;
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
    registry_.Get(Metric::kEventHandling, {kube::ToString(event)}).Observe(seconds);
  }

  /// A hint function has answered.
  void Hint(std::string_view plugin, InformerEvent event, QueueingHint hint) {
    if (!registry_.Shows(Metric::kQueueingHint)) return;
    MetricChild& child =
        registry_.Get(Metric::kQueueingHint, {plugin, kube::ToString(event), kube::ToString(hint)});
    lossy_.Record(&child, (1 + 3 * random_.Uniform()) * 1e-6);
  }
  /// Something else that goes through the lossy buffer.
  void Record(MetricChild* child, double seconds) { lossy_.Record(child, seconds); }

  /// Brings the gauge up to date for a scrape.
  void Export() {
    const auto count = in_flight();
    for (const InformerEvent event : kube::All<InformerEvent>()) {
      if (!seen_[event]) continue;
      registry_.Get(Metric::kInflightEvents, {kube::ToString(event)}).value =
          static_cast<double>(count[event]);
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

}  // namespace schedlens::sim
