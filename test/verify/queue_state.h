#pragma once

// The state of a scheduling queue as a trace tells it, brought along line by line.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/queue_trace.h"

namespace schedlens::verify {

/// What is known of one pod in one place.
struct RecordedPod {
  std::string place;  ///< `active`, `inFlight`, ...
  queue::PodKey key = 0;
  std::size_t nth = 0;                  ///< among the attempts in flight of this pod
  queue::PodKey entity = queue::kNone;  ///< the group that it is queued as part of
  std::vector<queue::PodKey> members;   ///< of a group
  queue::ObjectId object = 0;
  std::int64_t attempts = 0;
  Nanos timestamp = 0, initial_attempt = 0, expiry = 0;
  queue::PluginSet unschedulable = 0, pending = 0;
  bool gated = false;
  // From 1.34 on.
  std::int64_t unschedulable_count = 0, consecutive_errors = 0;
  queue::PluginId gating_plugin = queue::kNoPlugin;
  bool was_flushed = false;
  Nanos flushed = queue::kNever;  ///< from 1.37 on
};

struct RecordedFlight {
  bool is_pod = false;
  queue::PodKey key = 0;
  std::uint32_t label = 0, bits = 0;
  queue::ObjectId old_object = 0, new_object = 0;
  std::uint64_t seq = 0;
  friend bool operator==(const RecordedFlight&, const RecordedFlight&) = default;
};

using Keys = std::vector<queue::PodKey>;

/// The lists of keys that a state has.
enum class KeyList {
  kActive,
  kActiveHeap,
  kBackoff,
  kBackoffHeap,
  kErrorBackoff,
  kErrorBackoffHeap,
  kUnschedulable,
  kInFlightPods,
  kIncomplete,
  kPending
};
/// The last two are those of pod groups.
inline constexpr std::size_t kWithoutGroups = 8;
inline constexpr std::array<const char*, 10> kKeyLists = {
    "active",           "activeHeap",    "backoff",      "backoffHeap", "errorBackoff",
    "errorBackoffHeap", "unschedulable", "inFlightPods", "incomplete",  "pending"};

/// Metrics by what they count; absent ones are 0.
struct RecordedMetrics {
  /// By label: active, backoff, unschedulable.
  using ByLabel = std::vector<std::array<std::int64_t, 3>>;

  std::array<std::int64_t, 6> pending{};  ///< by kQueueNames
  /// queued_entities alike, by kEntityTypes.
  std::array<std::array<std::int64_t, 6>, 2> entities{};
  ByLabel incoming;
  std::array<ByLabel, 2> incoming_entities;  ///< by kEntityTypes
  std::array<std::int64_t, queue::kMaxPlugins> rejected_by{};

  /// `queue_incoming_pods_total/active/NodeAdd` and the like. Throws Error(kFailed) for others.
  void Set(const std::string& name, std::int64_t value, TraceObjects& objects);
};
inline constexpr std::array<const char*, 6> kQueueNames = {"active", "backoff",    "unschedulable",
                                                           "gated",  "incomplete", "pending"};
inline constexpr std::array<const char*, 2> kEntityTypes = {"pod", "podgroup"};

struct RecordedState {
  std::array<Keys, kKeyLists.size()> lists;
  std::map<std::string, RecordedPod> pods, groups;
  queue::PodKey flying_group = queue::kNone;  ///< the last entity popped, if it is a group
  std::vector<RecordedFlight> in_flight;
  std::map<std::uint32_t, Keys> nominated;
  std::int64_t scheduling_cycle = 0, move_request_cycle = -1;
  RecordedMetrics metrics;

  /// Takes in what a line says has changed. Throws Error(kFailed) or Json::exception.
  void Apply(const Json& changes, bool full, TraceObjects& objects);
};

}  // namespace schedlens::verify
