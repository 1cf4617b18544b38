#pragma once

// Replays of a fitted scenario, what they showed inside the window, and whether they would make the
// alert fire.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "contract/commands.h"
#include "contract/diagnosis.h"
#include "replay/fit.h"
#include "scheduler/engine/simulation.h"
#include "scheduler/scenario/scenario.h"

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
/// rank besides. Nothing without an attempt.
Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q,
                           double rank_slack = 0);
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
  double q = 0.99;
  double seconds = 0;
};
std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis);

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population);

/// What the server's function makes of the values (ascending) in the buckets of that population's
/// histogram.
double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population);

/// Whether every run of every reading, and what the fit may be off by, lies on one side of the
/// threshold; nothing where they do not, or a run is empty.
std::optional<bool> Fires(const ThresholdOf& threshold, const std::vector<Runs>& readings);

}  // namespace schedlens
