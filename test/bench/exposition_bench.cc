// Throughput of reading and writing expositions, on generated text of the two usual layouts.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <string>

#include "base/exposition.h"

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

/// As many series as pods, few samples each: what kube-state-metrics adds to a recording.
std::string GeneratePods() {
  constexpr int kPods = 40000;
  std::string text;
  for (int pod = 0; pod < kPods; ++pod) {
    for (int scrape = 0; scrape < 4; ++scrape) {
      text += fmt::format(
          "kube_pod_status_phase{{instance=\"10.0.0.9:8080\",job=\"kube-state-metrics\","
          "namespace=\"shop\",phase=\"Running\",pod=\"cart-7f9c-{:05}\",uid=\"{:08x}-cae9-4155-"
          "a2f4-"
          "{:012x}\"}} 1 {}.385\n",
          pod, pod * 2654435761U, pod * 977, 1795223360 + 30 * scrape);
    }
  }
  return text + "# EOF\n";
}

void SetRates(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

/// What all reading is measured by: the line ends alone.
void BM_CountLineEnds(benchmark::State& state) {
  const std::string text = GeneratePods();
  for (auto _ : state) {
    const char* at = text.data();
    const char* const end = at + text.size();
    std::size_t lines = 0;
    while (const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
      at = static_cast<const char*>(found) + 1;
      ++lines;
      if (at == end) break;
    }
    benchmark::DoNotOptimize(lines);
  }
  SetRates(state, text);
}
BENCHMARK(BM_CountLineEnds)->Unit(benchmark::kMillisecond);

void BM_ParsePods(benchmark::State& state) {
  const std::string text = GeneratePods();
  const bool kept = state.range(0) == 1;
  const auto wanted = [kept](std::string_view) { return kept; };
  for (auto _ : state) {
    benchmark::DoNotOptimize(schedlens::ParseExposition(text, "pods", std::nullopt, wanted));
  }
  SetRates(state, text);
}
BENCHMARK(BM_ParsePods)->ArgName("kept")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_WriteOpenMetrics(benchmark::State& state) {
  const std::string text = Generate(true);
  const auto exposition = schedlens::ParseExposition(text, "generated", std::nullopt);
  for (auto _ : state) benchmark::DoNotOptimize(schedlens::WriteOpenMetrics(exposition));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_WriteOpenMetrics)->Unit(benchmark::kMillisecond);

}  // namespace
