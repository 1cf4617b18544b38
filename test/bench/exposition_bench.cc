// Throughput of reading and writing expositions, on generated text of the two usual layouts.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <random>
#include <string>

#include "model/exposition.h"

namespace {

constexpr int kSeries = 1200;
constexpr int kScrapes = 120;

/// Histogram-like series of about the length kube-scheduler's have. One series after the other is
/// what tools that dump a database write; one scrape after the other is what recorders write.
std::string Generate(bool by_series) {
  std::mt19937 random(1);
  const auto line = [&](int series, int scrape) {
    const double value = series % 10 == 0 ? static_cast<double>(random() % 100000) / 997.0
                                          : static_cast<double>(scrape * series);
    return fmt::format(
        "scheduler_plugin_execution_duration_seconds_bucket{{extension_point=\"Filter\","
        "instance=\"10.0.0.{}:10259\",job=\"kube-scheduler\",le=\"{}\",plugin=\"NodeAffinity\","
        "pod=\"kube-scheduler-{}\",status=\"Success\"}} {} {}.353\n",
        series % 3, 1e-5 * series, series % 3, value, 1795223360 + 5 * scrape);
  };
  std::string text;
  for (int i = 0; i < kSeries * kScrapes; ++i) {
    text += by_series ? line(i / kScrapes, i % kScrapes) : line(i % kSeries, i / kSeries);
  }
  return text + "# EOF\n";
}

void BM_ParseExposition(benchmark::State& state) {
  const std::string text = Generate(state.range(0) == 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(schedlens::ParseExposition(text, "generated", std::nullopt));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * kSeries * kScrapes);
}
BENCHMARK(BM_ParseExposition)->ArgName("by_series")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_WriteOpenMetrics(benchmark::State& state) {
  const std::string text = Generate(true);
  const auto exposition = schedlens::ParseExposition(text, "generated", std::nullopt);
  for (auto _ : state) benchmark::DoNotOptimize(schedlens::WriteOpenMetrics(exposition));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_WriteOpenMetrics)->Unit(benchmark::kMillisecond);

}  // namespace
