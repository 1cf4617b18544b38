#pragma once

// What a window's samples say beyond its stages.

#include "diagnose/causes/measurement.h"
#include "diagnose/tail/bounds.h"

namespace schedlens {

// The scheduling loop makes one attempt at a time. A slow stage in it delays every pod behind it,
// in the queue, where no attempt's duration shows it.

/// How much the loop holds pods up.
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

/// How evenly events fall into intervals.
struct Evenness {
  double rate = 0;            ///< events a second
  double rate_deviation = 0;  ///< standard deviation of an interval's rate
  double dispersion = 1;      ///< variance of the events per interval over their mean
  double evenness = 1;  ///< chance that random events are as even; 1 with fewer than two cells
};

/// Binds per scrape interval, against their load and the attempts that arrived. Without a backlog
/// their rate is the largest of an interval.
struct BindDispersion : Evenness {
  std::size_t cells = 0;  ///< intervals with a backlog at both ends
  Evenness arrivals;      ///< of attempts that found a node, in the same intervals
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
  StageChanges change;                    ///< empty without a usable baseline
  std::vector<PluginRow> plugins;         ///< of the window
  std::vector<PluginRow> plugins_before;  ///< of the baseline
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
  Speed speed;            ///< of the attempts, against the baseline's
  bool slow = false;      ///< speed.slow, or it hurts by attempts that are slow
  bool hurts = false;     ///< the window is an episode
  bool by_tail = false;   ///< it hurts by the slowest of what was bound or tried
  bool standing = false;  ///< nothing that was looked at is any better
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
