#pragma once

// Answers to questions about a pod: its way through the scheduler (what every attempt found out,
// and what woke it in between), and how many more of its kind fit.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/time.h"
#include "scheduler/engine/scheduling_queue.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim {

/// The pod enters a queue.
struct QueueMove {
  Nanos at = 0;
  QueueName to = QueueName::kActive;
  PodEvent event = PodEvent::kPodAdd;
  std::int64_t subject = -1;  ///< the pod that was bound or deleted; -1 if it was no pod
};

/// A node where preemption would help.
struct PreemptionCandidate {
  int node = -1;
  std::vector<PodNumber> victims;
  std::int64_t pdb_violations = 0;
};

struct WatchedPreemption {
  std::string why_not;  ///< empty: it was tried
  int potential_nodes = 0;
  int node = -1;  ///< nominated; -1 if none helps
  std::vector<PreemptionCandidate> candidates;
};

struct WatchedAttempt {
  Nanos start = 0;
  std::int32_t number = 0;
  /// Null if the attempt ended before any plugin judged a node; `why` says why. Attempts in a row
  /// that found the same share it.
  std::shared_ptr<const core::AttemptDetail> detail;
  std::string why;
  std::optional<WatchedPreemption> preemption;
};

struct PodStory {
  std::string pod;           ///< namespace/name, as asked for
  std::int64_t number = -1;  ///< index into SimulationResult::pods; -1: no such pod in the run
  Nanos created = 0;
  bool ran_from_start = false;
  int node = -1;      ///< where it is at the end
  std::string state;  ///< at the end: `bound`, `deleted`, `in flight`, or the queue it waits in
  std::vector<WatchedAttempt> attempts;
  std::vector<QueueMove> moves;
};

/// How many more pods of one manifest fit, and what stops the next.
struct FitResult {
  /// More are not tried.
  static constexpr std::int64_t kMost = 1'000'000;

  std::string pod;      ///< namespace/name
  std::string profile;  ///< that schedules it
  std::int64_t count = 0;
  std::vector<std::pair<std::string, std::int64_t>> by_node;  ///< most first, those with none out
  std::vector<std::string> nodes;                             ///< names, by index
  core::AttemptDetail next;  ///< the attempt that found no node; of no use if `count` is kMost
  std::int64_t pending = 0;  ///< pods that wait and were left out
};

/// Collects the story of the pod with that name. The parts of a run tell it what happens.
class PodWatch {
 public:
  explicit PodWatch(std::string pod) { story_.pod = std::move(pod); }

  /// Cheap to ask with a function that makes the name.
  template <typename Name>
  void Created(PodNumber pod, Nanos now, const Name& name) {
    if (story_.number >= 0 || name() != story_.pod) return;
    story_.number = pod;
    story_.created = now;
  }
  bool Is(PodNumber pod) const { return story_.number == static_cast<std::int64_t>(pod); }
  void Begin(std::int32_t number, Nanos now) {
    story_.attempts.push_back({now, number, nullptr, "", std::nullopt});
  }
  /// The algorithm has decided.
  void Decided(core::AttemptDetail detail) {
    const std::size_t before = story_.attempts.size() - 1;
    auto& last = story_.attempts.back().detail;
    if (before > 0) last = story_.attempts[before - 1].detail;
    if (last == nullptr || *last != detail) {
      last = std::make_shared<core::AttemptDetail>(std::move(detail));
    }
  }
  /// The attempt ended without the algorithm.
  void Ended(std::string why) { story_.attempts.back().why = std::move(why); }
  void Preempted(WatchedPreemption what) { story_.attempts.back().preemption = std::move(what); }
  void Moved(Nanos at, QueueName to, PodEvent event, std::int64_t subject) {
    story_.moves.push_back({at, to, event, subject});
  }
  PodStory& story() { return story_; }

 private:
  PodStory story_;
};

}  // namespace schedlens::sim
