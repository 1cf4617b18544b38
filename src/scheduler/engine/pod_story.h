#pragma once

// A watched pod's story, and how many more of a pod fit, as text and as JSON. `result` is of a run
// with RunOptions::watch. Texts have at most some 30 lines of 80 columns; `full` leaves nothing
// out.

#include <string>

#include "scheduler/engine/simulation.h"

namespace schedlens::sim {

/// Throws Error(kUsage) if the run had no such pod, with the names that are close.
void CheckWatched(const Scenario& scenario, const SimulationResult& result);

std::string StoryText(const Scenario& scenario, const SimulationResult& result, bool full);
/// `schedlens.why/1`: everything.
std::string StoryJson(const Scenario& scenario, const SimulationResult& result, std::uint64_t seed);

/// The attempt's record; null if it had not ended.
const AttemptRecord* RecordOf(const SimulationResult& result, const WatchedAttempt& attempt);

std::string FitText(const Scenario& scenario, const FitResult& fit, bool full);
/// `schedlens.fit/1`.
std::string FitJson(const Scenario& scenario, const FitResult& fit);

}  // namespace schedlens::sim
