#pragma once

// What happened in a run, as text: a row per attempt, a trace to look at, a summary; a pod's story;
// how many more fit. Stories have some 30 lines of 80 columns, with `full` all.

#include "scheduler/engine/simulation.h"

namespace schedlens::sim {

/// namespace/name of a pod of the run.
std::string PodName(const Scenario& scenario, const SimulationResult& result, std::uint32_t pod);

/// One row per finished attempt, in order of their end: `end_s,pod,attempt,result,node,evaluated,
/// feasible,algorithm_done,start_s,algorithm_s,<stage>_s...,throttle_s,e2e_s`. Times are seconds
/// since the scenario's start with nanoseconds; `node` is empty if none was found.
std::string TruthCsv(const Scenario& scenario, const SimulationResult& result);

/// One row per binding's request, where the scenario has an API server: `end_s,pod,throttle_s,
/// network_s,flowcontrol_s,webhook_s,slowest_webhook,admission_s,storage_s,rest_s,audit_s,code`.
/// The parts add up to the call.
std::string BindingsCsv(const Scenario& scenario, const SimulationResult& result);

/// Chrome trace event JSON (opens in Perfetto or chrome://tracing): the scheduling loop as one
/// track, binding cycles as nested slices on as many tracks as run at once. Microseconds.
std::string ChromeTrace(const Scenario& scenario, const SimulationResult& result);

/// `schedlens.simulation/1`: counts; before, in and after the incident e2e quantiles and stages.
std::string SummaryJson(const Scenario& scenario, const SimulationResult& result,
                        std::uint64_t seed);

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
