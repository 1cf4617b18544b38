#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.h"
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
  const auto& verdict = json.at("verdict_detail");
  EXPECT_EQ(verdict.at("id"), "compare.population.proven");
  EXPECT_EQ(verdict.at("text"), json.at("verdict"));
  EXPECT_EQ(json.at("believe_details").size(), json.at("believe").size());
  EXPECT_EQ(json.at("cases").at(0).at("text_detail").at("text"), json.at("cases").at(0).at("text"));
}

TEST(CompareCommandTest, TheTextNamesTheWitnessAndWhatToBelieve) {
  const Ran ran = RunMain(InIncident("text"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Witness: above "));
  EXPECT_THAT(ran.out, HasSubstr("3. population: proven"));
  EXPECT_THAT(ran.out, HasSubstr("Which number to believe"));
}

struct RealCase {
  const char* capture;
  std::vector<std::string> arguments;
  const char* proven;  ///< empty: no inversion
  const char* words;
};

std::string Quantile(const std::string& q, const std::string& family, const std::string& range) {
  return "histogram_quantile(" + q + ", sum by (le) (rate(" + family + "_bucket[" + range + "])))";
}

TEST(CompareCommandTest, SettlesWhatRealSchedulersShow) {
  const std::string algorithm = "scheduler_scheduling_algorithm_duration_seconds";
  const std::string e2e = "scheduler_e2e_scheduling_duration_seconds";
  const std::vector<RealCase> cases = {
      {"healthy-A", {algorithm, e2e}, "", "no inversion"},
      // About equal over what was bound.
      {"quantile-inversion-A",
       {Quantile("0.99", algorithm, "5m"),
        "histogram_quantile(0.99, sum by (le) (rate(" + e2e +
            "_bucket{result=\"scheduled\"}[5m])))",
        "--at", "1795223736"},
       "",
       "readings this close do not tell"},
      {"quantile-inversion-A",
       {algorithm, e2e, "-q", "0.999", "--at", "1795223736"},
       "population",
       "unschedulable"},
      // In order with the scrape before the window, inverted over those that rate() sees.
      {"unschedulable-flood-A",
       {algorithm, e2e, "-q", "0.5", "--window", "20s", "--at", "1795223750"},
       "population",
       "1033 unschedulable"},
      {"healthy-A",
       {Quantile("0.99", algorithm, "5m"), Quantile("0.5", e2e, "1m"), "-q", "0.999"},
       "",
       "no inversion"},
      {"extender-filter-slow-A",
       {Quantile("0.99", algorithm, "5m"), Quantile("0.5", e2e, "5m")},
       "expressions",
       "different quantiles (0.99 and 0.5)"},
  };
  for (const RealCase& c : cases) {
    SCOPED_TRACE(std::string(c.capture) + " " + testing::PrintToString(c.arguments));
    std::vector<std::string> arguments = {"compare"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    arguments.insert(
        arguments.end(),
        {"--capture", std::string(SCHEDLENS_TEST_DATA) + "/captures/" + c.capture + ".om.gz", "-o",
         "json"});
    const Finished finished = RunBinary(arguments);
    ASSERT_EQ(finished.code, 0) << finished.err;
    const auto json = nlohmann::json::parse(finished.out);
    EXPECT_EQ(json.at("proven").is_null() ? "" : json.at("proven").get<std::string>(), c.proven);
    EXPECT_THAT(json.at("verdict").get<std::string>(), HasSubstr(c.words));
    EXPECT_EQ(finished.out.find("interpolation error"), std::string::npos);
    EXPECT_FALSE(json.at("believe").empty());
  }
}

}  // namespace
}  // namespace schedlens
