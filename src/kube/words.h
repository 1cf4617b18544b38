#pragma once

#include <array>
#include <map>

#include "base/series.h"

namespace schedlens::kube {

// Enums whose values have a spelling in labels and reports, and arrays keyed by such an enum.

/// The spellings of an enum's values, in their order.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kSpellings{};

// The enums of words.txt and their spellings: ExtensionPoint, AttemptResult, StatusCode, CallType,
// QueueName, PodEvent, InformerEvent and QueueingHint are values of kube-scheduler's labels,
// MetricKind, Component and Gate say what a metric is, who exports it and by which gate.
#include "kube/words.inc"

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

/// As 1.`minor` spells it: from 1.32 on by resource and action; from 1.37 on a pod without a node
/// is unscheduled, and the target to the queue that judges it.
constexpr std::string_view SpellingIn(PodEvent event, int minor) {
  if (minor >= 37 && event == PodEvent::kPodAdd) return "UnscheduledPodAdd";
  if (minor >= 37 && event == PodEvent::kGatesEliminated) {
    return "TargetPodUpdatePodSchedulingGatesEliminated";
  }
  if (minor >= 32 && event == PodEvent::kPodAdd) return "UnschedulablePodAdd";
  if (minor >= 32 && event == PodEvent::kClaimAdd) return "PersistentVolumeClaimAdd";
  return ToString(event);
}

/// The same of what an informer tells.
constexpr std::string_view SpellingIn(InformerEvent event, int minor) {
  if (minor < 37) return ToString(event);
  if (event == InformerEvent::kPodAdd) return SpellingIn(PodEvent::kPodAdd, minor);
  if (event == InformerEvent::kPodUpdate) return "UnscheduledPodUpdate";
  if (event == InformerEvent::kPodDelete) return "UnscheduledPodDelete";
  if (event == InformerEvent::kGatesEliminated) {
    return SpellingIn(PodEvent::kGatesEliminated, minor);
  }
  return ToString(event);
}

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
