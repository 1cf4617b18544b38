// A proven interval with per-scrape sums: 5 minutes at 5 s scrapes, 15 finite buckets.

#include <benchmark/benchmark.h>

#include <random>

#include "stats/proven_interval.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

/// One child: `per_scrape` lognormal observations a scrape.
std::vector<ScrapeIncreases> Window(int per_scrape) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> law(-3, 1);
  HistogramSeries series;
  double bound = 0.001;
  for (int b = 0; b < 15; ++b, bound *= 2) series.bounds.push_back(bound);
  series.bounds.push_back(HUGE_VAL);
  std::vector<double> cumulative(series.bounds.size(), 0.0);
  double sum = 0;
  for (TimeMs t = 0; t <= 300000; t += 5000) {
    for (int i = 0; i < per_scrape; ++i) {
      const double x = law(random);
      sum += x;
      for (std::size_t b = 0; b < cumulative.size(); ++b) cumulative[b] += x <= series.bounds[b];
    }
    series.times.push_back(t);
    series.cumulative.insert(series.cumulative.end(), cumulative.begin(), cumulative.end());
    series.sums.push_back(sum);
  }
  return {IncreasesBetweenScrapes(series, series.times, {0, 300000})};
}

void ProveRankBench(benchmark::State& state) {
  const auto children = Window(static_cast<int>(state.range(0)));
  const double rank = RankOf(0.99, 60.0 * static_cast<double>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ProveRank(children, rank));
}
BENCHMARK(ProveRankBench)
    ->Name("proven interval, observations a scrape")
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000);

void ProveQuantileBench(benchmark::State& state) {
  const auto children = Window(100);
  for (auto _ : state) benchmark::DoNotOptimize(ProveQuantile(children, 0.99));
}
BENCHMARK(ProveQuantileBench)->Name("proven interval with its reasons");

void EstimateBench(benchmark::State& state) {
  const auto children = Window(100);
  const auto proven = ProveQuantile(children, 0.99);
  for (auto _ : state) benchmark::DoNotOptimize(EstimateQuantile(children, proven));
}
BENCHMARK(EstimateBench)->Name("estimate");

void SamplingBench(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(RanksOfProcessQuantile(6000, 0.99));
}
BENCHMARK(SamplingBench)->Name("sampling ranks of 6,000");

}  // namespace
}  // namespace schedlens
