#ifndef SCHEDLENS_SIM_METRICS_PLUGIN_RECORDER_H_
#define SCHEDLENS_SIM_METRICS_PLUGIN_RECORDER_H_

// The lossy buffer in front of plugin_execution_duration_seconds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/metrics/registry.h"

namespace schedlens::sim {

/// Holds at most 1000 samples; what comes while it is full is dropped without a trace. A flush,
/// once a second, moves everything into the histograms.
class PluginRecorder {
 public:
  static constexpr std::size_t kCapacity = 1000;

  std::size_t room() const { return kCapacity - samples_.size(); }
  /// False if the sample was dropped.
  bool Record(MetricChild* child, double seconds) {
    if (room() == 0) {
      ++dropped_;
      return false;
    }
    samples_.push_back({child, seconds});
    return true;
  }
  void Drop(std::uint64_t count) { dropped_ += count; }
  /// Moves the oldest samples, at most `count`, into their histograms. A flush takes some
  /// milliseconds, in which new samples find room: the caller flushes half, and the rest then.
  void Flush(std::size_t count) {
    count = std::min(count, samples_.size());
    for (std::size_t i = 0; i < count; ++i) samples_[i].child->Observe(samples_[i].seconds);
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Pending {
    MetricChild* child;
    double seconds;
  };
  std::vector<Pending> samples_;
  std::uint64_t dropped_ = 0;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_METRICS_PLUGIN_RECORDER_H_
