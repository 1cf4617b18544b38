#ifndef SCHEDLENS_SIM_ENGINE_RUN_STATE_H_
#define SCHEDLENS_SIM_ENGINE_RUN_STATE_H_

// What every part of a running simulation shares: the scenario, the clock and the future, the
// random streams, what things cost now, and the counts.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/random.h"
#include "sim/cost/attempt_costs.h"
#include "sim/engine/event_heap.h"
#include "sim/engine/pod_watch.h"
#include "sim/engine/simulation.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

// What can happen in a simulation.
enum class EventKind : std::uint8_t {
  kSegment,             // conditions change: subject = segment
  kArrival,             // subject = which start of the arrivals
  kMember,              // a gang's next member: subject = gang
  kAction,              // subject = action
  kProcessBack,         // a process starts: subject = replica
  kTakeOver,            // a standby leads: subject = replica
  kScrape,              // subject = replica
  kNeighbourScrape,     // subject = target
  kRecorderFlush,       // every second; subject = 1: the second half
  kBackoffFlush,        // every second
  kUnschedulableFlush,  // every 30 s
  kLoop,                // the loop may take the next pod: life = leader
  kVictims,             // PostFilter wants to delete victims: life = leader
  kVictimGone,          // subject = pod, life = pod's
  kAttemptFailed,       // the failure handler runs: life = leader
  kBindStart,           // the binding goroutine runs: subject = job, life = job's
  kNominated,           // the node is in the pod's status: subject = job, life = job's
  kPermitOver,          // permit timeout: subject = job, life = job's
  kPreBindDone,         // subject = job, life = job's
  kBindDone,            // subject = job, life = job's
  kBindingArrives,      // at the API server: subject = its call
  kFinished,            // subject = job, life = job's
  kApiCallDone,         // dispatcher: subject = call, life = leader
  kEventSent,           // subject = call, life = leader
  kClaimSeen,           // the informer shows a late claim: subject = pod
  kConfirmed,           // the informer shows the pod bound: subject = pod, life = pod's
  kPodEnds,             // end of life or of patience: subject = pod, life = pod's
  kCount,
};

using HeapEvent = TimedEvent<EventKind>;

/// One stream a purpose, see Random.
struct RandomStreams {
  explicit RandomStreams(std::uint64_t seed)
      : arrivals(seed, 1),
        lives(seed, 2),
        loop(seed, 3),
        api(seed, 4),
        extender(seed, 5),
        bind(seed, 6) {}
  Random arrivals, lives, loop, api, extender, bind;
};

/// How many pods are in which phase.
struct PodTally {
  std::size_t pending = 0;
  std::size_t bound = 0;
  std::size_t confirmed = 0;  ///< bound, and the scheduler's informer has shown it
  std::size_t assumed = 0;    ///< has a node, not confirmed yet
};

struct RunState {
  RunState(const Scenario& the_scenario, const RunOptions& the_options);

  /// How long one step takes now, for a pod of that template. Per-node work is shared by `workers`.
  Nanos Sample(Cost cost, std::uint32_t pod_template, Random& from, int nodes = 0,
               int workers = 1) const;
  /// How many of the loop's workers really run at once.
  int Effective(int workers) const;
  cost::Machine machine() const;
  /// What the scenario says of a step of that template's pods now.
  const StepCost& CostOf(Cost cost, std::uint32_t pod_template) const {
    if (steps_of_ != conditions) FindSteps();
    return *steps_[pod_template][static_cast<std::size_t>(cost)];
  }
  /// Equal work does not take equally long; 1 on average.
  double Spread(Random& from) const;
  void Keep(const AttemptRecord& attempt) {
    if (options.keep_attempts) attempts.push_back(attempt);
  }

  const Scenario scenario;
  const RunOptions options;
  EventHeap<EventKind> heap;
  Nanos now = 0;
  const Conditions* conditions;
  RandomStreams random;
  PodTally tally;
  SimulationCounts counts;
  std::vector<AttemptRecord> attempts;
  HeapEvent handling{};             ///< the event that is being handled
  std::unique_ptr<PodWatch> watch;  ///< null if nobody asked about a pod
  std::vector<BindingRecord> bindings;

 private:
  void FindSteps() const;

  // By template and step, of the conditions that they were found in.
  mutable const Conditions* steps_of_ = nullptr;
  mutable std::vector<std::array<const StepCost*, kCostCount>> steps_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_RUN_STATE_H_
