#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "base/series.h"

namespace schedlens::kube {

// Enums whose values have a spelling in labels and reports, and arrays keyed by such an enum.

/// The spellings of an enum's values, in their order. Specialized next to each enum.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kSpellings{};

/// The words of a text, which has so many with one blank between them.
template <std::size_t kCount>
consteval std::array<std::string_view, kCount> WordsOf(std::string_view text) {
  std::array<std::string_view, kCount> words{};
  for (std::string_view& word : words) {
    word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return text.empty() && !words[kCount - 1].empty() ? words : throw "another number of words";
}

template <typename Enum>
concept Spelled = kSpellings<Enum>
.size() > 0;

template <Spelled Enum>
inline constexpr std::size_t kSize = kSpellings<Enum>.size();

template <Spelled Enum>
constexpr std::size_t IndexOf(Enum value) {
  return static_cast<std::size_t>(value);
}

template <Spelled Enum>
constexpr std::string_view ToString(Enum value) {
  return kSpellings<Enum>[IndexOf(value)];
}

/// Empty for a spelling that the enum does not have.
template <Spelled Enum>
constexpr std::optional<Enum> Parse(std::string_view spelling) {
  for (std::size_t i = 0; i < kSize<Enum>; ++i) {
    if (kSpellings<Enum>[i] == spelling) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// Every value, in the order of the enum.
template <Spelled Enum>
constexpr std::array<Enum, kSize<Enum>> All() {
  std::array<Enum, kSize<Enum>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}

/// One value for each value of an enum; starts with `Value{}` everywhere.
template <Spelled Enum, typename Value>
class EnumMap {
 public:
  constexpr Value& operator[](Enum key) { return values_[IndexOf(key)]; }
  constexpr const Value& operator[](Enum key) const { return values_[IndexOf(key)]; }
  /// The values in the order of the enum.
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }
  constexpr auto begin() { return values_.begin(); }
  constexpr auto end() { return values_.end(); }
  friend constexpr bool operator==(const EnumMap&, const EnumMap&) = default;

 private:
  std::array<Value, kSize<Enum>> values_{};
};

/// Values for some of an enum's values.
template <Spelled Enum, typename Value>
class PartialEnumMap : public std::map<Enum, Value> {
 public:
  using std::map<Enum, Value>::map;

  /// Null where there is none.
  const Value* Find(Enum key) const {
    const auto found = this->find(key);
    return found == this->end() ? nullptr : &found->second;
  }
  /// The value, `otherwise` where there is none.
  Value Get(Enum key, Value otherwise = {}) const {
    const Value* value = Find(key);
    return value != nullptr ? *value : otherwise;
  }
};

// Values of kube-scheduler's labels: extension points, results, status codes, calls, queues,
// queueing events and what the informers tell.

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
inline constexpr auto kSpellings<ExtensionPoint> = WordsOf<21>(
    "PreEnqueue QueueSort PreFilter Filter PostFilter PreScore Score Reserve Permit "
    "PreBindPreFlight PreBind Bind PostBind Unreserve PreFilterExtensionAddPod "
    "PreFilterExtensionRemovePod ScoreExtensionNormalize Sign PlacementGenerate PlacementScore "
    "PlacementScoreExtensionNormalize");

/// The label `result` of an attempt. Alphabetical: the order in which results are listed and added
/// up.
enum class AttemptResult { kError, kScheduled, kUnschedulable };

template <>
inline constexpr auto kSpellings<AttemptResult> = WordsOf<3>("error scheduled unschedulable");

/// The label `status` of extension points and plugins: the framework's status codes.
enum class StatusCode { kSuccess, kError, kUnschedulable, kUnresolvable, kWait, kSkip };

template <>
inline constexpr auto kSpellings<StatusCode> =
    WordsOf<6>("Success Error Unschedulable UnschedulableAndUnresolvable Wait Skip");

/// The label `call_type` of API calls that are dispatched asynchronously.
enum class CallType { kPodBinding, kPodStatusPatch };

template <>
inline constexpr auto kSpellings<CallType> = WordsOf<2>("pod_binding pod_status_patch");

/// The label `queue`.
enum class QueueName { kActive, kBackoff, kUnschedulable, kGated };

template <>
inline constexpr auto kSpellings<QueueName> = WordsOf<4>("active backoff unschedulable gated");

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
inline constexpr auto kSpellings<PodEvent> = WordsOf<12>(
    "PodAdd ScheduleAttemptFailure BackoffComplete PopFromBackoffQ ForceActivate "
    "UnschedulableTimeout NodeAdd AssignedPodAdd AssignedPodDelete PvcAdd NodeDelete "
    "UnschedulablePodUpdatePodSchedulingGatesEliminated");

/// As 1.`minor` spells it: from 1.32 on by resource and action.
constexpr std::string_view SpellingIn(PodEvent event, int minor) {
  if (minor >= 32 && event == PodEvent::kPodAdd) return "UnschedulablePodAdd";
  if (minor >= 32 && event == PodEvent::kClaimAdd) return "PersistentVolumeClaimAdd";
  return ToString(event);
}

/// What the informers tell the scheduler: the label `event` of event_handling_duration_seconds,
/// inflight_events and queueing_hint_execution_duration_seconds.
enum class InformerEvent {
  kPodAdd,  ///< of a pod without a node, like the next two
  kPodUpdate,
  kPodDelete,  ///< also when it has got its node
  kAssignedPodAdd,
  kAssignedPodDelete,
  kNodeAdd,
  kNodeDelete,
  kClaimAdd,
  kGatesEliminated,
  kPodPopped,  ///< of inflight_events only: the pods in flight themselves
};

template <>
inline constexpr auto kSpellings<InformerEvent> = WordsOf<10>(
    "UnschedulablePodAdd UnschedulablePodUpdate UnschedulablePodDelete AssignedPodAdd "
    "AssignedPodDelete NodeAdd NodeDelete PersistentVolumeClaimAdd "
    "UnschedulablePodUpdatePodSchedulingGatesEliminated PodPopped");

/// The label `hint`: what a plugin's hint function said.
enum class QueueingHint { kQueue, kQueueSkip, kError };

template <>
inline constexpr auto kSpellings<QueueingHint> = WordsOf<3>("Queue QueueSkip Error");

/// How the attempts of a series ended. 1.18 has no `result` and observes successful binds only; a
/// value that no release has counts as an error.
inline AttemptResult ResultOf(const Labels& labels) {
  if (!labels.Has("result")) return AttemptResult::kScheduled;
  return Parse<AttemptResult>(labels.Get("result")).value_or(AttemptResult::kError);
}

/// Whether an extension point's or plugin's calls were answered `Success`.
inline bool IsSuccess(const Labels& labels) {
  return labels.Get("status") == ToString(StatusCode::kSuccess);
}

inline bool IsScheduled(const Labels& labels) {
  return ResultOf(labels) == AttemptResult::kScheduled;
}

}  // namespace schedlens::kube
