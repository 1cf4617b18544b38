#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_main.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> Arguments(const std::string& output) {
  return {"compare",
          "scheduler_scheduling_algorithm_duration_seconds",
          "scheduler_e2e_scheduling_duration_seconds",
          "--capture",
          std::string(SCHEDLENS_TEST_DATA) + "/captures/quantile-inversion-A.om.gz",
          "--window",
          "5m",
          "-o",
          output};
}

// The middle of the recording, where the incident runs.
std::vector<std::string> InIncident(const std::string& output) {
  std::ifstream file(std::string(SCHEDLENS_TEST_DATA) + "/captures/quantile-inversion-A.json");
  const auto truth = nlohmann::json::parse(file);
  std::vector<std::string> arguments = Arguments(output);
  arguments.push_back("--at");
  arguments.push_back(truth["window"]["incident_scrapes"][1].dump());
  return arguments;
}

TEST(CompareCommandTest, WalksToThePopulationAndStops) {
  const Ran ran = RunMain(InIncident("json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("schema"), "schedlens.compare/1");
  EXPECT_EQ(json.at("proven"), "population");
  EXPECT_EQ(json.at("cases").size(), 3u);
  EXPECT_GT(json.at("witness").at("only_in_whole_at_least"), 10000);
  EXPECT_FALSE(json.at("believe").empty());
}

TEST(CompareCommandTest, TheTextNamesTheWitnessAndWhatToBelieve) {
  const Ran ran = RunMain(InIncident("text"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Witness: above "));
  EXPECT_THAT(ran.out, HasSubstr("3. population: proven"));
  EXPECT_THAT(ran.out, HasSubstr("Which number to believe"));
}

}  // namespace
}  // namespace schedlens
