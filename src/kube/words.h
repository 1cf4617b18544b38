#ifndef SCHEDLENS_KUBE_WORDS_H_
#define SCHEDLENS_KUBE_WORDS_H_

// Values of kube-scheduler's labels: extension points, results, status codes, calls, queues and
// queueing events.

#include <array>
#include <string_view>

#include "kube/spelling.h"

namespace schedlens::kube {

/// The label `extension_point`, in the order in which an attempt passes the points. The last ones
/// are seen only in the plugins' own metric or from 1.35 on.
enum class ExtensionPoint {
  kPreEnqueue,
  kQueueSort,  ///< exists in configurations; never measured
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
  kUnreserve,
  kPreFilterAddPod,
  kPreFilterRemovePod,
  kScoreNormalize,
  kSign,
  kPlacementGenerate,
  kPlacementScore,
  kPlacementScoreNormalize,
};

template <>
inline constexpr std::array<std::string_view, 21> kSpellings<ExtensionPoint> = {
    "PreEnqueue",
    "QueueSort",
    "PreFilter",
    "Filter",
    "PostFilter",
    "PreScore",
    "Score",
    "Reserve",
    "Permit",
    "PreBindPreFlight",
    "PreBind",
    "Bind",
    "PostBind",
    "Unreserve",
    "PreFilterExtensionAddPod",
    "PreFilterExtensionRemovePod",
    "ScoreExtensionNormalize",
    "Sign",
    "PlacementGenerate",
    "PlacementScore",
    "PlacementScoreExtensionNormalize"};

/// The label `result` of an attempt. Alphabetical: the order in which results are listed and added
/// up.
enum class AttemptResult { kError, kScheduled, kUnschedulable };

template <>
inline constexpr std::array<std::string_view, 3> kSpellings<AttemptResult> = {"error", "scheduled",
                                                                              "unschedulable"};

/// The label `status` of extension points and plugins: the framework's status codes.
enum class StatusCode { kSuccess, kError, kUnschedulable, kUnresolvable, kWait, kSkip };

template <>
inline constexpr std::array<std::string_view, 6> kSpellings<StatusCode> = {
    "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip"};

/// The label `call_type` of API calls that are dispatched asynchronously.
enum class CallType { kPodBinding, kPodStatusPatch };

template <>
inline constexpr std::array<std::string_view, 2> kSpellings<CallType> = {"pod_binding",
                                                                         "pod_status_patch"};

/// The label `queue`.
enum class QueueName { kActive, kBackoff, kUnschedulable, kGated };

template <>
inline constexpr std::array<std::string_view, 4> kSpellings<QueueName> = {"active", "backoff",
                                                                          "unschedulable", "gated"};

/// Why a pod enters a queue: the label `event` of queue_incoming_pods_total, as spelled up to 1.31.
enum class PodEvent {
  kPodAdd,
  kAttemptFailure,
  kBackoffComplete,
  kPopFromBackoff,
  kForceActivate,
  kUnschedulableTimeout,
  kNodeAdd,
  kAssignedPodAdd,
  kAssignedPodDelete,
  kClaimAdd,
  kNodeDelete,       ///< from 1.32
  kGatesEliminated,  ///< counted from 1.32 on
};

template <>
inline constexpr std::array<std::string_view, 12> kSpellings<PodEvent> = {
    "PodAdd",
    "ScheduleAttemptFailure",
    "BackoffComplete",
    "PopFromBackoffQ",
    "ForceActivate",
    "UnschedulableTimeout",
    "NodeAdd",
    "AssignedPodAdd",
    "AssignedPodDelete",
    "PvcAdd",
    "NodeDelete",
    "UnschedulablePodUpdatePodSchedulingGatesEliminated"};

/// As 1.`minor` spells it: from 1.32 on by resource and action.
constexpr std::string_view SpellingIn(PodEvent event, int minor) {
  if (minor >= 32 && event == PodEvent::kPodAdd) return "UnschedulablePodAdd";
  if (minor >= 32 && event == PodEvent::kClaimAdd) return "PersistentVolumeClaimAdd";
  return ToString(event);
}

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_WORDS_H_
