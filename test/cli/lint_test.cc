#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.h"
#include "cli/run_main.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

constexpr char kRules[] =
    "groups:\n"
    "- name: g\n"
    "  rules:\n"
    "  - alert: Slow\n"
    "    expr: histogram_quantile(0.99, sum by (job) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3\n"
    "    for: 1m\n";

TEST(LintCommandTest, FindsMendsAndExitsWith3) {
  const TempDir dir;
  const std::string rules = dir.Write("rules.yaml", kRules);
  const std::string mended = dir / "mended.yaml";
  const Ran ran = RunMain({"lint", rules, "--release", "1.26", "--mended", mended});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("rules.yaml:5 Slow: error: missing-le"));
  EXPECT_THAT(ran.out, HasSubstr("1 rule looked at, 4 findings"));
  const RuleFile file = ParseRuleFile(ReadAll(mended), mended);
  EXPECT_EQ(file.rules[0].expr,
            "histogram_quantile(0.99, sum by (job, le, result) "
            "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m]))) > 4.096");
}

TEST(LintCommandTest, FailOnDecidesTheExitCode) {
  const std::string expr =
      "histogram_quantile(0.99, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m]))) "
      "> 3";
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.20"}).code, 0);
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.20", "--fail-on", "warning"}).code, 3);
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.21", "--fail-on", "never"}).code, 0);
}

TEST(LintCommandTest, WritesJsonAndSarif) {
  const auto json = nlohmann::json::parse(RunMain({"lint", "-", "-o", "json"}, kRules).out);
  EXPECT_EQ(json.at("schema"), "schedlens.lint/1");
  EXPECT_EQ(json.at("mended").size(), 1u);
  const auto sarif = nlohmann::json::parse(RunMain({"lint", "-", "-o", "sarif"}, kRules).out);
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const auto& run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("results").size(), json.at("findings").size());
  const auto& place = run.at("results").at(0).at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("region").at("startLine"), 5);
}

TEST(LintCommandTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(RunMain({"lint"}).code, 2);
  EXPECT_EQ(RunMain({"lint", "-"}, "groups: 3").code, 2);
  EXPECT_EQ(RunMain({"lint", "/nowhere/rules.yaml"}).code, 1);
  EXPECT_EQ(RunMain({"lint", "--expr", "up", "--release", "newest"}).code, 2);
}

}  // namespace
}  // namespace schedlens
