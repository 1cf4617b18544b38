// The scenarios of test/data/scenarios against recordings of real schedulers: the same series, and
// the same distributions within a Kolmogorov-Smirnov distance of 0.1 (0.15 with few observations).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/exposition.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::sim {
namespace {

const std::string kScenarios = std::string(SCHEDLENS_TEST_DATA) + "/scenarios/";

struct Row {
  std::string recording, phase, metric;
  double count = 0;
  std::vector<double> percentiles;
};

std::vector<Row> ReadRows() {
  std::vector<Row> rows;
  std::ifstream in(kScenarios + "quantiles.csv");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    Row row;
    std::string field;
    std::getline(fields, row.recording, ',');
    std::getline(fields, row.phase, ',');
    std::getline(fields, row.metric, ',');
    std::getline(fields, field, ',');
    row.count = std::stod(field);
    while (std::getline(fields, field, ',')) row.percentiles.push_back(std::stod(field));
    rows.push_back(row);
  }
  return rows;
}

std::vector<double> Simulated(const Scenario& s, const SimulationResult& run, const Row& row) {
  const bool before = row.phase == "before";
  const Nanos from = before ? 0 : s.incident_start;
  const Nanos to = before ? s.incident_start : s.incident_end;
  std::vector<double> out;
  for (const AttemptRecord& a : run.attempts) {
    const Nanos end = a.start + a.e2e;
    if (end <= from || end > to) continue;
    if (row.metric == "e2e") out.push_back(ToSeconds(a.e2e));
    if (row.metric == "algorithm" && a.algorithm_done) out.push_back(ToSeconds(a.algorithm));
    if (row.metric == "binding" && a.result == AttemptResult::kScheduled) {
      out.push_back(
          ToSeconds(a[AttemptStage::kExtBind] + a[AttemptStage::kBind] + a[AttemptStage::kFinish]));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The largest gap between the simulated CDF and the recorded percentiles.
double Distance(const std::vector<double>& simulated, const std::vector<double>& percentiles) {
  double worst = 0;
  for (std::size_t k = 0; k < percentiles.size(); ++k) {
    const auto at = std::upper_bound(simulated.begin(), simulated.end(), percentiles[k]);
    const double share =
        static_cast<double>(at - simulated.begin()) / static_cast<double>(simulated.size());
    worst = std::max(worst, std::fabs(share - static_cast<double>(k) / 100));
  }
  return worst;
}

TEST(Recordings, DistributionsAreWithinATenth) {
  std::map<std::string, std::pair<Scenario, SimulationResult>> runs;
  for (const Row& row : ReadRows()) {
    auto found = runs.find(row.recording);
    if (found == runs.end()) {
      Scenario s = LoadScenario(kScenarios + row.recording + ".yaml");
      SimulationResult run = RunScenario(s, {1, true, false, {}});
      found = runs.emplace(row.recording, std::make_pair(std::move(s), std::move(run))).first;
    }
    const auto& [scenario, run] = found->second;
    const std::vector<double> simulated = Simulated(scenario, run, row);
    ASSERT_FALSE(simulated.empty());
    // Two samples of a few hundred differ by chance alone.
    const double chance =
        1.36 * std::sqrt(1 / row.count + 1 / static_cast<double>(simulated.size()));
    const double distance = Distance(simulated, row.percentiles);
    EXPECT_LE(distance, std::max(0.1, 0.05 + chance))
        << row.recording << " " << row.phase << " " << row.metric;
  }
  EXPECT_EQ(runs.size(), 12u);
}

/// A series without what differs from lab to lab: instance, API host, and `le` apart.
std::string Normal(const Series& series, bool with_le) {
  std::string out(series.labels.Get("__name__"));
  static const std::regex host("https?://[^/]*");
  for (const auto& [name, value] : series.labels) {
    if (name == "__name__" || name == "instance" || name == "host") continue;
    if (name == "le" && !with_le) continue;
    const std::string text(value);
    out.append(" ").append(name).append("=");
    out += name == "url" ? std::regex_replace(text, host, "") : text;
  }
  return out;
}

TEST(Recordings, SeriesAreTheSame) {
  std::set<std::string> recordings;
  for (const Row& row : ReadRows()) recordings.insert(row.recording);
  for (const std::string& recording : recordings) {
    const Exposition real = ReadExposition(
        std::string(SCHEDLENS_TEST_DATA) + "/captures/" + recording + ".om.gz", std::nullopt);
    const SimulationResult run =
        RunScenario(LoadScenario(kScenarios + recording + ".yaml"), {1, false, true, {}});
    std::set<std::string> theirs, ours, names;
    for (const Series& series : real.series) {
      theirs.insert(Normal(series, true));
      names.insert(std::string(series.labels.Get("__name__")));
    }
    for (const Series& series : run.exposition.series) {
      // The recordings' trimming left out some metrics whole.
      if (names.contains(std::string(series.labels.Get("__name__"))))
        ours.insert(Normal(series, true));
    }
    std::vector<std::string> missing, extra;
    const auto rare = [](const std::string& text) {
      // Seen only where an attempt happens to meet a flush of the plugin recorder, or where a
      // handful of attempts happens to fail in a certain order.
      return text.find("extension_point=Reserve") != std::string::npos ||
             text.find("extension_point=PreBind") != std::string::npos ||
             text.find("ScoreExtensionNormalize") != std::string::npos ||
             text.find("queue_incoming_pods_total") != std::string::npos ||
             text.find("pod_scheduling_duration_seconds") != std::string::npos ||
             text.find("result=error") != std::string::npos ||
             text.find("status=Error") != std::string::npos;
    };
    for (const std::string& series : theirs) {
      if (!ours.contains(series) && !rare(series)) missing.push_back(series);
    }
    for (const std::string& series : ours) {
      if (!theirs.contains(series) && !rare(series)) extra.push_back(series);
    }
    EXPECT_THAT(missing, testing::IsEmpty()) << recording;
    EXPECT_THAT(extra, testing::IsEmpty()) << recording;
  }
}

}  // namespace
}  // namespace schedlens::sim
