// Every whole attempt of a real kube-scheduler that was measured, played: what the simulator says
// it costs, next to what it cost. The time of a row is the simulator's own.

#include <benchmark/benchmark.h>

#include <string>

#include "../scheduler/cost/whole_attempts.h"

namespace schedlens::sim {
namespace {

void Play(benchmark::State& state, const WholeAttempt& row, const WholeAttempt& plain) {
  double us = 0, plain_us = 0;
  for (auto _ : state) {
    us = PlayedUs(WholeAttemptScenario(row));
    plain_us = PlayedUs(WholeAttemptScenario(plain));
  }
  state.counters["measured_us"] = row.measured_us;
  state.counters["played_us"] = us;
  state.counters["measured_x"] = row.measured_us / plain.measured_us;
  state.counters["played_x"] = us / plain_us;
}

const bool kRegistered = [] {
  const WholeAttempt* plain = nullptr;
  for (const WholeAttempt& row : WholeAttempts()) {
    if (row.name == "plain") plain = &row;
    const std::string name = row.name + "/" + std::to_string(row.nodes);
    benchmark::RegisterBenchmark(
        name.c_str(), [&row, plain](benchmark::State& state) { Play(state, row, *plain); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace schedlens::sim
