#pragma once

// Replays of a fitted scenario, what they showed inside the window, whether they would make the
// alert fire, and the ways in which the data may be read.

#include "replay/fit.h"
#include "scheduler/engine/simulation.h"

namespace schedlens {

/// Runs a scenario and gives its scraped metrics as a source, so that everything that reads a
/// capture reads the reference scheduler too. `result`, where not null, receives the truth. Without
/// `plugins` there are no metrics of plugins' calls, which are most of the series.
std::unique_ptr<Source> ReplayAsSource(const sim::Scenario& scenario, std::uint64_t seed,
                                       sim::SimulationResult* result, bool plugins = true);

/// e2e seconds of the scheduled attempts that ended inside the scenario's incident, ascending.
std::vector<double> ScheduledSeconds(const sim::Scenario& scenario,
                                     const sim::SimulationResult& result);

/// The nearest-rank quantile of ascending values; NaN when there are none.
double NearestRank(const std::vector<double>& ascending, double q);

/// What the pods that arrive bring to the parts of a scheduler that serve one after the other,
/// relative to what these can take: above 1 the wait grows as long as it lasts.
struct Load : Utilisation {
  double throttled = 0;  ///< of the scheduled attempts' time, the wait for the limiter ...
  double extender = 0;   ///< ... and the bind of an extender
};

/// Seconds of each replay, ascending, of what ended inside the window.
struct Runs {
  std::vector<std::vector<double>> e2e;  ///< scheduled attempts
  std::vector<std::vector<double>> all;  ///< attempts of every result
  std::vector<std::vector<double>> pod;  ///< bound pods, from the queue to the binding
  std::vector<Load> loads;

  /// The mean over the replays.
  Load MeanLoad() const;
};

/// Plays it once with each of `seeds` seeds from `first` on.
Runs PlayRuns(const Fitted& fitted, std::uint64_t first, std::size_t seeds);

/// What a fit from buckets may be off by on top of chance; `test/what-if` says how often it is.
inline constexpr double kFitError = 1.08;

/// The quantile of one more run like these (seconds of each, ascending): the middle of the runs;
/// from the lowest to the highest of what they show and of what as many attempts can show by chance
/// (99 %), and a little more for what buckets hide from the fit; `rank_slack` (of 1) is left to the
/// rank besides. With `varied`, and enough runs, only as far by chance as their ranks vary from run
/// to run. Nothing without an attempt.
Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q,
                           double rank_slack = 0, bool varied = false);
/// Makes `all` hold `one` too; its middle stays. Nothing happens where `one` is not known.
void Widen(const Measured& one, Measured* all);

/// What an alert's quantile is of.
enum class ReplayedSeconds {
  kE2e,    ///< scheduled attempts
  kAll,    ///< attempts of every result
  kPod,    ///< bound pods
  kOther,  ///< not replayed
};

/// Of an alert that compares a quantile with a threshold; nothing for any other.
struct ThresholdOf {
  ReplayedSeconds population = ReplayedSeconds::kOther;
  std::string metric;
  double q = 0.99, seconds = 0;
};
std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis);

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population);

/// What the server's function makes of the values (ascending) in that histogram's buckets.
double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population);

/// Whether every run of every reading, and what the fit may be off by, lies on one side of the
/// threshold; nothing where they do not, or a run is empty.
std::optional<bool> Fires(const ThresholdOf& threshold, const std::vector<Runs>& readings);

// What the data prove about the window that is replayed, and whether a replay agrees with it. A
// window leaves its scenario partly open: whether pods come together inside a scrape interval, what
// the client's limit is where no backlog lasted, which part of a bind is the API server's, whether
// unmeasured time is the loop's. Each way to read it is replayed; what contradicts the data is
// dropped, and what is left is the uncertainty of every prediction.

/// Where one quantile of what was measured must lie.
struct ProvenAt {
  double q = 0;
  Interval interval;
};
struct ProvenWindow {
  std::vector<ProvenAt> e2e, all, pod;  ///< empty where the histogram is missing
};

/// The proven intervals of the part of the window that is played, at `quantiles`; for scheduled
/// attempts as narrow as the diagnosis has them where all of the window is played.
ProvenWindow ProveWindow(const Investigation& investigation, const Fitted& fitted,
                         const std::vector<double>& quantiles);

/// A quantile that was replayed outside what is proven.
struct Miss {
  double q = 0;
  Interval proven;
  Measured replayed;
  /// How far the intervals lie apart: a factor over 1.
  double factor = 1;

  /// A message with all but the high end of what is proven.
  Message Tell(std::string id) const;
};

/// The first quantile of the run that lies outside what is proven about it by more than buckets
/// hide from the fit, whatever chance allows; nothing for an empty run. `run`: seconds, ascending.
std::optional<Miss> Outlying(const std::vector<ProvenAt>& proven, const std::vector<double>& run);

/// The worst miss of sets of runs, of which the lowest and the highest count; nothing where every
/// interval touches the proven one. An empty run misses nothing. `slack` is left to each rank, of
/// the smaller part that it divides.
std::optional<Miss> WorstMissOfAll(const std::vector<ProvenAt>& proven,
                                   const std::vector<const std::vector<std::vector<double>>*>& sets,
                                   double slack = 0);
/// The same of one set.
inline std::optional<Miss> WorstMiss(const std::vector<ProvenAt>& proven,
                                     const std::vector<std::vector<double>>& runs,
                                     double slack = 0) {
  return WorstMissOfAll(proven, {&runs}, slack);
}

/// Every way in which the pods of a scrape interval may have come, by how their number varies from
/// interval to interval; the first one evenly.
std::vector<Fitted> Groupings(const Fitted& plain);

struct Reading {
  Fitted fitted;
  Runs before;
};

struct Readings {
  /// Agreeing with the data, the likeliest first. Where none agrees: the one that comes nearest.
  std::vector<Reading> kept;
  std::optional<Miss> e2e, all, pod;  ///< what even all of them together miss
  bool groups_differ = false;         ///< the data do not tell whether pods come together
};

/// What a limit that was not measured may miss each rank by: the next one of the search is as near.
inline constexpr double kSearchSlack = 0.15;

/// How a reading is replayed: by the scheduler, if nothing else is said.
struct ReadingPlayer {
  std::function<Runs(const Fitted& reading, std::size_t seeds)> play =
      [](const Fitted& reading, std::size_t seeds) { return PlayRuns(reading, 1, seeds); };
  /// Where a limit is searched for, about so many attempts are played.
  double searched = 800'000;
  /// Whether it can play a roll-out.
  bool rolls_out = true;
};

/// The fitted scenario read in every way that the window leaves open, replayed with `seeds` seeds
/// (the others with fewer). Reading for the pods' time drops what misses it too.
Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds,
                    const ReadingPlayer& player = {});

}  // namespace schedlens
