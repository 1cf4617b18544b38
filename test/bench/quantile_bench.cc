// A 15-bucket classic quantile, and the rate of a window.

#include <benchmark/benchmark.h>

#include <limits>
#include <vector>

#include "schedlens/histogram.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

constexpr std::size_t kBounds = 15;

std::vector<double> Bounds() {
  std::vector<double> bounds;
  for (double bound = 0.001; bounds.size() + 1 < kBounds; bound *= 2) bounds.push_back(bound);
  bounds.push_back(std::numeric_limits<double>::infinity());
  return bounds;
}

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
