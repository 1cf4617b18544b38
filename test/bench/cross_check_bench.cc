// The cross-check of incidents of 10,000 attempts: fit, replay, and the diagnosis of the replay.

#include <benchmark/benchmark.h>

#include <string>

#include "../replay/played.h"
#include "replay/cross_check.h"
#include "replay/fit.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

/// The built-in scenario with so many pods a second that its incident has about 10,000 attempts.
test::Played TenThousand(const char* name) {
  sim::Scenario scenario = sim::LoadScenario(name);
  const double rate = 10'000 / sim::ToSeconds(scenario.incident_end - scenario.incident_start);
  for (sim::Segment& segment : scenario.segments) {
    segment.conditions.rate = rate;
  }
  return test::PlayScenario(std::move(scenario), 3);
}

void CrossCheck(benchmark::State& state, const test::Played& played) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(CrossCheckByReplay(played.investigation, QuerySet::Embedded()));
  }
  state.counters["attempts"] = played.investigation.diagnosis.attempts;
}

void CrossCheckOf(benchmark::State& state, const char* name) {
  CrossCheck(state, TenThousand(name));
}
BENCHMARK_CAPTURE(CrossCheckOf, extender, "bind.extender")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, apiserver, "bind.apiserver")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, filter, "algorithm.filter")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, volume, "prebind.volume")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, starved, "algorithm.cpu-starved")->Unit(benchmark::kMillisecond);

/// All of it busier: the arrivals and the limit that they exceed.
void CrossCheckOfClient(benchmark::State& state) {
  sim::Scenario scenario = sim::LoadScenario("bind.client-throttling");
  constexpr double kBusier = 1.4;
  for (sim::Segment& segment : scenario.segments) segment.conditions.rate *= kBusier;
  scenario.qps *= kBusier;
  scenario.client_burst *= kBusier;
  CrossCheck(state, test::PlayScenario(std::move(scenario), 3));
}
BENCHMARK(CrossCheckOfClient)->Unit(benchmark::kMillisecond);

/// Pods that come together, against the client's limit: a reading that a search has to find.
void CrossCheckOfBursts(benchmark::State& state) {
  CrossCheck(
      state,
      test::PlayScenario(
          test::ScenarioOf({.pods = 420, .every_s = 15, .qps = 70, .client_burst = 157}), 3));
}
BENCHMARK(CrossCheckOfBursts)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens
