#include "sim/engine/event_metrics.h"

#include "sim/base/time.h"

namespace schedlens::sim {
namespace {

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

void EventMetrics::Popped(std::uint32_t pod) {
  if (!tracks_ || !flying_.emplace(pod, flights_ + 1).second) return;
  list_.push_back({InformerEvent::kPodPopped, pod, ++flights_});
  ++in_flight_[InformerEvent::kPodPopped];
  seen_[InformerEvent::kPodPopped] = true;
}

void EventMetrics::Done(std::uint32_t pod) {
  if (flying_.erase(pod) == 0) return;
  --in_flight_[InformerEvent::kPodPopped];
  // Nobody needs the events before the first pod that still flies.
  while (!list_.empty()) {
    const Entry& front = list_.front();
    if (front.event != InformerEvent::kPodPopped) {
      --in_flight_[front.event];
    } else if (const auto flight = flying_.find(front.pod);
               flight != flying_.end() && flight->second == front.flight) {
      break;
    }
    list_.pop_front();
  }
}

void EventMetrics::Note(InformerEvent event) {
  if (flying_.empty()) return;
  list_.push_back({event});
  ++in_flight_[event];
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

void EventMetrics::Export() {
  for (const InformerEvent event : kube::All<InformerEvent>()) {
    if (!seen_[event]) continue;
    registry_.Get(Metric::kInflightEvents, {kube::ToString(event)}).value =
        static_cast<double>(in_flight_[event]);
  }
}

}  // namespace schedlens::sim
