#include "reference/replay.h"

#include <algorithm>
#include <cmath>

#include "source/capture/local_source.h"

namespace schedlens {

std::unique_ptr<Source> ReplayAsSource(const sim::Scenario& scenario, std::uint64_t seed,
                                       sim::SimulationResult* result, bool plugins) {
  sim::RunOptions options;
  options.seed = seed;
  options.plugins = plugins;
  options.keep_attempts = result != nullptr;
  sim::SimulationResult run = sim::RunScenario(scenario, options);
  SourceInfo info;
  info.kind = "scenario";
  info.name = scenario.name;
  info.version = scenario.release.ToString();
  std::vector<Series> series = std::move(run.exposition.series);
  if (result != nullptr) *result = std::move(run);
  return NewLocalSource(std::move(series), std::move(info));
}

std::vector<double> ScheduledSeconds(const sim::Scenario& scenario,
                                     const sim::SimulationResult& result) {
  std::vector<double> seconds;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    if (attempt.result != sim::AttemptResult::kScheduled || end <= scenario.incident_start ||
        end > scenario.incident_end) {
      continue;
    }
    seconds.push_back(sim::ToSeconds(attempt.e2e));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double NearestRank(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return NAN;
  const double rank = std::ceil(q * static_cast<double>(ascending.size()) - 1e-9);
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace schedlens
