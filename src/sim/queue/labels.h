#ifndef SCHEDLENS_SIM_QUEUE_LABELS_H_
#define SCHEDLENS_SIM_QUEUE_LABELS_H_

// Why a pod enters a queue: the label `event` of queue_incoming_pods_total. The queue itself gives
// out the first ones; a caller numbers its cluster events from kFirstOwnLabel on.

#include <array>
#include <string_view>

#include "sim/queue/types.h"

namespace schedlens::sim::queue {

enum KnownLabel : LabelId {
  kNoLabel,  ///< an entry that is not counted
  kPodAdded,
  kPodUpdated,
  kAttemptFailure,
  kBackoffComplete,
  kPopFromBackoff,
  kForceActivate,
  kUnschedulableTimeout,
  kAssignedPodAdd,
  kFirstOwnLabel,
};

/// As releases up to 1.31 spell them, and from 1.32 on.
inline constexpr std::array<std::string_view, kFirstOwnLabel> kLabelsBefore132 = {
    "",
    "PodAdd",
    "PodUpdate",
    "ScheduleAttemptFailure",
    "BackoffComplete",
    "PopFromBackoffQ",
    "ForceActivate",
    "UnschedulableTimeout",
    "AssignedPodAdd"};
inline constexpr std::array<std::string_view, kFirstOwnLabel> kLabelsFrom132 = {
    "",
    "UnschedulablePodAdd",
    "UnschedulablePodUpdate",
    "ScheduleAttemptFailure",
    "BackoffComplete",
    "PopFromBackoffQ",
    "ForceActivate",
    "UnschedulableTimeout",
    "AssignedPodAdd"};

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_LABELS_H_
