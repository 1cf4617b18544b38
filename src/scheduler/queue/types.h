#pragma once

// The words of the scheduling queue: pods, events and what the queue knows of a pod. Texts are
// numbers that the caller gives out; the queue only compares them.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/base/time.h"

namespace schedlens::sim::queue {

using PodKey = std::uint32_t;    ///< namespace/name, dense from 0
using PodUid = std::uint32_t;    ///< dense from 0
using ObjectId = std::uint32_t;  ///< a version of an object; 0: none
using NodeName = std::uint32_t;  ///< 0: the empty name
using LabelId = std::uint16_t;   ///< why a pod enters a queue, see KnownLabel
using Resource = std::uint16_t;  ///< what an event is about, see KnownResource
using PluginId = std::uint8_t;   ///< below kMaxPlugins
using PluginSet = std::uint64_t;
using RecordId = std::uint32_t;

inline constexpr int kMaxPlugins = 64;
inline constexpr PluginId kNoPlugin = 255;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr Nanos kNever = std::numeric_limits<Nanos>::min();

constexpr PluginSet SetOf(PluginId plugin) { return PluginSet{1} << plugin; }
constexpr bool Has(PluginSet set, PluginId plugin) { return (set & SetOf(plugin)) != 0; }
/// Calls `visit(PluginId)` for each plugin of the set, lowest first.
template <typename Visit>
void ForEachPlugin(PluginSet set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<PluginId>(std::countr_zero(set)));
}

/// Why a pod enters a queue: the label `event` of queue_incoming_pods_total. The queue itself gives
/// out the first ones; a caller numbers its cluster events from kFirstOwnLabel on.
enum KnownLabel : LabelId {
  kNoLabel,  ///< an entry that is not counted
  kPodAdded,
  kAttemptFailure,
  kBackoffComplete,
  kPopFromBackoff,
  kForceActivate,
  kUnschedulableTimeout,
  kAssignedPodAdd,
  kPodUpdated,
  kFirstOwnLabel,
};

/// Resources with a meaning of their own; others are numbered by the caller from kFirstOwnResource.
enum KnownResource : Resource {
  kAnyResource,
  kPod,               ///< in a registration it stands for the next two as well
  kAssignedPod,       ///< has a node
  kUnschedulablePod,  ///< has none
  kFirstOwnResource,
};

/// A version of a pod, as far as the queue itself looks at it.
struct PodVersion {
  PodKey key = 0;
  PodUid uid = 0;
  ObjectId object = 0;
  std::int32_t priority = 0;
  NodeName nominated = 0;  ///< status.nominatedNodeName
};

/// What happened in the cluster.
struct ClusterEvent {
  Resource resource = 0;
  std::uint32_t bits = 0;  ///< of the actions
  LabelId label = 0;
  bool wildcard = false;
};

/// An event that a plugin registered for.
struct Registration {
  Resource resource = kAnyResource;
  std::uint32_t bits = 0;
  std::uint32_t id = 0;  ///< the caller's, to know it again
};

/// One event with what changed. `new_pod` is kNone unless the new object is a pod.
struct EventInstance {
  ClusterEvent event;
  ObjectId old_object = 0, new_object = 0;
  PodUid new_pod = kNone;
};

/// The queues as places; a record may be in more than one for a while.
enum class Place : std::uint8_t { kActive, kBackoff, kErrorBackoff, kUnschedulable };
inline constexpr std::size_t kPlaces = 4;

/// What the queue knows of a pod (kube-scheduler's QueuedPodInfo).
struct Record {
  PodVersion pod;
  int attempts = 0, unschedulable_count = 0, consecutive_errors = 0;
  Nanos timestamp = 0;
  Nanos initial_attempt = kNever;  ///< first entry into activeQ
  Nanos expiry = kNever;           ///< end of the back-off it has to wait; kNever: none
  PluginSet unschedulable = 0;     ///< plugins that rejected it
  PluginSet pending = 0;           ///< plugins that made it wait
  PluginId gating_plugin = kNoPlugin;
  bool gated = false, was_flushed = false;
  bool held = false;  ///< by the scheduler, from Pop on
  std::array<std::uint32_t, kPlaces> position = {kNone, kNone, kNone, kNone};

  std::uint32_t& At(Place place) { return position[static_cast<std::size_t>(place)]; }
  bool In(Place place) const { return position[static_cast<std::size_t>(place)] != kNone; }
  PluginSet rejectors() const { return unschedulable | pending; }
};

using Records = std::vector<Record>;

}  // namespace schedlens::sim::queue
