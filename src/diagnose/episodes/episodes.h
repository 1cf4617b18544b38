#pragma once

// Which time was calm, and which hurt: the episodes of a recording.

#include "diagnose/episodes/column_counts.h"

namespace schedlens {

/// The counts of some columns together, by kind.
struct StateCounts {
  std::vector<double> pods, attempts, results;
};

/// What other time is compared with.
struct CalmState {
  StateCounts counts;
  double pods_p99 = 0, pods_median = 0, attempts_p99 = 0, attempts_median = 0;
  double rate = 0;          ///< pods bound a second
  double mean_waiting = 0;  ///< pods that wait, at a scrape
  double slowness = 0;      ///< mean number of bounds from 0.1 s on that a pod exceeds, and errors
  bool empty() const { return rate <= 0; }
};

/// Why a time is an episode.
enum class HurtKind {
  kTail,           ///< `share` of the pods took longer than `value` seconds
  kAttemptTail,    ///< the same of attempts, where it is not so of pods
  kMedian,         ///< half of the pods took `value` seconds
  kAttemptMedian,  ///< half of the attempts, where pods' waits are not counted
  kErrors,         ///< `share` of the attempts ended in errors
  kUnschedulable,  ///< `share` of the attempts found no node
  kWaiting,        ///< `value` pods waited
  kNobody,         ///< no instance answered, or none led, for `value` seconds
  kLate,           ///< `value` pods were bound after a minute and more
};
struct Hurt {
  HurtKind kind = HurtKind::kTail;
  double value = 0, share = 0;
  bool of_attempts = false;  ///< attempts are slow, not only pods wait
};
/// Adds to a list that has each kind once: the larger share, or else value; of late pods the sum.
void AddHurt(const Hurt& one, std::vector<Hurt>* all);

struct EpisodeSpan {
  TimeRange when;
  std::vector<Hurt> why;  ///< a kind once, of all of it where that hurts as a whole
  double severity = 0;    ///< seconds of it times how much slower than the calm; for comparing
  double pods = 0;        ///< bound in it; 0 where their waits are not counted
  double attempts = 0;    ///< that ended in it
  bool standing = false;  ///< all that was looked at is slow: there was nothing to compare with
  std::optional<TimeRange> baseline = {};  ///< the calm nearest to it; of windows that are searched
};

struct EpisodeSearch {
  std::vector<EpisodeSpan> episodes;   ///< in order
  std::vector<EpisodeSpan> also_seen;  ///< slow, but too short or too few to matter
  /// In order, outside the episodes; empty where standing, and with a reference.
  std::vector<TimeRange> calm;
  CalmState state;  ///< counts of the quieter half of the calm, the rest of all of it
};

/// The calm: the segment of at least a minute and three scrapes (without one a quarter of all time)
/// in which fewest are slow, and all that does not hurt against it, as long parts of what hurts by
/// its tail among it. Episodes: touching segments that hurt against the calm, for that long
/// together; shorter ones that hurt alone and with what is around them; time in which nobody
/// answered or led and pods were due; and what pods that waited more than a minute, enough of them,
/// had to wait. With `reference` all is compared with that, and `counts` as a whole counts too.
/// Without either, what is slow by itself (see SlowAllTheTime) is one standing episode. Nothing
/// without columns.
EpisodeSearch FindEpisodes(const ColumnCounts& counts, const CalmState* reference = nullptr);

/// What is left of the ranges, in order, without another.
std::vector<TimeRange> Without(const std::vector<TimeRange>& ranges, const TimeRange& other);

/// The state of all these columns together.
CalmState StateOf(const ColumnCounts& counts);

/// What hurts in the columns as a whole, compared with a calm state: more than 1 s and 1.5 times
/// its p99, or 0.5 s and three times that, for 1 % more of pods or attempts than in the calm, a
/// median of 0.128 s and three times its own, errors of 1 % or unschedulable attempts of 10 % and
/// three times its own.
std::vector<Hurt> HurtsAgainst(const ColumnCounts& counts, const CalmState& calm);

// Which minutes are judged, and which they are compared with.

struct WindowRequest {
  std::optional<TimeRange> asked;     ///< the range that was given, if any
  bool exact = false;                 ///< judge all of it as one, as it stands
  std::optional<TimeRange> baseline;  ///< as given
  bool want_baseline = true;
  std::vector<TimeRange> above_threshold;  ///< when the alert's value was, rate window included
  std::optional<TimeMs> at = {};           ///< the moment it is about
};

struct ChosenWindows {
  TimeRange window;
  bool found = false;  ///< searched for, not given
  std::optional<TimeRange> baseline;
  bool baseline_hurts = false;          ///< the given baseline is no calm time
  std::vector<EpisodeSpan> episodes;    ///< in the range, cut to it, in order
  std::optional<std::size_t> reported;  ///< the number of that which `window` is
  std::vector<EpisodeSpan> also_seen;   ///< in the range; less than an episode
  std::vector<TimeRange> calm;          ///< in what was scraped
  std::vector<Message> notes;
};

/// What was scraped is cut into calm time and episodes. The window is the episode of the range that
/// the alert's value marks, or the one at `at`, or else the worst; the range itself where there is
/// none. A range that is exact, or comes with a baseline, is the window and compared as a whole. A
/// window's edges are moved outwards to scrapes; that is noted, and so are scrapes too far apart to
/// tell minutes apart. The baseline is a calm stretch outside the window:
/// the nearest that is long enough, before it rather than after it; a whole recording without an
/// episode has none.
ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request);

}  // namespace schedlens
