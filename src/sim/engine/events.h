#ifndef SCHEDLENS_SIM_ENGINE_EVENTS_H_
#define SCHEDLENS_SIM_ENGINE_EVENTS_H_

// What can happen in a simulation.

#include <cstdint>

#include "sim/engine/event_heap.h"

namespace schedlens::sim {

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
  kClaimsMade,          // from templates: subject = pod, life = pod's
  kConfirmed,           // the informer shows the pod bound: subject = pod, life = pod's
  kPodEnds,             // end of life or of patience: subject = pod, life = pod's
  kCount,
};

using HeapEvent = TimedEvent<EventKind>;

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_EVENTS_H_
