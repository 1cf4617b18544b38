#ifndef SCHEDLENS_REFERENCE_REPLAY_H_
#define SCHEDLENS_REFERENCE_REPLAY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "contract/source.h"
#include "sim/engine/simulation.h"
#include "sim/scenario/scenario.h"

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

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_REPLAY_H_
