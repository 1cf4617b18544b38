#pragma once

// Reading the outcome of a run.

#include <map>
#include <string>

#include "scheduler/engine/simulation.h"

namespace schedlens::sim {

// The last value of each series of a metric, summed by one label's value.
inline std::map<std::string, double> LastBy(const SimulationResult& run, const std::string& metric,
                                            const std::string& label) {
  std::map<std::string, double> out;
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("__name__") != metric) continue;
    out[std::string(series.labels.Get(label))] += series.samples.back().v;
  }
  return out;
}

inline double Last(const SimulationResult& run, const std::string& metric) {
  double sum = 0;
  for (const auto& [value, count] : LastBy(run, metric, "__name__")) sum += count;
  return sum;
}

/// A built-in scenario.
inline Scenario Short(const std::string& name, const std::string& version = "",
                      double severity = 1) {
  return LoadScenario(name, {severity, version, 2e9});
}

}  // namespace schedlens::sim
