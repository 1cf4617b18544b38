// Reading a `query_range` answer of about 100 MB: our stream reader against nlohmann's DOM, and the
// memory each needs at its peak.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "source/http/json_stream.h"

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void Count(void* block) {
  const std::size_t now = live += malloc_usable_size(block);
  for (std::size_t seen = peak; now > seen && !peak.compare_exchange_weak(seen, now);) {
  }
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  Count(block);
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  live -= malloc_usable_size(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace schedlens {
namespace {

/// 6000 series of 650 samples whose values are counters and rates, as buckets give them.
const std::string& Text() {
  static const std::string text = [] {
    std::string out = R"({"status":"success","data":{"resultType":"matrix","result":[)";
    for (int s = 0; s < 6000; ++s) {
      out += fmt::format(
          R"({}{{"metric":{{"__name__":"scheduler_e2e_scheduling_duration_seconds_bucket",)"
          R"("instance":"10.0.0.{}:10259","job":"kube-scheduler","le":"{}"}},"values":[)",
          s > 0 ? "," : "", s % 250, s);
      double value = s;
      for (int i = 0; i < 650; ++i) {
        value += (s * 31 + i * 17) % 7 * (s % 2 == 0 ? 1.0 : 0.123456789);
        out += fmt::format(R"({}[{}.{:03},"{}"])", i > 0 ? "," : "", 1795223207 + 15 * i,
                           552 + s % 3, value);
      }
      out += "]}";
    }
    return out + "]}}";
  }();
  return text;
}

template <typename Read>
void Run(benchmark::State& state, Read read) {
  const std::string& text = Text();
  std::size_t samples = 0;
  std::size_t used = 0;
  for (auto _ : state) {
    const std::size_t before = live;
    peak = before;
    samples = read(text);
    used = peak - before;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.counters["samples"] = static_cast<double>(samples);
  state.counters["peak_of_sample_bytes"] =
      static_cast<double>(used) / (static_cast<double>(samples) * sizeof(Sample));
}

/// In pieces as curl hands them over.
void Stream(benchmark::State& state) {
  Run(state, [](const std::string& text) {
    ApiAnswerReader reader;
    constexpr std::size_t kPiece = 65536;
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      reader.Feed(std::string_view(text).substr(at, kPiece));
    }
    std::size_t samples = 0;
    const ApiAnswer api = reader.Finish();
    for (const Series& series : api.answer.series) samples += series.samples.size();
    return samples;
  });
}
BENCHMARK(Stream)->Unit(benchmark::kMillisecond);

/// The document alone, without turning it into series.
void Dom(benchmark::State& state) {
  Run(state, [](const std::string& text) {
    const nlohmann::json document = nlohmann::json::parse(text);
    std::size_t samples = 0;
    for (const auto& series : document["data"]["result"]) samples += series["values"].size();
    return samples;
  });
}
BENCHMARK(Dom)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlens
