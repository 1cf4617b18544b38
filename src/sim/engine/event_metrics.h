#ifndef SCHEDLENS_SIM_ENGINE_EVENT_METRICS_H_
#define SCHEDLENS_SIM_ENGINE_EVENT_METRICS_H_

// What one process measures of cluster events: inflight_events, event_handling_duration_seconds and
// queueing_hint_execution_duration_seconds. It counts beside the queue and decides nothing.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "kube/informer_event.h"
#include "sim/base/random.h"
#include "sim/base/release.h"
#include "sim/metrics/registry.h"

namespace schedlens::sim {

using kube::InformerEvent;
using kube::QueueingHint;

class EventMetrics {
 public:
  /// The registry must outlive it.
  EventMetrics(const Release& release, MetricRegistry& registry, const Random& random)
      : release_(release),
        registry_(registry),
        tracks_(registry.Shows(Metric::kInflightEvents)),
        random_(random) {}

  /// A pod's attempt begins; it is in flight until Done.
  void Popped(std::uint32_t pod);
  /// Bound, failed or gone. Does nothing for a pod that is not in flight.
  void Done(std::uint32_t pod);
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

  /// Of one kind in flight; kPodPopped: of the pods themselves.
  std::size_t in_flight(InformerEvent event) const { return in_flight_[event]; }

 private:
  struct Entry {
    InformerEvent event = InformerEvent::kPodPopped;
    std::uint32_t pod = 0;
    std::uint64_t flight = 0;
  };
  Release release_;
  MetricRegistry& registry_;
  bool tracks_;
  Random random_;
  std::deque<Entry> list_;  // as they came; a pod that is done stays until it is at the front
  std::unordered_map<std::uint32_t, std::uint64_t> flying_;  // pods, with their flights
  std::uint64_t flights_ = 0;
  kube::EnumMap<InformerEvent, std::size_t> in_flight_;
  kube::EnumMap<InformerEvent, bool> seen_;
  PluginRecorder lossy_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_EVENT_METRICS_H_
