#include "scheduler/engine/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct SmallRun {
  Scenario scenario = ParseScenario(
      "name: small\nduration: 20s\nincident: {start: 5s, end: 15s}\n"
      "cluster: {nodes: [{count: 3}]}\nworkload: {rate: 5}\n",
      "small");
  SimulationResult run = RunScenario(scenario);
};

TEST(TruthCsv, HasARowPerAttemptWhoseStagesAddUp) {
  const SmallRun small;
  std::istringstream in(TruthCsv(small.scenario, small.run));
  std::string line;
  std::getline(in, line);
  EXPECT_THAT(line, StartsWith("end_s,pod,attempt,result,node,evaluated,feasible,algorithm_done,"
                               "start_s,algorithm_s,snapshot_s,prefilter_s"));
  const auto columns = std::count(line.begin(), line.end(), ',');
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    ++rows;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns);
    EXPECT_THAT(line, HasSubstr(",default/web-0"));
  }
  EXPECT_EQ(rows, small.run.attempts.size());
  EXPECT_GT(rows, 50u);
}

TEST(TruthCsv, NamesAreQuotedWhereTheyMustBe) {
  SmallRun small;
  for (std::string& node : small.run.nodes) node = "a,\"b\"";
  std::istringstream in(TruthCsv(small.scenario, small.run));
  std::string line;
  std::getline(in, line);
  std::size_t quoted = 0;
  while (std::getline(in, line)) {
    if (line.find(",scheduled,\"a,\"\"b\"\"\",") != std::string::npos) ++quoted;
  }
  EXPECT_GT(quoted, 50u);
}

TEST(ChromeTrace, LoopSlicesNeverOverlap) {
  const SmallRun small;
  const std::string trace = ChromeTrace(small.scenario, small.run);
  EXPECT_THAT(trace, StartsWith("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{"));
  EXPECT_THAT(trace, HasSubstr("{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
                               "\"args\":{\"name\":\"scheduling loop\"}}"));
  EXPECT_EQ(std::count(trace.begin(), trace.end(), '{'),
            std::count(trace.begin(), trace.end(), '}'));
  double end = 0;
  std::istringstream in(trace);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("{\"name\":\"schedule\"")) continue;
    const double ts = std::stod(line.substr(line.find("\"ts\":") + 5));
    const double dur = std::stod(line.substr(line.find("\"dur\":") + 6));
    EXPECT_GE(ts, end - 0.001);
    end = ts + dur;
  }
  EXPECT_GT(end, 0);
}

TEST(SummaryJson, SaysWhatHappenedByPhase) {
  const SmallRun small;
  const std::string json = SummaryJson(small.scenario, small.run, 9);
  EXPECT_THAT(
      json, StartsWith("{\n  \"schema\": \"schedlens.simulation/1\",\n  \"scenario\": \"small\""));
  EXPECT_THAT(json, HasSubstr("\"seed\": 9,"));
  EXPECT_THAT(json, HasSubstr("    \"incident\": {\n      \"start\": 5,\n      \"end\": 15,\n"
                              "      \"results\": {\n        \"scheduled\": {"));
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), std::count(json.begin(), json.end(), '}'));
}

}  // namespace
}  // namespace schedlens::sim
