// Any bytes are read or refused with an Error; what was read survives being written and read again.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/exposition.h"
#include "schedlens/error.h"

namespace {

using schedlens::Exposition;
using schedlens::Series;

/// Sorted by labels, without series whose samples are gone; equal texts mean equal contents.
std::string Canonical(const Exposition& exposition) {
  std::vector<const Series*> sorted;
  for (const Series& series : exposition.series) sorted.push_back(&series);
  std::sort(sorted.begin(), sorted.end(),
            [](const Series* a, const Series* b) { return a->labels < b->labels; });
  std::string out;
  for (const Series* series : sorted) {
    for (const auto& [name, value] : series->labels) {
      out.append(name).append(1, '\0').append(value).append(1, '\1');
    }
    for (const auto& sample : series->histograms) {
      out += std::to_string(sample.t) + ' ' + schedlens::NativeText(sample.h) + '\6';
    }
    for (const auto& sample : series->samples) {
      out += std::to_string(sample.t) + ' ' +
             std::to_string(std::bit_cast<std::uint64_t>(sample.v)) + '\2';
    }
  }
  for (const auto& [family, type] : exposition.types) out += family + '\3' + type + '\4';
  for (const std::string& comment : exposition.comments) out += comment + '\5';
  return out;
}

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

/// Passing over the other metrics, whose names hash differently, changes nothing of those kept.
void CheckPassingOver(std::string_view text, const Exposition& all) {
  const auto wanted = [](std::string_view metric) {
    return std::hash<std::string_view>()(metric) % 2 == 0;
  };
  const Exposition some = schedlens::ParseExposition(text, "input", 1795223360353, wanted);
  Exposition expected = all;
  std::size_t passed = 0;
  std::erase_if(expected.series, [&](Series& series) {
    if (wanted(series.labels.Get("__name__"))) return false;
    passed += series.samples.size();
    series.samples.clear();
    return series.histograms.empty();
  });
  Exposition kept = some;
  for (Series& series : kept.series) {
    if (!wanted(series.labels.Get("__name__"))) series.samples.clear();
  }
  Require(Canonical(expected) == Canonical(kept), "metrics kept are as if all were");
  Require(some.passed_over.samples >= passed, "what is passed over is counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Exposition read;
  try {
    read = schedlens::ParseExposition(text, "input", 1795223360353);
  } catch (const schedlens::Error& error) {
    Require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error is one line");
    return 0;
  }
  for (const Series& series : read.series) {
    Require(!series.samples.empty() || !series.histograms.empty(), "a series has samples");
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      Require(series.samples[i - 1].t < series.samples[i].t, "samples ascend");
    }
  }
  CheckPassingOver(text, read);
  const std::string written = schedlens::WriteOpenMetrics(read);
  const Exposition again = schedlens::ParseExposition(written, "written", std::nullopt);
  Require(Canonical(again) == Canonical(read), "reading what was written gives the same");
  return 0;
}
