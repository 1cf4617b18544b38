#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "diagnose/pipeline/diagnose.h"
#include "replay/readings.h"
#include "scheduler/scenario/scenario.h"

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

/// Pods that come together, against the client's limit.
struct Bursts {
  int pods = 0, every_s = 0;
  int qps = 0, client_burst = 0;
};

inline sim::Scenario ScenarioOf(const Bursts& bursts) {
  std::string yaml = fmt::format(R"y(
name: bursts
kubernetes_version: "1.26"
cluster: {{nodes: [{{count: 20}}]}}
scheduler: {{qps: {}, burst: {}}}
workload:
  rate: 4
  templates: [{{name: web, life: "u(20,40)"}}]
scrape: {{interval: 10s}}
faults: [{{rate: 0.01}}]
actions:
)y",
                                 bursts.qps, bursts.client_burst);
  for (int at = 155; at < 510; at += bursts.every_s) {
    yaml += fmt::format("  - {{at: {}s, do: burst, template: web, count: {}}}\n", at, bursts.pods);
  }
  return sim::ParseScenario(yaml, "bursts");
}

/// A built-in one.
inline Played Play(const std::string& name, std::uint64_t seed = 3) {
  return PlayScenario(sim::LoadScenario(name), seed);
}

}  // namespace schedlens::test
