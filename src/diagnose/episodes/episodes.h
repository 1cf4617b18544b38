#pragma once

// Which time was calm, and which hurt: the episodes of a recording.

#include <optional>
#include <vector>

#include "diagnose/episodes/column_counts.h"

namespace schedlens {

/// A state's counts added up: what others are compared with.
struct CalmState {
  std::vector<double> pods, attempts, results;
  double pods_p99 = 0, pods_median = 0, attempts_p99 = 0, attempts_median = 0;
  double rate = 0;          ///< pods bound a second
  double mean_waiting = 0;  /// pods that wait, at a scrape
  double slowness = 0;      ///< mean number of bounds from 0.1 s on that a pod exceeds, and errors
  bool empty() const { return rate <= 0; }
};

/// Why a time is an episode.
enum class HurtKind {
  kTail,           ///< `share` of the pods took longer than `value` seconds
  kMedian,         ///< half of them took `value` seconds
  kErrors,         ///< `share` of the attempts ended in errors
  kUnschedulable,  ///< `share` of the attempts found no node
  kWaiting,        ///< `value` pods waited
  kNobody,         ///< no instance answered, or none led, for `value` seconds
  kLate,           ///< `value` pods were bound after a minute and more
};
struct Hurt {
  HurtKind kind = HurtKind::kTail;
  double value = 0, share = 0;
  bool of_attempts = false;  ///< of kTail, kMedian: attempts are slow, not only pods wait
};

struct EpisodeSpan {
  TimeRange when;
  std::vector<Hurt> why;  ///< a kind once, strongest first
  double severity = 0;    ///< seconds of it times how much slower than the calm; for comparing
  bool standing = false;  ///< all that was looked at is slow: there was nothing to compare with
};

struct EpisodeSearch {
  std::vector<EpisodeSpan> episodes;   ///< in order
  std::vector<EpisodeSpan> also_seen;  ///< slow, but too short or too few to matter
  std::vector<TimeRange> calm;         ///< in order, none touching the next; empty where standing
  CalmState state;                     ///< of the quieter half of the calm
};

/// The calm: the segment of at least a minute and three scrapes in which fewest are slow, and all
/// that does not hurt against it. Episodes: touching segments that hurt against the calm, for that
/// long together; shorter ones that hurt alone and with what is around them; time in which nobody
/// answered or led and pods were due; and what pods that were bound a minute late had to wait. With
/// `reference` all is compared with that, and `counts` as a whole counts too. Without either, what
/// is slow by itself (see IsSlowAllTheTime) is one standing episode. Nothing without columns.
EpisodeSearch FindEpisodes(const ColumnCounts& counts, const CalmState* reference = nullptr);

/// The state of all these columns together.
CalmState StateOf(const ColumnCounts& counts);

/// What hurts in the columns as a whole, compared with a calm state: more than 1.5 times its p99
/// (and 1 s) for 1 % of pods or attempts, a median of 0.128 s and three times its own, errors of
/// 1 % or unschedulable attempts of 10 % and three times its own.
std::vector<Hurt> HurtsAgainst(const ColumnCounts& counts, const CalmState& calm);

}  // namespace schedlens
