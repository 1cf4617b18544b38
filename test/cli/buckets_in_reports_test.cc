// Recordings whose buckets make no picture, each in every format: the report says so in words and
// prints no number that is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kEveryFormat = {"text", "json",  "markdown",
                                               "html", "slack", "grafana-annotation"};

Ran Report(const std::string& capture, const std::string& format, const std::string& lang) {
  return RunMain({"diagnose", "--capture", capture, "-o", format, "--lang", lang});
}

void ExpectReports(const std::string& capture, int code) {
  // A sentence may say that a server shows NaN.
  const std::regex none("(^|[^A-Za-z])(nan|inf|-Inf)($|[^A-Za-z])");
  for (const std::string& format : kEveryFormat) {
    for (const char* lang : {"en", "zh"}) {
      SCOPED_TRACE(format + " " + lang);
      const Ran ran = Report(capture, format, lang);
      EXPECT_EQ(ran.code, code) << ran.err;
      EXPECT_FALSE(std::regex_search(ran.out, none));
    }
  }
}

TEST(BucketsInReportsTest, TwoBucketsThatNeverMeetAreNoHistogram) {
  const TempDir dir;
  const std::string start =
      "scheduler_e2e_scheduling_duration_seconds_bucket{instance=\"127.0.0.1:23003\","
      "job=\"kube-scheduler\",profile=\"default-scheduler\",result=\"scheduled\",le=";
  const std::string capture = dir.Write("m.om", start + "\"0.256\"} 12328 1795223830.353\n" +
                                                    start + "\"0.512\"} 4787 1795223430.353\n");
  ExpectReports(capture, 5);
}

TEST(BucketsInReportsTest, BoundsThatChangeWithAReleaseAreSaid) {
  const std::string capture = SCHEDLENS_TEST_DATA "/bounds/changed.om.gz";
  ExpectReports(capture, 0);
  for (const char* format : {"json", "markdown", "html"}) {
    EXPECT_THAT(Report(capture, format, "en").out,
                HasSubstr("the bucket bounds changed at 2026-11-21T01:12:00.353Z"))
        << format;
  }
  EXPECT_THAT(Report(capture, "markdown", "zh").out, HasSubstr("桶的边界在"));
}

}  // namespace
}  // namespace schedlens
