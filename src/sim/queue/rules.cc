#include "sim/queue/rules.h"

#include <iterator>

namespace schedlens::sim::queue {
namespace {

// Each era is told as what differs from the one after it, newest first.
struct Era {
  int last;  // the newest minor that differs so
  void (*change)(QueueRules&);
};

void Before136(QueueRules& rules) {
  rules.pop_clears_plugins = true;
  rules.delete_lowers_gauge = false;
  rules.counts_gate_once = false;
  rules.recounts_gated = false;
  rules.skip_pre_enqueue = SkipPreEnqueue::kOnFlush;
  rules.marks_flushed = false;
}

void Before134(QueueRules& rules) {
  rules.backoff_count = BackoffCount::kAttempts;
  rules.has_gating_plugin = false;
  rules.gated_in_moves = GatedInMoves::kBySchedulingGates;
  rules.ordered_match = false;
}

void Before133(QueueRules& rules) {
  rules.backs_off_through = false;
  rules.error_queue = false;
  rules.flush_at_once = false;
  rules.counts_unschedulable_entries = false;
}

// Two counters, or an in-flight list if the hints are on; updates look at what differs.
void Before132(QueueRules& rules) {
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

void Before128(QueueRules& rules) {
  rules.clock_from_add = true;
  rules.gated_in_moves = GatedInMoves::kNobody;
  rules.every_move_counts = true;
  rules.leaves_before_move = false;
  rules.errors_go = ErrorsGo::kLikeRejections;
}

void Before127(QueueRules& rules) { rules.pop_lowers_gauge = false; }

void Before124(QueueRules& rules) { rules.leftover_after = 60 * kSecond; }

void Before122(QueueRules& rules) { rules.asks_plugins = false; }

constexpr Era kEras[] = {{35, Before136}, {33, Before134}, {32, Before133}, {31, Before132},
                         {27, Before128}, {26, Before127}, {23, Before124}, {21, Before122}};

}  // namespace

QueueGates DefaultGates(int minor) { return {minor >= 32, minor >= 33}; }

QueueRules RulesOf(int minor, const QueueGates& gates) {
  QueueRules rules;
  rules.gates = gates;
  for (const Era& era : kEras) {
    if (minor <= era.last) era.change(rules);
  }
  if (!gates.pop_from_backoff) {
    rules.whole_seconds = false;
    rules.backoff_by_priority = false;
    rules.skip_pre_enqueue = SkipPreEnqueue::kNo;
  }
  return rules;
}

}  // namespace schedlens::sim::queue
