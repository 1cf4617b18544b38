#pragma once

// What the tests share that hold predictions against simulations; `test/what-if` plays them whole.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "replay/readings.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::test {

/// p99 inside the incident.
inline double P99(const sim::Scenario& scenario, bool pod, std::uint64_t seed) {
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = false;
  const sim::SimulationResult result = sim::RunScenario(scenario, options);
  if (!pod) return NearestRank(ScheduledSeconds(scenario, result), 0.99);
  std::vector<double> pods;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    const bool inside = end > scenario.incident_start && end <= scenario.incident_end;
    if (inside && attempt.result == sim::AttemptResult::kScheduled) {
      pods.push_back(sim::ToSeconds(attempt.since_added));
    }
  }
  std::sort(pods.begin(), pods.end());
  return NearestRank(pods, 0.99);
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? NAN : values[values.size() / 2];
}

inline int Seeds() {
  const char* wanted = std::getenv("WHAT_IF_SEEDS");
  return wanted == nullptr ? 1 : std::atoi(wanted);
}
inline bool Small() { return std::getenv("WHAT_IF_SEEDS") == nullptr; }
inline bool Wanted(const char* scenario, bool quick) {
  const char* only = std::getenv("WHAT_IF_NAMES");
  if (Small() && !quick) return false;
  return only == nullptr || std::string(only).find(scenario) != std::string::npos;
}

}  // namespace schedlens::test
