#include <gtest/gtest.h>

#include <string>

#include "cli/command.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

constexpr const char* kText =
    "# TYPE x counter\nx_total{a=\"b\"} 1 10\nx_total{a=\"b\"} 4 70.5\n# EOF\n";

std::string Capture() {
  static const TempDir dir;
  static const std::string path = dir.Write("x.om", kText);
  return path;
}

TEST(QueryCommand, AsksAtTheLastSampleByDefault) {
  const Ran ran = RunMain({"query", "x_total", "--capture", Capture(), "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "{\"resultType\":\"vector\",\"result\":[{\"metric\":{\"__name__\":\"x_total\","
            "\"a\":\"b\"},\"value\":[70.500,\"4\"]}]}\n");
  EXPECT_EQ(ran.err, "");
}

TEST(QueryCommand, AsksOverSteps) {
  const Ran ran = RunMain({"query", "x_total", "--capture", Capture(), "--start", "10", "--end",
                           "40", "--step", "30", "-o", "json"});
  EXPECT_EQ(ran.out,
            "{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"__name__\":\"x_total\","
            "\"a\":\"b\"},\"values\":[[10,\"1\"],[40,\"1\"]]}]}\n");
}

TEST(QueryCommand, FollowsTheSemantics) {
  // The window's left edge is a sample: in it up to 2.55, out of it from 3.0 on.
  const std::vector<std::string> ask = {"query", "delta(x_total[60500ms])", "--capture", Capture(),
                                        "--semantics"};
  std::vector<std::string> old = ask;
  old.push_back("2.42");
  std::vector<std::string> now = ask;
  now.push_back("3.0");
  EXPECT_EQ(RunMain(old).out, "VALUE  SERIES\n    3  {a=\"b\"}\n");
  EXPECT_EQ(RunMain(now).out, "");
}

TEST(QueryCommand, ReadsARecording) {
  const std::string capture = std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz";
  const Ran ran = RunMain({"query", "count(scheduler_e2e_scheduling_duration_seconds_bucket) > 10",
                           "--capture", capture, "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":["),
            std::string::npos)
      << ran.out;
}

TEST(QueryCommand, SaysWhenNothingMatched) {
  const Ran ran = RunMain({"query", "y", "--capture", Capture()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "nothing matched at 1970-01-01T00:01:10.500Z (the data runs from 1970-01-01T00:00:10Z "
            "to 1970-01-01T00:01:10.500Z)\nno metric here is called y\n");
}

TEST(QueryCommand, NamesWhatMayBeMeant) {
  const auto told = [](const std::string& expression) {
    return RunMain({"query", expression, "--capture", Capture()}).err;
  };
  EXPECT_NE(told("rate(x_totl[1m]) / x_totl")
                .find("\nno metric here is called x_totl; the nearest "
                      "is x_total\n"),
            std::string::npos);
  EXPECT_NE(told("x_total{a=\"bb\"} and x_total")
                .find("\nno series of x_total has a=\"bb\"; the nearest is a=\"b\"\n"),
            std::string::npos);
  EXPECT_EQ(told("x_total > 100").find("no "), std::string::npos);
}

TEST(QueryCommand, PutsAnnotationsOnTheErrorStream) {
  const Ran ran = RunMain({"query", "histogram_quantile(2, x_total)", "--capture", Capture()});
  EXPECT_NE(ran.err.find("quantile value should be between 0 and 1, got 2 (1:20)"),
            std::string::npos);
}

TEST(QueryCommand, RefusesInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
      {{"query", "x_total +", "--capture", Capture()}, "PromQL 1:10: expected a number"},
      {{"query", "x_total", "--capture", Capture(), "--step", "1m"},
       "--step needs --start and --end"},
      {{"query", "x_total", "--capture", Capture(), "--window", "1m", "--step", "0"}, "--step 0"},
      {{"query", "x_total", "--capture", Capture(), "--window", "lifetime"}, "has no steps"},
      {{"query", "--capture", Capture()}, "query needs EXPR"},
  };
  for (const auto& [arguments, says] : table) {
    const Ran ran = RunMain(arguments);
    EXPECT_EQ(ran.code, 2) << says;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace schedlens
