// Time cut into episodes: an hour at 15 s, and a day; 40 buckets, two episodes an hour.

#include <benchmark/benchmark.h>

#include <limits>
#include <random>
#include <vector>

#include "diagnose/episodes/episodes.h"

namespace schedlens {
namespace {

constexpr std::size_t kBuckets = 40;

/// Columns of 15 s with 75 pods each; of each 120 columns twelve have a slow tenth.
ColumnCounts Columns(std::size_t columns) {
  ColumnCounts c;
  c.period = 15;
  c.has_pods = true;
  double bound = 0.001;
  while (c.pod_bounds.size() + 1 < kBuckets) c.pod_bounds.push_back(bound *= 1.4);
  c.pod_bounds.push_back(std::numeric_limits<double>::infinity());
  c.attempt_bounds = c.pod_bounds;
  c.pods = c.attempts = CountTable(columns, kBuckets);
  c.results = c.waiting = CountTable(columns, 3);
  c.nobody_here.resize(columns);
  std::mt19937 random(1);
  std::binomial_distribution<std::size_t> quick(15, 0.5), slow(6, 0.5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::size_t i = 0; i < columns; ++i) {
    c.edges.push_back(static_cast<TimeMs>(i) * 15'000);
    for (int pod = 0; pod < 75; ++pod) {
      const bool late = i % 120 >= 60 && i % 120 < 72 && unit(random) < 0.1;
      const std::size_t kind = late ? 25 + slow(random) : quick(random);
      c.pods.Add(i, kind, 1);
      c.attempts.Add(i, kind, 1);
      c.results.Add(i, 0, 1);
    }
  }
  c.edges.push_back(static_cast<TimeMs>(columns) * 15'000);
  return c;
}

void Episodes(benchmark::State& state) {
  const ColumnCounts counts = Columns(static_cast<std::size_t>(state.range(0)));
  std::size_t found = 0;
  for (auto _ : state) found = FindEpisodes(counts).episodes.size();
  state.counters["episodes"] = static_cast<double>(found);
}
BENCHMARK(Episodes)->Arg(240)->Arg(5760)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens
