// How many attempts a second a whole simulation makes: queue, binding, metrics, scrapes and all.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/engine/simulation.h"

namespace schedlens::sim {
namespace {

void Run(benchmark::State& state, const Scenario& scenario) {
  RunOptions options;
  options.keep_attempts = false;
  std::int64_t attempts = 0;
  for (auto _ : state) {
    ++options.seed;
    attempts += static_cast<std::int64_t>(RunScenario(scenario, options).counts.attempts);
  }
  state.SetItemsProcessed(attempts);
}

// A healthy cluster of that many nodes, 20 pods a second for ten minutes.
void BM_Healthy(benchmark::State& state) {
  Run(state,
      ParseScenario(fmt::format("cluster: {{nodes: [{{count: {}}}]}}\nworkload: {{rate: 20}}",
                                state.range(0)),
                    "bench"));
}
BENCHMARK(BM_Healthy)->Arg(100)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);

// What what-if runs again and again.
void BM_Incident(benchmark::State& state) { Run(state, LoadScenario("bind.extender")); }
BENCHMARK(BM_Incident)->Unit(benchmark::kMillisecond);

void BM_Flood(benchmark::State& state) { Run(state, LoadScenario("attempts.unschedulable")); }
BENCHMARK(BM_Flood)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens::sim
