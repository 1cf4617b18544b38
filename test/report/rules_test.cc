// The rule file as promtool reads it, and what its rules compute; the dashboard as JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "kube/stage.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

class RulesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(testing::TempDir()) / "schedlens-rules-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }

  // Expects promtool to be content.
  void Promtool(const std::string& arguments) {
    const std::string log = (directory_ / "log").string();
    const std::string command =
        "cd '" + directory_.string() + "' && promtool " + arguments + " > '" + log + "' 2>&1";
    std::stringstream said;
    const int code = std::system(command.c_str());
    said << std::ifstream(log).rdbuf();
    EXPECT_EQ(code, 0) << arguments << "\n" << said.str();
  }

  fs::path directory_;
};

TEST_F(RulesTest, PromtoolAcceptsEveryRelease) {
  for (const int minor : {19, 20, 21, 23, 26, 29, 30, 36}) {
    Write("rules.yml", WatchRules({minor, 2.048}));
    Promtool("check rules rules.yml");
  }
}

constexpr char kUnitTest[] = R"(rule_files: [rules.yml]
evaluation_interval: 1m
tests:
- interval: 1m
  input_series:
  - {series: 'METRIC_bucket{job="s",result="scheduled",le="4.096"}', values: '0+60x30'}
  - {series: 'METRIC_count{job="s",result="scheduled"}', values: '0+120x30'}
  - {series: 'METRIC_sum{job="s",result="scheduled"}', values: '0+600x30'}
  - {series: 'METRIC_count{job="s",result="unschedulable"}', values: '0+60x30'}
  - {series: 'METRIC_sum{job="s",result="unschedulable"}', values: '0+120x30'}
  - {series: 'scheduler_scheduling_algorithm_duration_seconds_sum{job="s"}', values: '0+ALGORITHMx30'}
  - {series: 'scheduler_binding_duration_seconds_sum{job="s"}', values: '0+480x30'}
  - {series: 'scheduler_framework_extension_point_duration_seconds_sum{job="s",extension_point="Filter"}', values: '0+120x30'}
  - {series: 'scheduler_framework_extension_point_duration_seconds_sum{job="s",extension_point="PostFilter"}', values: '0+60x30'}
  - {series: 'scheduler_framework_extension_point_duration_seconds_sum{job="s",extension_point="Bind"}', values: '0+60x30'}
  promql_expr_test:
  - {expr: 'sum(schedlens:attempts_over_threshold:ratio_rate5m)', eval_time: 20m, exp_samples: [{labels: '{}', value: 0.5}]}
  - {expr: 'sum(schedlens:attempt_seconds:rate5m)', eval_time: 20m, exp_samples: [{labels: '{}', value: 12}]}
  - {expr: 'sum(schedlens:algorithm_seconds:rate5m)', eval_time: 20m, exp_samples: [{labels: '{}', value: 3}]}
  - {expr: 'sum(schedlens:algorithm_unmeasured_seconds:rate5m)', eval_time: 20m, exp_samples: [{labels: '{}', value: 1}]}
  - {expr: 'sum(schedlens:unmeasured_seconds:rate5m)', eval_time: 20m, exp_samples: [{labels: '{}', value: 7}]}
  - {expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: 25m, exp_samples: [
      {labels: '{alertname="KubeSchedulerAttemptsSlow"}', value: 1},
      {labels: '{alertname="KubeSchedulerTimeUnmeasured"}', value: 1}]}
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// Scheduled 10 s/s and failed 2 s/s; the algorithm takes 3 s/s of it, PostFilter and Bind 1 s/s
// each.
TEST_F(RulesTest, TheRemaindersAreWhatIsLeft) {
  struct Remainder {
    int minor;
    std::string metric;
    std::string algorithm;  // a minute: up to 1.29 without failed attempts, then with PostFilter
  };
  for (const Remainder& c :
       {Remainder{20, "scheduler_e2e_scheduling_duration_seconds", "120"},
        Remainder{26, "scheduler_scheduling_attempt_duration_seconds", "120"},
        Remainder{30, "scheduler_scheduling_attempt_duration_seconds", "240"}}) {
    Write("rules.yml", WatchRules({c.minor, 4.096}));
    Write("test.yml", Replaced(Replaced(kUnitTest, "METRIC", c.metric), "ALGORITHM", c.algorithm));
    Promtool("test rules test.yml");
  }
}

// The remainders are less every extension point of the stage tree, each where it belongs.
TEST_F(RulesTest, TheRemaindersTakeOffEveryExtensionPoint) {
  const std::string rules = WatchRules({26, 4.096});
  const auto rule = [&](const std::string& name) {
    const std::size_t at = rules.find("record: schedlens:" + name + "_seconds:rate5m");
    return rules.substr(at, rules.find("record:", at + 1) - at);
  };
  int points = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.point) continue;
    const bool algorithm = row.parent == kube::Stage::kAlgorithm;
    const std::string regex = rule(algorithm ? "algorithm_unmeasured" : "unmeasured");
    const std::string point(kube::ToString(*row.point));
    EXPECT_THAT(regex, testing::ContainsRegex("[\"|]" + point + "[\"|]"));
    ++points;
  }
  EXPECT_EQ(points, 9);
}

TEST_F(RulesTest, BindsByAnExtenderHaveTheirOwnRuleWhereTheyCan) {
  const std::string name = "schedlens:bind_unmeasured_seconds:rate5m";
  EXPECT_NE(WatchRules({20, 4.096}).find(name), std::string::npos);
  EXPECT_EQ(WatchRules({21, 4.096}).find(name), std::string::npos);
}

TEST_F(RulesTest, AThresholdInsideABucketIsRefusedWithTheNearestBound) {
  try {
    WatchRules({30, 3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("the nearest is 2.048"));
  }
  EXPECT_THROW(Dashboard({30, 3}), Error);
}

TEST_F(RulesTest, TheDashboardDrawsOnlyWhatIsRecordedOrExposed) {
  const auto dashboard = nlohmann::json::parse(Dashboard({26, 2.048}));
  const std::string rules = WatchRules({26, 2.048});
  std::set<int> ids;
  for (const auto& panel : dashboard["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second);
    for (const auto& target : panel["targets"]) {
      const std::string expr = target["expr"];
      const std::size_t at = expr.find("schedlens:");
      if (at == std::string::npos) continue;
      const std::string name = expr.substr(at, expr.find('{', at) - at);
      EXPECT_NE(rules.find("record: " + name + "\n"), std::string::npos) << name;
    }
  }
  EXPECT_GE(ids.size(), 5U);
}

}  // namespace
}  // namespace schedlens
