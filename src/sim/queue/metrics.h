#ifndef SCHEDLENS_SIM_QUEUE_METRICS_H_
#define SCHEDLENS_SIM_QUEUE_METRICS_H_

// The queue's own metrics. The gauges are counted as the original counts them, where it miscounts
// too; pending_pods of activeQ and back-off are the sizes of the heaps.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

struct QueueMetrics {
  /// queue_incoming_pods_total by label, then active, backoff, unschedulable.
  std::vector<std::array<std::uint64_t, 3>> incoming;
  /// pending_pods of unschedulable and gated.
  std::int64_t unschedulable = 0, gated = 0;
  /// unschedulable_pods by plugin.
  std::array<std::int64_t, kMaxPlugins> rejected_by{};

  /// `queue` is 0 for active, 1 for backoff, 2 for unschedulable. Label 0 is not counted.
  void Enter(std::size_t queue, LabelId label) {
    if (label == 0) return;
    if (label >= incoming.size()) incoming.resize(label + std::size_t{1});
    ++incoming[label][queue];
  }
  std::uint64_t Incoming(std::size_t queue, LabelId label) const {
    return label < incoming.size() ? incoming[label][queue] : 0;
  }
  void CountRejection(PluginSet plugins, int by) {
    ForEachPlugin(plugins, [&](PluginId plugin) { rejected_by[plugin] += by; });
  }
};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_METRICS_H_
