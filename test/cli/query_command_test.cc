#include "cli/query_command.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/run_main.h"

namespace schedlens {
namespace {

const std::string kCapture = std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz";

constexpr const char* kText =
    "# TYPE x counter\nx_total{a=\"b\"} 1 10\nx_total{a=\"b\"} 4 70.5\n# EOF\n";

TEST(QueryCommand, AsksAtTheLastSampleByDefault) {
  const Ran ran = RunMain({"query", "x_total", "--capture", "-", "-o", "json"}, kText);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "{\"resultType\":\"vector\",\"result\":[{\"metric\":{\"__name__\":\"x_total\","
            "\"a\":\"b\"},\"value\":[70.500,\"4\"]}]}\n");
  EXPECT_EQ(ran.err, "");
}

TEST(QueryCommand, AsksOverSteps) {
  const Ran ran = RunMain({"query", "x_total", "--capture", "-", "--start", "10", "--end", "40",
                           "--step", "30", "-o", "json"},
                          kText);
  EXPECT_EQ(ran.out,
            "{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"__name__\":\"x_total\","
            "\"a\":\"b\"},\"values\":[[10,\"1\"],[40,\"1\"]]}]}\n");
}

TEST(QueryCommand, FollowsTheSemantics) {
  const std::string promql = "sum(increase(scheduler_e2e_scheduling_duration_seconds_count[10s]))";
  const Ran old = RunMain({"query", promql, "--capture", kCapture, "--semantics", "2.42"});
  const Ran now = RunMain({"query", promql, "--capture", kCapture, "--semantics", "3.0"});
  EXPECT_EQ(old.code, 0) << old.err;
  EXPECT_NE(old.out, now.out);
}

TEST(QueryCommand, SaysWhenNothingMatched) {
  const Ran ran = RunMain({"query", "y", "--capture", "-"}, kText);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "nothing matched at 1970-01-01T00:01:10.500Z (the data runs from 1970-01-01T00:00:10Z "
            "to 1970-01-01T00:01:10.500Z)\n");
}

TEST(QueryCommand, PutsAnnotationsOnTheErrorStream) {
  const Ran ran = RunMain({"query", "histogram_quantile(2, x_total)", "--capture", "-"}, kText);
  EXPECT_NE(ran.err.find("quantile value should be between 0 and 1, got 2 (1:20)"),
            std::string::npos);
}

TEST(QueryCommand, RefusesInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
      {{"query", "x_total +", "--capture", "-"}, "PromQL 1:10: expected a number"},
      {{"query", "x_total", "--capture", "-", "--step", "1m"}, "--step needs --start and --end"},
      {{"query", "x_total", "--capture", "-", "--window", "1m", "--step", "0"}, "--step 0"},
      {{"query", "x_total", "--capture", "-", "--window", "lifetime"}, "has no steps"},
      {{"query", "--capture", "-"}, "expression"},
  };
  for (const auto& [arguments, says] : table) {
    const Ran ran = RunMain(arguments, kText);
    EXPECT_EQ(ran.code, 2) << says;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace schedlens
