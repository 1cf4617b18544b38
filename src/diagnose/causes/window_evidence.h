#pragma once

// What a window's samples say beyond its stages.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/collect/facts.h"
#include "diagnose/tail/bounds.h"
#include "stats/scrape_increases.h"

namespace schedlens {

// What was measured of each stage, how slow that is, and for how long.

/// A 99th percentile proven to be over this many seconds is slow, whatever it was before.
inline constexpr double kPlainlySlow = 0.5;
/// Fewer attempts have no tail to speak of.
inline constexpr double kLeastAttempts = 10;

struct CpuUse {
  double seconds = 0;
  double cores = 0;  ///< seconds per second of the window
};

/// How slow the attempts of one result are: the bucket of their 99th percentile. Where attempts
/// have no buckets also "algorithm", "binding", "Bind" and "PreBind".
struct ResultTail {
  std::string result;
  double count = 0;
  double mean = 0;
  double p99_low = 0, p99_high = 0;  ///< high may be infinite
  PooledBuckets buckets = {};
};

/// One window with everything measured on it.
struct Measurement {
  WindowIncreases cells;
  TimeBreakdown breakdown;
  std::optional<CpuUse> cpu;
  std::vector<ResultTail> tails;  ///< results with at least one attempt
  double preemption_attempts = 0;
  std::optional<double> pending_active;  ///< mean of the active queue, where it was scraped
  /// Execution seconds of dispatched binds; nothing where binds are not dispatched.
  std::optional<double> dispatched_bind_seconds;
  std::optional<ResultTail> Tail(std::string_view result) const;
};
/// True when the 99th percentile of some result with at least `least` attempts is proven to be half
/// a second or more, whatever a baseline says. False without attempts.
bool PlainlySlow(const Measurement& m, double least = kLeastAttempts);
Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window);

// Are attempts slower than in the baseline? By exact tests of the fractions over each bucket bound,
// not by the bucket that a quantile happens to fall into.

/// A p-value at most this is significant, corrected for the bounds tried.
inline constexpr double kSignificant = 0.01;
/// An incident makes the 99th percentile at least this many times the baseline's.
inline constexpr double kLeastGrowth = 1.5;

/// A cause must explain this much of what grew; below it, it is noise next to the real one.
inline constexpr double kLeastWeight = 0.1;
/// From this much on it is called likely.
inline constexpr double kLikelyWeight = 0.3;

/// One result's attempts now against the same in the baseline.
struct TailTest {
  /// Smallest p-value of Fisher's one-sided test over the bounds from 0.1 s on that both have,
  /// times the number of different tests among them; at most 1.
  double p_value = 1;
  double growth = 0;  ///< of the interpolated 99th percentile, as a ratio (or of the mean where it
                      ///< is in the open bucket and that is larger); 0 where unknown
};
TailTest TestTail(const ResultTail& now, const ResultTail& before);

/// The same of any two populations, over the bounds from `least` seconds on.
double SmallestPValue(const PooledBuckets& now, const PooledBuckets& before, double least);

/// Whether the stage alone makes significantly more attempts slow than in the baseline: by its own
/// histogram, over the bounds from the baseline's 99th percentile of attempts on. False for stages
/// without one, and without a baseline.
bool IsStageSlower(const Measurement& now, const std::optional<Measurement>& baseline,
                   kube::Stage stage);

struct Speed {
  bool slow = false;  ///< some result is significantly and clearly slower, or plainly slow
  double growth = 0;  ///< the largest TailTest::growth of a slow result; 0 without a baseline
  /// Attempts that the window would need for a doubling of the slow fraction to be significant,
  /// where it has fewer.
  std::optional<double> attempts_needed;
};

/// Without a baseline only what is plainly slow counts: a 99th percentile proven to be 0.5 s or
/// more. `threshold` is the alert's, in seconds: proven above it is slow too.
Speed CompareSpeed(const Measurement& now, const std::optional<Measurement>& baseline,
                   std::optional<double> threshold);

// Whether the slow attempts are one profile's. Profiles share a process, its loop and its queue,
// but each has plugins of its own.

struct SlowProfile {
  std::string profile;  ///< the value of the label
  PooledBuckets own;    ///< its scheduled attempts
  PooledBuckets rest;   ///< those of all other profiles
};

/// The profile whose scheduled attempts are significantly slower than all others' by Fisher's test
/// over the bucket bounds, with a 99th percentile of at least twice theirs and a tenth of a second;
/// the slowest where several are. Nothing with one profile, and for one with under ten attempts.
std::optional<SlowProfile> FindSlowProfile(const WindowIncreases& window);

// Slower, but for so short a time, or so few attempts, that nobody would want to be woken for it.

/// The shortest time that holds nine tenths of the attempts that were slower than the baseline's
/// 99th percentile, beyond what the baseline would have had.
struct BriefSlowness {
  TimeRange when;       ///< between scrapes
  double bound = 0;     ///< seconds: the upper end of the baseline's 99th percentile
  double attempts = 0;  ///< over the bound, in the whole window
};

/// Nothing where the slow attempts matter: over at least a minute and three scrapes, at least five
/// of them, or with a 99th percentile proven to be half a second or more. Nothing without a
/// baseline, without buckets, or where no attempt is slower.
std::optional<BriefSlowness> FindBriefSlowness(const Facts& facts, const Measurement& now,
                                               const std::optional<Measurement>& baseline);

// The scheduling loop makes one attempt at a time. A slow stage in it delays every pod behind it,
// in the queue, where no attempt's duration shows it.

struct LoopPressure {
  double busy = 0;                  ///< seconds of the loop's stages a second of the window
  std::optional<double> wait = {};  ///< seconds a pod waits for the loop; absent where unknown
  std::optional<double> wait_before = {};  ///< in the baseline
};

/// `wait` by Little's law from the active queue's length, or from what pods wait outside their
/// attempt where none failed.
LoopPressure MeasureLoop(const Measurement& now, const std::optional<Measurement>& baseline);

// Is a slow bind the API server's time, or a wait for the client's own rate limiter? Where the
// limiter has no metric, the dispersion of the binds tells.

/// Binds per scrape interval, against their load and the attempts that arrived.
struct BindDispersion {
  std::size_t cells = 0;      ///< intervals with a backlog at both ends
  double rate = 0;            ///< binds per second in them; without any the largest of an interval
  double rate_deviation = 0;  ///< standard deviation of it
  double arrival_rate = 0;    ///< attempts that found a node, per second
  double arrival_deviation = 0;
  double dispersion = 1;          ///< variance of the binds per interval over their mean
  double arrival_dispersion = 1;  ///< likewise of the arrivals
  double evenness = 1;  ///< chance that random binds are as even; 1 with fewer than two cells
  double arrival_evenness = 1;  ///< likewise of the arrivals
  /// Rank correlation, interval by interval, of the mean Bind with its load: arrivals and binds
  /// running at its start, the larger of this interval's and the one's before.
  double follows_load = 0;
  std::size_t intervals = 0;  ///< with binds, that it rests on
  double backlog_start = 0;   ///< running binding cycles at the start of the first cell and ...
  double backlog_end = 0;     ///< ... at the end of the last
  double backlog_most = 0;    ///< at any scrape
};

/// Nothing without binds, or when extenders made most of them.
std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown);

enum class Throttling { kNo, kYes, kCannotTell };

/// A token bucket lets binds go at exactly its rate as long as a backlog stands: they leave more
/// evenly than chance allows (lower tail of chi-square), and than they arrive. Unlimited parallel
/// binds of a slow server leave as they arrive (M/G/infinity). Where no backlog lasts for two
/// intervals, the mean Bind tells: behind a limiter it follows the load, a slow server is as slow
/// for few as for many. Neither speaks with fewer than four intervals.
Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion);

/// Whether binds leave more evenly than chance allows.
bool IsPaced(const BindDispersion& dispersion);

/// Of two that cannot be told apart: whether the limiter is the more plausible one.
bool LooksThrottled(const BindDispersion& dispersion);

/// What the client's rate limiter says, where it is exposed (1.22 and later).
struct LimiterSplit {
  double low = 0, value = 0, high = 0;  ///< seconds of EP{Bind} spent waiting for the limiter
  double mean_wait = 0;                 ///< seconds a POST
};
std::optional<LimiterSplit> SplitByLimiter(const Facts& facts, const TimeBreakdown& breakdown);

// Everything the rules look at: the breakdowns of the window and the baseline, and what was
// measured on them. Made once; the rules only read.

struct WindowEvidence {
  std::string selector;  ///< of the schedulers that were looked at
  Measurement now;
  std::optional<Measurement> baseline;
  StageChanges change;             ///< empty without a usable baseline
  std::vector<PluginRow> plugins;  ///< of the window
  TailShares tail;
  std::optional<BindDispersion> dispersion;
  Throttling throttling = Throttling::kNo;
  std::optional<LimiterSplit> limiter, limiter_baseline;
  double bind_follows_loop = 0;  ///< rank correlation of bind's mean with the loop's busy seconds
  std::optional<double> threshold;     ///< the alert's, in seconds
  std::vector<std::string> restarted;  ///< targets whose counters restarted inside the window
  std::vector<Message> missing;        ///< metrics that the split of the time rests on, in words
  double in_flight = 0;  ///< attempts that ran at the window's edges: parts of them lie outside
  /// Of the window or the baseline. Where there are any nothing is proven: `tail` is empty.
  std::vector<Message> contradictions;
  Speed speed;                         ///< of the attempts, against the baseline's
  std::optional<BriefSlowness> brief;  ///< slower, but not so that it matters
  bool slow = false;                   ///< speed.slow, and it matters
  LoopPressure loop;
  bool failing = false;  ///< failed attempts outnumber scheduled ones, or their share rose

  /// Growth of a stage against the baseline, or all of its seconds without one.
  double Growth(kube::Stage stage) const;
  /// The part of the growth that is costlier observations, not more of them.
  double CostGrowth(kube::Stage stage) const;
  /// Time that failed attempts took more than in the baseline.
  double FailedGrowth() const;
  /// Sum of all positive growth at the top level: what there is to explain.
  double TotalGrowth() const;
};
/// Without `bound_tail`, `tail` stays empty.
WindowEvidence MakeWindowEvidence(const Facts& facts, const Histograms& histograms, Measurement now,
                                  std::optional<Measurement> baseline,
                                  std::optional<double> threshold, bool bound_tail = true);

}  // namespace schedlens
