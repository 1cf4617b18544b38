#pragma once

// Where the time of all attempts of a window went, what pods wait for besides, and whether the
// counts agree.

#include "diagnose/collect/facts.h"
#include "kube/stage.h"

namespace schedlens {

// Where the time of all attempts of a window went: sums add up, quantiles do not. Every stage is
// the increase of a `_sum`, or a difference of such increases with a name of its own.

struct Amount {
  double count = 0, seconds = 0;
  double mean() const { return count > 0 ? seconds / count : 0; }
  Amount& operator+=(const Amount& other) {
    count += other.count;
    seconds += other.seconds;
    return *this;
  }
};

/// All histograms of a window as cells, grouped once and used by every later step.
struct WindowIncreases {
  TimeRange window;
  std::vector<ScrapeIncreases> attempt, algorithm, binding, extension_point, permit_wait,
      pod_scheduling;
  std::vector<ScrapeIncreases> superseded;  ///< Histograms::superseded, for links only
};

/// The histograms of the facts, grouped by label set. Where the attempts' own is missing it is
/// composed of the others and has no family (ComposeAttempts).
struct Histograms {
  HistogramFacts attempt, algorithm, binding, extension_point, permit_wait, pod_scheduling;
  HistogramFacts superseded;  ///< Facts::superseded, of any family
};
/// All of them, as one store.
std::vector<const HistogramFacts*> AllOf(const Histograms& histograms);
Histograms GroupAll(const Facts& facts);
WindowIncreases CutWindow(const Histograms& histograms, std::span<const Target> targets,
                          const TimeRange& window);

/// Children of one population.
using Selected = std::vector<const ScrapeIncreases*>;
/// Children whose label has the value; all of them for an empty label name.
Selected Select(const std::vector<ScrapeIncreases>& cells, std::string_view label,
                std::string_view value);
Amount Total(const Selected& cells);
Amount Total(const std::vector<ScrapeIncreases>& cells);
/// Whether any child has a finite bucket; false for sums and counts alone.
bool HasBuckets(const std::vector<ScrapeIncreases>& cells);

Selected SelectPoint(const std::vector<ScrapeIncreases>& cells, kube::ExtensionPoint point);

/// One window's time by stage. Stages that the release or the
/// metrics that are here cannot tell apart are absent from `seconds`.
struct TimeBreakdown {
  TimeRange window;
  Amount e2e;  ///< all results; NaN s where neither sum nor stages are here
  kube::PartialEnumMap<kube::AttemptResult, Amount> by_result;
  kube::EnumMap<kube::ExtensionPoint, Amount> points;  ///< all statuses
  Amount bind_ok;                                      ///< EP{Bind}, status Success
  Amount algorithm;                                    ///< the algorithm histogram itself
  Amount binding;                                      ///< binding_duration, up to 1.20
  Amount permit_wait;
  Amount pod_scheduling;
  double late_failures = 0;  ///< attempts that failed after a node was found (Unreserve runs)
  double late_failure_seconds = 0;  ///< their e2e time; exact when every error is one of them
  double extender_binds = 0;        ///< PostBind minus successful Bind runs
  bool has_binding = false;         ///< binding_duration separates the two remainders
  /// The algorithm's histogram is missing: the stage is what its extension points have, at least.
  bool algorithm_from_points = false;
  bool algorithm_has_failures =
      false;  ///< 1.30 and later: failed attempts are in the algorithm too
  kube::PartialEnumMap<kube::Stage, double> seconds;  ///< top-level ones add up to e2e.seconds
  kube::PartialEnumMap<kube::Stage, double> counts;   ///< observations, where a stage has any
  std::vector<Message> notes;  ///< counts that do not conserve, premises that fail

  double scheduled() const;
  double failed() const;
  double FailedSeconds() const;
  /// Of the attempts those with this result.
  double ShareOf(kube::AttemptResult result) const {
    return by_result.Get(result).count / std::max(1.0, e2e.count);
  }
  double Seconds(kube::Stage stage) const { return seconds.Get(stage); }
};
TimeBreakdown BreakDownTime(const WindowIncreases& cells);

// Incident against baseline: how much more time each stage took than the baseline's cost for as
// many scheduled attempts would have been.

struct StageChange {
  double excess = 0;  ///< seconds - baseline seconds x (scheduled attempts now / in the baseline)
  double mix = 0;     ///< the part that is more (or fewer) observations per scheduled attempt
  double cost = 0;    ///< the part that is costlier observations; mix + cost = excess
};

/// Runs of a stage; for one that counts none of its own, attempts.
double RunsOf(const TimeBreakdown& breakdown, kube::Stage stage);

using StageChanges = kube::PartialEnumMap<kube::Stage, StageChange>;

/// For every stage of `now`. The split into mix and cost is Shapley's for two factors:
/// exact and free of order. Empty when the baseline scheduled nothing.
StageChanges CompareBreakdowns(const TimeBreakdown& now, const TimeBreakdown& baseline);

/// Plugins by extension point, from the sampled metric: calls seen, mean, and the part of their
/// point's wall time by worker time. Rank within one point; the sums are a lossy sample.
std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window);

/// Mean of a gauge of pods over the scrapes in the window; nothing where it was not scraped.
std::optional<double> MeanIn(const Series& gauge, const TimeRange& window);

/// Mean of a queue's gauge over the scrapes in the window, all targets together; nothing where it
/// was not scraped. `queue` is active, backoff, unschedulable or gated.
std::optional<double> MeanPending(const Facts& facts, kube::QueueName queue,
                                  const TimeRange& window);

/// Seconds of the stages that run in the scheduling loop, one pod at a time.
double LoopSeconds(const TimeBreakdown& breakdown);

/// Seconds a bound pod spent outside its last attempt: queue, back-off, earlier attempts. Nothing
/// where the two histograms do not hold the same pods.
std::optional<double> WaitOutsideAttempt(const TimeBreakdown& breakdown);

/// What a pod goes through besides its attempts: how busy the loop is (algorithm, PostFilter,
/// Reserve and Permit seconds per second of the window), attempts a scheduled pod, its wait outside
/// its last attempt (pod_scheduling less e2e: queue, back-off and earlier attempts), and the pods
/// in each queue. Rows that the metrics do not give are left out.
std::vector<QueueRow> MeasureQueue(const Facts& facts, const TimeBreakdown& breakdown,
                                   const TimeBreakdown* baseline);

/// Counts of a window that ought to agree, since every attempt is counted by all of them: PostBind,
/// e2e{scheduled} and pod_scheduling; the algorithm and Reserve; what
/// passed the algorithm and what ended, but for the change of running binding cycles where the
/// goroutine gauge tells it. One sentence with the number missing for each that does not, beyond
/// the one attempt a target that may straddle either edge. Histograms that are absent are not
/// compared.
std::vector<Message> CheckCounts(const Facts& facts, const WindowIncreases& cells,
                                 const TimeBreakdown& breakdown);

/// Of those pairs the ones that differ by more than `hair` of either, so that neither a straddling
/// attempt nor a page that is written while attempts end explains it. The running binding cycles
/// are left out: their gauge is read at another moment. A count of none is missing, not wrong.
std::vector<Message> ContradictingCounts(const Facts& facts, const WindowIncreases& cells,
                                         const TimeBreakdown& breakdown, double hair);

/// The scheduled attempts as counts and seconds without buckets: the algorithm, Reserve, Permit and
/// its wait, PreBind, and the bind, target by target, added at the scrapes that have them all. An
/// attempt is counted when it has been bound. What no other metric measures is not in it, nor are
/// failed attempts up to 1.29. Empty, without family, when the algorithm or the points are missing
/// too.
HistogramFacts ComposeAttempts(const Histograms& histograms);

// Several histograms of one target on the same scrape intervals, so that what was observed in one
// interval can be compared across them.

/// One population added up, cell by cell, over the edges of a grid.
struct GridCells {
  std::vector<double> bounds;   ///< bounds common to all children; empty when there is no child
  std::vector<double> buckets;  ///< cells x bounds, observations inside each bucket
  std::vector<double> sums;     ///< seconds; NaN where unknown
  std::vector<double> counts;

  std::span<const double> Buckets(std::size_t cell) const {
    return {buckets.data() + cell * bounds.size(), bounds.size()};
  }
};

/// The scrape intervals of one target in a window. An edge that some child skipped (a missed or
/// torn scrape) is left out, so that no child's cell crosses an edge.
struct ScrapeGrid {
  std::size_t target = 0;  ///< its number
  std::vector<TimeMs> edges;
  std::size_t cells() const { return edges.empty() ? 0 : edges.size() - 1; }
};

/// One grid a target that has any e2e or algorithm observation in the window.
std::vector<ScrapeGrid> MakeGrids(std::span<const Target> targets, const WindowIncreases& cells);

/// For each grid the children of its target added up; cells before a child's birth count as zero.
std::vector<GridCells> OnGrids(const std::vector<ScrapeGrid>& grids, const Selected& children);

}  // namespace schedlens
