// How many attempts a second a whole simulation makes: queue, binding, metrics, scrapes and all.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "scheduler/engine/simulation.h"

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

// Pods with required affinity and spreading among their like, ten a node there already.
void BM_AffinityAndSpread(benchmark::State& state) {
  Run(state,
      ParseScenario(
          fmt::format(
              "cluster: {{nodes: [{{count: {}, zones: 3}}], running: {}}}\n"
              "duration: 120s\n"
              "workload:\n"
              "  rate: 50\n"
              "  templates:\n"
              "  - name: web\n"
              "    life: u(20,40)\n"
              "    manifest:\n"
              "      metadata: {{labels: {{app: web}}}}\n"
              "      spec:\n"
              "        affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
              "[{{labelSelector: {{matchLabels: {{app: web}}}}, topologyKey: "
              "topology.kubernetes.io/zone}}]}}}}\n"
              "        topologySpreadConstraints: [{{labelSelector: {{matchLabels: {{app: web}}}}, "
              "maxSkew: 5, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
              "DoNotSchedule}}]\n",
              state.range(0), 10 * state.range(0)),
          "bench"));
}
BENCHMARK(BM_AffinityAndSpread)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);

// What what-if runs again and again.
void BM_Incident(benchmark::State& state) { Run(state, LoadScenario("bind.extender")); }
BENCHMARK(BM_Incident)->Unit(benchmark::kMillisecond);

void BM_Flood(benchmark::State& state) { Run(state, LoadScenario("attempts.unschedulable")); }
BENCHMARK(BM_Flood)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens::sim
