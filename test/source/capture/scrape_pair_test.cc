#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

constexpr const char* kBefore =
    "# TYPE x_seconds histogram\n"
    "x_seconds_bucket{le=\"1\"} 3\n"
    "x_seconds_bucket{le=\"+Inf\"} 4\n"
    "x_seconds_sum 7.5\n"
    "x_seconds_count 4\n"
    "# TYPE pods gauge\n"
    "pods{queue=\"active\"} 9\n"
    "pods{queue=\"gone\"} 1\n"
    "# TYPE process_start_time_seconds gauge\n"
    "process_start_time_seconds 100.5\n";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<Series> Join(const std::string& before, const std::string& after, TimeMs start = 1000,
                         TimeMs end = 61000) {
  return JoinScrapes(ParseExposition(before, "before", start),
                     ParseExposition(after, "after", end));
}

std::string ErrorOf(const std::string& before, const std::string& after) {
  try {
    Join(before, after);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

const Series* Find(const std::vector<Series>& all, const std::string& text) {
  for (const Series& series : all) {
    if (series.labels.ToString() == text) return &series;
  }
  return nullptr;
}

TEST(ScrapePair, BothPagesMakeOneSeries) {
  std::string after = Replaced(kBefore, "+Inf\"} 4", "+Inf\"} 9");
  after = Replaced(after, "pods{queue=\"active\"} 9", "pods{queue=\"active\"} 2");
  after = Replaced(after, "pods{queue=\"gone\"} 1\n", "");
  const auto joined = Join(kBefore, after);
  const Series* bucket = Find(joined, "x_seconds_bucket{le=\"+Inf\"}");
  ASSERT_NE(bucket, nullptr);
  EXPECT_EQ(bucket->samples, (std::vector<Sample>{{1000, 4}, {61000, 9}}));
  EXPECT_EQ(Find(joined, "pods{queue=\"active\"}")->samples,
            (std::vector<Sample>{{1000, 9}, {61000, 2}}));
  EXPECT_EQ(Find(joined, "pods{queue=\"gone\"}")->samples, (std::vector<Sample>{{1000, 1}}));
}

TEST(ScrapePair, WhatCountsAndIsNewStartedAtZero) {
  const std::string after = std::string(kBefore) +
                            "# TYPE y_seconds histogram\n"
                            "y_seconds_bucket{le=\"+Inf\"} 2\ny_seconds_sum 1\ny_seconds_count 2\n"
                            "# TYPE z gauge\nz 5\n";
  const auto joined = Join(kBefore, after);
  for (const char* name : {"y_seconds_bucket{le=\"+Inf\"}", "y_seconds_sum", "y_seconds_count"}) {
    ASSERT_EQ(Find(joined, name)->samples.size(), 2u) << name;
    EXPECT_EQ(Find(joined, name)->samples[0], (Sample{1000, 0}));
  }
  EXPECT_EQ(Find(joined, "z")->samples, (std::vector<Sample>{{61000, 5}}));
}

TEST(ScrapePair, APageThatLostItsTypesStillHasHistograms) {
  const std::string after =
      std::string(kBefore) + "y_bucket{le=\"+Inf\"} 2\ny_sum 1\ny_count 2\nsold_sum 5\n";
  const auto joined = Join(kBefore, after);
  for (const char* name : {"y_bucket{le=\"+Inf\"}", "y_sum", "y_count"}) {
    EXPECT_EQ(Find(joined, name)->samples.front(), (Sample{1000, 0})) << name;
  }
  EXPECT_EQ(Find(joined, "sold_sum")->samples, (std::vector<Sample>{{61000, 5}}));
}

TEST(ScrapePair, ARestartIsAnErrorThatNamesTheSeries) {
  EXPECT_NE(ErrorOf(kBefore, Replaced(kBefore, "100.5", "160.5"))
                .find("process_start_time_seconds went from 100.5 to 160.5"),
            std::string::npos);
  EXPECT_NE(ErrorOf(kBefore, Replaced(kBefore, "le=\"1\"} 3", "le=\"1\"} 2"))
                .find("x_seconds_bucket{le=\"1\"} went from 3 down to 2"),
            std::string::npos);
  const std::string no_start =
      Replaced(Replaced(kBefore, "# TYPE process_start_time_seconds gauge\n", ""),
               "process_start_time_seconds 100.5\n", "");
  EXPECT_NE(ErrorOf(no_start, Replaced(no_start, "x_seconds_count 4\n", ""))
                .find("x_seconds_count is gone"),
            std::string::npos);
  EXPECT_EQ(ErrorOf(no_start, no_start), "no error");
}

TEST(ScrapePair, ASumMayShrinkAndAGaugeToo) {
  EXPECT_EQ(ErrorOf(kBefore, Replaced(kBefore, "sum 7.5", "sum 7")), "no error");
}

TEST(ScrapePair, WithoutTypesTheNamesDecide) {
  EXPECT_NE(ErrorOf("a_total 5\n", "a_total 4\n").find("a_total went from 5 down to 4"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("# TYPE a_total gauge\na_total 5\n", "# TYPE a_total gauge\na_total 4\n"),
            "no error");
}

TEST(ScrapePair, TimesMustBeInOrder) { EXPECT_THROW(Join(kBefore, kBefore, 5000, 5000), Error); }

TEST(ScrapePair, ARecordingIsNoPage) {
  EXPECT_NE(ErrorOf("a_total 1 1000\na_total 2 2000\n", "a_total 3\n").find("--capture"),
            std::string::npos);
}

}  // namespace
}  // namespace schedlens
