#ifndef SCHEDLENS_TEST_REFERENCE_PLAYED_H_
#define SCHEDLENS_TEST_REFERENCE_PLAYED_H_

#include <memory>

#include "analysis/diagnose/diagnose.h"
#include "reference/replay.h"
#include "sim/scenario/scenario.h"

namespace schedlens::test {

/// A scenario, played and investigated with its own incident as the window.
struct Played {
  sim::Scenario scenario;
  sim::SimulationResult truth;
  std::unique_ptr<Source> source;
  Investigation investigation;
};

inline Played PlayScenario(sim::Scenario scenario, std::uint64_t seed) {
  Played played;
  played.scenario = std::move(scenario);
  played.source = ReplayAsSource(played.scenario, seed, &played.truth);
  const auto at = [&](sim::Nanos t) { return played.scenario.start_time + t / sim::kMillisecond; };
  DiagnoseRequest request;
  request.window = TimeRange{at(played.scenario.incident_start), at(played.scenario.incident_end)};
  request.baseline = TimeRange{at(0), at(played.scenario.incident_start)};
  played.investigation = Investigate(*played.source, QuerySet::Embedded(), request);
  return played;
}

/// A built-in one.
inline Played Play(const std::string& name, std::uint64_t seed = 3) {
  return PlayScenario(sim::LoadScenario(name), seed);
}

}  // namespace schedlens::test

#endif  // SCHEDLENS_TEST_REFERENCE_PLAYED_H_
