// The cross-check of incidents of 10,000 attempts: fit, replay, and the diagnosis of the replay.

#include <benchmark/benchmark.h>

#include "../reference/played.h"
#include "reference/cross_check.h"
#include "reference/fit.h"
#include "reference/replay.h"

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

void CrossCheckOf(benchmark::State& state, const char* name) {
  const test::Played played = TenThousand(name);
  for (auto _ : state) {
    benchmark::DoNotOptimize(CrossCheckByReplay(played.investigation, QuerySet::Embedded()));
  }
  state.counters["attempts"] = played.investigation.diagnosis.attempts;
}
BENCHMARK_CAPTURE(CrossCheckOf, extender, "bind.extender")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, apiserver, "bind.apiserver")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CrossCheckOf, filter, "algorithm.filter")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens
