// The alert expression over a day of scrapes: 3 replicas, 3 results, 16 bounds, every 15 s. With
// SCHEDLENS_BENCH_CAPTURE=FILE also over that capture (see query_range_against_prometheus).

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/text.h"
#include "promql/evaluate.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

constexpr const char* kAlert =
    "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])) "
    "without (instance, pod))";
constexpr TimeMs kStart = 1'700'000'000'000;
constexpr std::int64_t kScrape = 15'000;
constexpr int kScrapes = 24 * 60 * 4;

std::vector<Series> Day() {
  std::mt19937 random(1);
  std::poisson_distribution<int> attempts(20);
  std::vector<Series> all;
  for (int replica = 0; replica < 3; ++replica) {
    for (const char* result : {"scheduled", "unschedulable", "error"}) {
      double bound = 0.001;
      std::vector<double> before(kScrapes, 0);
      for (int b = 0; b < 16; ++b, bound *= 2) {
        Series series;
        series.labels = Labels({{"__name__", "scheduler_e2e_scheduling_duration_seconds_bucket"},
                                {"instance", "10.0.0." + std::to_string(replica) + ":10251"},
                                {"pod", "kube-scheduler-" + std::to_string(replica)},
                                {"result", result},
                                {"le", b == 15 ? "+Inf" : FormatNumber(bound)}});
        double count = 0;
        for (int i = 0; i < kScrapes; ++i) {
          count += attempts(random);
          before[static_cast<std::size_t>(i)] += count;
          series.samples.push_back({kStart + i * kScrape, before[static_cast<std::size_t>(i)]});
        }
        all.push_back(std::move(series));
      }
    }
  }
  return all;
}

void AlertOverADay(benchmark::State& state) {
  const promql::SeriesStore store(Day());
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        promql::Evaluate(store, {kAlert, kStart, kStart + (kScrapes - 1) * kScrape, kScrape}, {}));
  }
}
BENCHMARK(AlertOverADay)->Unit(benchmark::kMillisecond);

void AlertOverCapture(benchmark::State& state) {
  const char* path = std::getenv("SCHEDLENS_BENCH_CAPTURE");
  if (path == nullptr) {
    state.SkipWithError("SCHEDLENS_BENCH_CAPTURE is not set");
    return;
  }
  const promql::SeriesStore store(ReadExposition(path, std::nullopt).series);
  const TimeRange extent = *store.Extent();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        promql::Evaluate(store, {kAlert, extent.start, extent.end, kScrape}, {}));
  }
}
BENCHMARK(AlertOverCapture)->Unit(benchmark::kMillisecond);

void AlertAtOneTime(benchmark::State& state) {
  const promql::SeriesStore store(Day());
  const TimeMs t = kStart + kScrapes / 2 * kScrape;
  for (auto _ : state) benchmark::DoNotOptimize(promql::Evaluate(store, {kAlert, t, t, 0}, {}));
}
BENCHMARK(AlertAtOneTime)->Unit(benchmark::kMicrosecond);

void ParseAlert(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(promql::Parse(kAlert));
}
BENCHMARK(ParseAlert);

}  // namespace
}  // namespace schedlens
