#pragma once

// Built-in scenarios as real incidents come: scraped less often, rising slowly, in pulses; and what
// one answer of a server can hold: two schedulers, or one of them twice.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/series.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::test {

enum class Onset { kStep, kRamp, kPulses };

/// One run of a scenario.
struct ShapedRun {
  std::string name;  ///< built-in, or a file
  std::string release;
  double severity = 1;
  std::uint64_t seed = 1;
  int scrape_seconds = 0;  ///< 0: the scenario's own
  Onset onset = Onset::kStep;
};

inline sim::Scenario ScenarioOf(const ShapedRun& run) {
  const auto load = [&](double severity) {
    sim::ScenarioOptions options;
    options.severity = severity;
    options.kubernetes_version = run.release;
    return sim::LoadScenario(run.name, options);
  };
  sim::Scenario scenario = load(run.severity);
  if (run.scrape_seconds > 0) scenario.scrape_interval = run.scrape_seconds * sim::kSecond;
  if (run.onset == Onset::kStep) return scenario;
  const sim::Nanos start = scenario.incident_start, end = scenario.incident_end;
  const sim::Conditions quiet = scenario.At(0), bad = scenario.At(start);
  std::vector<sim::Segment> segments = {{0, quiet}};
  if (run.onset == Onset::kRamp) {
    constexpr int kSteps = 6;
    for (int i = 0; i < kSteps; ++i) {
      segments.push_back(
          {start + i * (end - start) / kSteps, load(run.severity * (i + 1) / kSteps).At(start)});
    }
    segments.push_back({end, quiet});
  } else {
    for (sim::Nanos t = start; t < end; t += 60 * sim::kSecond) {
      segments.push_back({t, bad});
      segments.push_back({std::min(t + 40 * sim::kSecond, end), quiet});
    }
  }
  scenario.segments = std::move(segments);
  return scenario;
}

/// The series with one more label.
inline std::vector<Series> Labelled(std::vector<Series> all, const std::string& label,
                                    const std::string& value) {
  for (Series& series : all) series.labels = series.labels.With(label, value);
  return all;
}

/// Two schedulers in one answer.
inline std::vector<Series> Together(std::vector<Series> one, std::vector<Series> other) {
  one = Labelled(std::move(one), "cluster", "a");
  for (Series& series : Labelled(std::move(other), "cluster", "b"))
    one.push_back(std::move(series));
  return one;
}

/// One scheduler, seen by the two Prometheus servers of a pair, which scrape at different moments:
/// every second scrape is the one's, the others are the other's.
inline std::vector<Series> SeenTwice(const std::vector<Series>& all) {
  std::vector<Series> out;
  for (const std::size_t which : {0, 1}) {
    std::vector<Series> half;
    for (const Series& series : all) {
      Series part{series.labels, {}, {}};
      for (std::size_t i = which; i < series.samples.size(); i += 2) {
        part.samples.push_back(series.samples[i]);
      }
      half.push_back(std::move(part));
    }
    for (Series& series : Labelled(std::move(half), "prometheus_replica", which == 0 ? "a" : "b")) {
      out.push_back(std::move(series));
    }
  }
  return out;
}

}  // namespace schedlens::test
