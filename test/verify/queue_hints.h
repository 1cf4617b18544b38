#pragma once

// Compares our own queueing hints, and the events that we make of a pod's change, with a trace's.

#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/queue/hints.h"
#include "verify/queue_host.h"

namespace schedlens::verify {

/// What about a waiting pod changed, in the order of its events.
enum class PodChange { kLabels, kScaleDown, kScaleUp, kGatesGone, kTolerations };
/// Empty: something else, the general Update.
std::vector<PodChange> ChangesOf(const sim::core::PodSpec& old_spec,
                                 const sim::core::PodSpec& spec);

class QueueHints {
 public:
  QueueHints(const TraceHeader& header, TraceObjects& objects, TraceSpecs& specs, QueueLog& log);

  /// A line whose objects have been taken in and whose operation has not run on `own` yet.
  void Compare(const Json& line, const queue::PriorityQueue& own);

 private:
  struct Pod {
    std::vector<sim::core::Id> claims;
    queue::HintPod hint;
  };
  const queue::HintPod& PodOf(queue::ObjectId id);
  void CompareRow(const Json& line, const Json& row, const queue::PriorityQueue& own);
  void CompareEvents(const Json& line);

  const TraceHeader& header_;
  TraceObjects& objects_;
  TraceSpecs& specs_;
  QueueLog& log_;
  queue::Hints hints_;
  std::unordered_map<queue::ObjectId, Pod> pods_;
  std::unordered_map<std::string, bool> asks_;  // `plugin resource:actions`
  KindCount &count_, &event_count_;
};

}  // namespace schedlens::verify
