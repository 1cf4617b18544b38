#pragma once

// What the scheduling queue of one release does, as data, and how long its pods back off. The queue
// asks these, never the release.

#include "scheduler/queue/types.h"

namespace schedlens::sim::queue {

/// Feature gates that change the queue.
struct QueueGates {
  bool queueing_hints = false, pop_from_backoff = false;
};
/// As a release 1.`minor` sets them by default.
QueueGates DefaultGates(int minor);

/// What the length of a back-off grows with.
enum class BackoffCount {
  kAttempts,            ///< pops; none yet: no back-off
  kAttemptsAtLeastOne,  ///< pops; none yet: the initial back-off
  kOutcomes,            ///< errors in a row, else rejections
};

/// Which gated pods a move leaves out.
enum class GatedInMoves {
  kNobody,
  kAll,
  kBySchedulingGates,       ///< those that SchedulingGates rejected
  kUnlessItsPluginMatches,  ///< all but those whose gating plugin registered for the event
};

/// When PreEnqueue plugins, asked at the entry into back-off, are not asked again.
enum class SkipPreEnqueue { kNo, kOnFlush, kFromBackoff };

struct QueueRules {
  QueueGates gates;

  // Back-off.
  BackoffCount backoff_count = BackoffCount::kOutcomes;
  bool whole_seconds = true;      ///< expiry and now are cut down to whole seconds of wall time
  bool backs_off_through = true;  ///< still backs off at its very expiry
  bool gated_backs_off = true;
  bool error_queue = true;          ///< pods without a rejecting plugin have a queue of their own
  bool backoff_by_priority = true;  ///< equal expiries in backoffQ are ordered as in activeQ
  bool flush_at_once = true;        ///< all are taken out first, then put into activeQ
  Nanos leftover_after = 300 * kSecond;  ///< default of podMaxInUnschedulablePodsDuration

  // Gates.
  bool clock_from_add = false;    ///< gated time counts as well
  bool has_gating_plugin = true;  ///< known by name and asked first; else `gated` is a flag
  bool counts_gate_once = true;   ///< unschedulable_pods rises only if the plugin is new
  bool recounts_gated = true;     ///< pending_pods follows a pod that turns gated in place
  SkipPreEnqueue skip_pre_enqueue = SkipPreEnqueue::kFromBackoff;
  GatedInMoves gated_in_moves = GatedInMoves::kUnlessItsPluginMatches;

  // Events.
  bool asks_plugins = true;           ///< else every event wakes every unschedulable pod
  bool ordered_match = true;          ///< incoming bits may not be above the registered ones
  bool wildcard_for_one_pod = true;   ///< a wildcard with an object wakes this only, if it is a pod
  bool every_move_counts = false;     ///< also of an event that nobody registered for
  bool leaves_before_move = true;     ///< a moved pod leaves `unschedulable` first
  bool spread_follows_pods = true;    ///< assigned pods wake those that PodTopologySpread rejected
  bool anti_affinity_follows = true;  ///< and those with a matching required anti-affinity

  // Calls.
  bool one_place = true;  ///< a pod is never in back-off and unschedulable at once
  bool pop_clears_plugins = false, pop_lowers_gauge = true;
  bool pop_drops_known_uid = true;  ///< a copy of a pod in flight is thrown away
  bool delete_lowers_gauge = true;
  bool update_by_events = true;          ///< else by what differs in the pod
  bool activate_notes_in_flight = true;  ///< an Activate it cannot do is an event or a move request
  bool marks_flushed = true;
  bool nominates_anew = false;               ///< so do the end of an attempt and Activate
  bool counts_unschedulable_entries = true;  ///< any new entry; else those placed by an event
  bool unknown_flight_by_list = false;  ///< an error without an entry waits unless events are kept
  bool errors_back_off = true;  ///< while no hints are asked; else they go where rejections go
};

/// The rules of release 1.`minor`, of 18 to the newest.
QueueRules RulesOf(int minor, const QueueGates& gates);

struct BackoffSettings {
  Nanos initial = kSecond, max = 10 * kSecond;
  /// Wall time at the clock's 0, as far as it is not a whole second.
  Nanos start = 0;
};

class Backoff {
 public:
  Backoff(const QueueRules& rules, const BackoffSettings& settings)
      : rules_(rules), settings_(settings) {}

  /// Of a pod with these counts; 0 if it need not wait. A maximum of 0 switches back-off off; where
  /// pops are counted, not for the first one.
  Nanos LengthOf(const Record& record) const;
  /// When the pod's back-off ends; kNever if it has none. Depends on counts and timestamp only.
  Nanos ExpiryOf(const Record& record) const;
  bool BacksOff(const Record& record, Nanos now) const;

 private:
  /// Cut down to a whole second of wall time where the release does so.
  Nanos Cut(Nanos t) const;

  QueueRules rules_;
  BackoffSettings settings_;
};

/// Order of activeQ: higher priority, then earlier timestamp.
inline bool ActiveLess(const Record& a, const Record& b) {
  if (a.pod.priority != b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.timestamp < b.timestamp;
}
/// By expiry alone.
inline bool ExpiryLess(const Record& a, const Record& b) { return a.expiry < b.expiry; }
/// By expiry, then as activeQ.
inline bool ExpiryThenActiveLess(const Record& a, const Record& b) {
  return a.expiry != b.expiry ? a.expiry < b.expiry : ActiveLess(a, b);
}

}  // namespace schedlens::sim::queue
