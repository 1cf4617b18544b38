#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/run_main.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

std::string Capture(const std::string& name) {
  return std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz";
}

constexpr char kE2e[] = "scheduler_e2e_scheduling_duration_seconds";

TEST(QuantileCommandTest, TellsAMetricFromAnExpression) {
  const auto report = [](const std::string& what) {
    const Ran ran = RunMain({"quantile", what, "--selector", "job=~\".+\"", "--capture",
                             Capture("apiserver-bind-slow-A"), "-o", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  };
  const std::string metric = kE2e;
  for (const std::string& name : {metric, metric + "_bucket", metric + "{result=\"scheduled\"}"}) {
    EXPECT_EQ(report(name).at("metric"), metric);
    EXPECT_EQ(report(name).at("q"), 0.99);
  }
  const auto expression = report("histogram_quantile(0.9, sum by (le) (rate(" + metric +
                                 "_bucket{result=\"scheduled\"}[5m]))) > 3");
  EXPECT_EQ(expression.at("metric"), metric);
  EXPECT_EQ(expression.at("q"), 0.9);
  EXPECT_EQ(RunMain({"quantile", "histogram_quantile(", "--capture", "x"}).code, 2);
}

TEST(QuantileCommandTest, PrintsTheContractAsJson) {
  const Ran ran = RunMain({"quantile", std::string(kE2e) + "_bucket", "-q", "0.99", "--capture",
                           Capture("apiserver-bind-slow-A"), "--all-semantics", "-o", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("schema"), "schedlens.quantile/1");
  EXPECT_EQ(json.at("metric"), kE2e);
  EXPECT_EQ(json.at("bucket").at("low"), 2.048);
  EXPECT_EQ(json.at("bucket").at("high"), 4.096);
  const double low = json.at("interval").at("low"), high = json.at("interval").at("high");
  EXPECT_GT(low, 2.5);  // pod_scheduling_duration's 2.56 s
  EXPECT_EQ(high, 4.096);
  EXPECT_THAT(json.at("interval").at("basis").get<std::string>(),
              HasSubstr("pod_scheduling_duration"));
  const double estimate = json.at("estimate").at("value");
  EXPECT_GE(estimate, low);
  EXPECT_LE(estimate, high);
  for (const char* key : {"q", "shown", "rank", "sampling_interval", "reasons", "queries"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json.at("servers").size(), 10u);
}

TEST(QuantileCommandTest, APercentageIsToldAsAFraction) {
  const auto told = [](const char* q) {
    const Ran ran = RunMain({"quantile", kE2e, "-q", q, "--capture", "x"});
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_EQ(told("99"), "schedlens: -q 99: expected a number from 0 to 1; p99 is -q 0.99\n");
  EXPECT_EQ(told("99.9"), "schedlens: -q 99.9: expected a number from 0 to 1; p99.9 is -q 0.999\n");
  for (const char* q : {"-1", "101", "NaN", "p99"}) {
    EXPECT_THAT(told(q), HasSubstr("expected a number from 0 to 1, such as 0.99")) << q;
  }
}

TEST(QuantileCommandTest, SaysWhatMayBeMeantWhereNothingIsFound) {
  const auto told = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "quantile");
    arguments.insert(arguments.end(), {"--capture", Capture("apiserver-bind-slow-A")});
    const Ran ran = RunMain(arguments);
    EXPECT_EQ(ran.code, 5);
    return ran.err;
  };
  EXPECT_THAT(told({"scheduler_e2e_schedulng_duration_seconds"}),
              HasSubstr("; the nearest is scheduler_e2e_scheduling_duration_seconds_bucket\n"));
  EXPECT_THAT(told({"scheduler_scheduling_attempt_duration_seconds"}),
              HasSubstr("is not here: in this release it is called " + std::string(kE2e)));
  EXPECT_THAT(told({kE2e, "--selector", "job=\"kube-schedulr\""}),
              HasSubstr("the nearest is job="));
  EXPECT_THAT(told({kE2e, "--at", "2026-11-25T00:00Z"}), HasSubstr(": try --at 2026-11-21T"));
}

TEST(QuantileCommandTest, TheTextJudgesAnAlert) {
  const Ran ran = RunMain(
      {"quantile",
       "histogram_quantile(0.99, sum by (le) (rate(" + std::string(kE2e) + "_bucket[5m]))) > 3",
       "--capture", Capture("apiserver-bind-slow-A")});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("undecidable from this data"));
  EXPECT_THAT(ran.out, HasSubstr("decidable in every window: 2.048 or 4.096 s"));
  EXPECT_THAT(ran.out, HasSubstr("the truth is in"));
  EXPECT_THAT(ran.out, HasSubstr("in the bucket marked >"));
}

TEST(QuantileCommandTest, SaturationMeansMoreThan) {
  const Ran ran = RunMain(
      {"quantile", "scheduler_framework_extension_point_duration_seconds{extension_point=\"Bind\"}",
       "--capture", Capture("apiserver-bind-slow-A")});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("it means \"more than\""));
  EXPECT_THAT(ran.out, HasSubstr("and e2e_scheduling_duration"));
}

TEST(QuantileCommandTest, AMetricThatIsNotThereIsInsufficientData) {
  const Ran ran =
      RunMain({"quantile", "scheduler_nothing", "--capture", Capture("apiserver-bind-slow-A")});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("scheduler_nothing_bucket"));
}

}  // namespace
}  // namespace schedlens
