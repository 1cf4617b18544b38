#include "scheduler/queue/rules.h"

#include <algorithm>

namespace schedlens::sim::queue {

QueueGates DefaultGates(int minor) { return {minor >= 32, minor >= 33}; }

// Each era is told as what differs from the one after it, newest first.
QueueRules RulesOf(int minor, const QueueGates& gates) {
  QueueRules rules;
  rules.gates = gates;
  if (minor < 36) {
    rules.pop_clears_plugins = true;
    rules.delete_lowers_gauge = false;
    rules.counts_gate_once = false;
    rules.recounts_gated = false;
    rules.skip_pre_enqueue = SkipPreEnqueue::kOnFlush;
    rules.marks_flushed = false;
  }
  if (minor < 34) {
    rules.backoff_count = BackoffCount::kAttempts;
    rules.has_gating_plugin = false;
    rules.gated_in_moves = GatedInMoves::kBySchedulingGates;
    rules.ordered_match = false;
  }
  if (minor < 33) {
    rules.backs_off_through = false;
    rules.error_queue = false;
    rules.flush_at_once = false;
    rules.counts_unschedulable_entries = false;
  }
  // Two counters, or an in-flight list if the hints are on; updates look at what differs.
  if (minor < 32) {
    rules.backoff_count = BackoffCount::kAttemptsAtLeastOne;
    rules.gated_backs_off = false;
    rules.one_place = false;
    rules.gated_in_moves = GatedInMoves::kAll;
    rules.wildcard_for_one_pod = false;
    rules.spread_follows_pods = false;
    rules.anti_affinity_follows = false;
    rules.pop_drops_known_uid = false;
    rules.update_by_events = false;
    rules.activate_notes_in_flight = false;
    rules.nominates_anew = true;
    rules.unknown_flight_by_list = true;
  }
  if (minor < 28) {
    rules.clock_from_add = true;
    rules.gated_in_moves = GatedInMoves::kNobody;
    rules.every_move_counts = true;
    rules.leaves_before_move = false;
    rules.errors_back_off = false;
  }
  if (minor < 27) rules.pop_lowers_gauge = false;
  if (minor < 24) rules.leftover_after = 60 * kSecond;
  if (minor < 22) rules.asks_plugins = false;
  if (!gates.pop_from_backoff) {
    rules.whole_seconds = false;
    rules.backoff_by_priority = false;
    rules.skip_pre_enqueue = SkipPreEnqueue::kNo;
  }
  return rules;
}

Nanos Backoff::LengthOf(const Record& record) const {
  const bool outcomes = rules_.backoff_count == BackoffCount::kOutcomes;
  int count = record.attempts;
  if (outcomes) {
    count = record.consecutive_errors > 0 ? record.consecutive_errors : record.unschedulable_count;
  } else if (rules_.backoff_count == BackoffCount::kAttemptsAtLeastOne) {
    count = std::max(count, 1);
  }
  if (count == 0) return 0;
  if (outcomes && settings_.initial > settings_.max) return settings_.max;
  Nanos length = settings_.initial;
  for (int i = 1; i < count; ++i) {
    if (length > settings_.max - length) return settings_.max;
    length += length;
  }
  return length;
}

Nanos Backoff::Cut(Nanos t) const {
  if (!rules_.whole_seconds) return t;
  const Nanos rest = (t + settings_.start) % kSecond;
  return t - (rest < 0 ? rest + kSecond : rest);
}

Nanos Backoff::ExpiryOf(const Record& record) const {
  const Nanos length = LengthOf(record);
  if (length == 0 && rules_.backoff_count == BackoffCount::kOutcomes) return kNever;
  return Cut(record.timestamp + length);
}

bool Backoff::BacksOff(const Record& record, Nanos now) const {
  if (record.gated && !rules_.gated_backs_off) return false;
  if (rules_.backs_off_through) return record.expiry >= Cut(now);
  return record.expiry > now;
}

}  // namespace schedlens::sim::queue
