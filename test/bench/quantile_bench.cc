// A 15-bucket classic quantile, one by one and in a batch of 100,000 histograms; rate of a window.

#include <benchmark/benchmark.h>

#include <limits>
#include <random>
#include <vector>

#include "schedlens/histogram.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

constexpr std::size_t kBounds = 15;
constexpr std::size_t kHistograms = 100'000;

std::vector<double> Bounds() {
  std::vector<double> bounds;
  for (double bound = 0.001; bounds.size() + 1 < kBounds; bound *= 2) bounds.push_back(bound);
  bounds.push_back(std::numeric_limits<double>::infinity());
  return bounds;
}

/// Counts as rate() leaves them: whole observations by a factor. Rows are bounds.
std::vector<double> Counts() {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> observations(0, 20);
  std::vector<double> counts(kBounds * kHistograms);
  for (std::size_t i = 0; i < kHistograms; ++i) {
    double count = 0;
    for (std::size_t b = 0; b < kBounds; ++b) {
      count += observations(random);
      counts[b * kHistograms + i] = count * 0.0033;
    }
  }
  return counts;
}

void QuantileBatch(benchmark::State& state) {
  const std::vector<double> bounds = Bounds();
  const std::vector<double> counts = Counts();
  std::vector<double> values(kHistograms);
  for (auto _ : state) {
    QuantilesOfHistograms(0.99, bounds, counts, Semantics{}, values);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kHistograms));
  state.counters["per_quantile"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(kHistograms),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(QuantileBatch)->Unit(benchmark::kMillisecond);

void QuantileAlone(benchmark::State& state) {
  const std::vector<double> bounds = Bounds();
  std::vector<Bucket> buckets;
  for (std::size_t b = 0; b < kBounds; ++b) buckets.push_back({bounds[b], 3.0 * (b + 1)});
  for (auto _ : state) {
    benchmark::DoNotOptimize(QuantileOfBuckets(0.99, buckets, Semantics{}));
  }
}
BENCHMARK(QuantileAlone);

void RateOfOneWindow(benchmark::State& state) {
  std::vector<TimeMs> times;
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) {
    times.push_back(i * 15'000 + 3'000);
    values.push_back(100 + 3 * i);
  }
  const SampleWindow window{times, values, {}, 0, 0, 300'000};
  for (auto _ : state) {
    benchmark::DoNotOptimize(ExtrapolatedRate(window, RateKind::kRate, Semantics{}, 300));
  }
}
BENCHMARK(RateOfOneWindow);

}  // namespace
}  // namespace schedlens
