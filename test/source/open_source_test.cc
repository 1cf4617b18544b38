#include "source/open_source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "open_source_" + name;
  std::ofstream(path) << text;
  return path;
}

std::string UsageError(const SourceOptions& options) {
  try {
    OpenSource(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(OpenSource, ExactlyOneSourceIsNamed) {
  EXPECT_EQ(UsageError({}).rfind("no source: give --prometheus URL", 0), 0u);
  SourceOptions two;
  two.prometheus = "http://h";
  two.capture = "f";
  EXPECT_EQ(UsageError(two).rfind("several sources", 0), 0u);
  SourceOptions half;
  half.scrape_before = "f";
  EXPECT_EQ(UsageError(half), "give both --scrape-before and --scrape-after");
  for (std::string SourceOptions::*source :
       {&SourceOptions::prometheus, &SourceOptions::scrape_before}) {
    SourceOptions lifetime;
    lifetime.*source = "http://h";
    lifetime.since_start = true;
    EXPECT_EQ(UsageError(lifetime).rfind("--window lifetime is for one /metrics page", 0), 0u);
  }
  SourceOptions scenario;
  scenario.scenario = "x";
  EXPECT_EQ(UsageError(scenario), "this command does not take --scenario");
}

TEST(OpenSource, ACapture) {
  SourceOptions options;
  options.capture = Write("capture.om", "# TYPE a counter\na_total 1 10\na_total 4 20\n# EOF\n");
  options.semantics = ParseSemantics("2.42");
  const auto source = OpenSource(options);
  const SourceInfo info = source->Describe();
  EXPECT_EQ(info.kind, "capture");
  EXPECT_EQ(info.name, options.capture);
  EXPECT_EQ(ToString(info.semantics), "2.42");
  ASSERT_TRUE(info.extent);
  EXPECT_EQ(*info.extent, (TimeRange{10000, 20000}));
  const Answer raw =
      source->Ask({.promql = "a_total[20s]", .start = 20000, .end = 20000, .step_ms = 0});
  ASSERT_EQ(raw.series.size(), 1u);
  EXPECT_EQ(raw.series[0].samples, (std::vector<Sample>{{10000, 1}, {20000, 4}}));
}

TEST(OpenSource, AScrapePairTakesTheTimesOfItsFiles) {
  SourceOptions options;
  options.scrape_before = Write("before", "# TYPE a counter\na_total 1\n");
  options.scrape_after = Write("after", "# TYPE a counter\na_total 4\n");
  const auto written = fs::last_write_time(options.scrape_after);
  fs::last_write_time(options.scrape_before, written - std::chrono::seconds(90));
  SourceInfo info = OpenSource(options)->Describe();
  EXPECT_EQ(info.extent->end - info.extent->start, 90000);
  EXPECT_TRUE(info.warnings.empty());

  fs::last_write_time(options.scrape_before, written + std::chrono::seconds(1));
  info = OpenSource(options)->Describe();
  EXPECT_EQ(info.extent->end - info.extent->start, 300000);
  ASSERT_EQ(info.warnings.size(), 1u);
  EXPECT_NE(InEnglish(info.warnings[0]).find("5m is assumed"), std::string::npos);
}

TEST(OpenSource, APageCountsSinceItsProcessStarted) {
  SourceOptions options;
  options.since_start = true;
  const std::string counters =
      "# TYPE x_seconds histogram\nx_seconds_bucket{le=\"+Inf\"} 4\nx_seconds_sum 7.5\n"
      "x_seconds_count 4\n# TYPE pods gauge\npods 9\n";
  options.capture = Write("page", counters + "process_start_time_seconds 1700000000.5\n");
  const auto source = OpenSource(options);
  const SourceInfo info = source->Describe();
  EXPECT_EQ(info.kind, "scrape-pair");
  EXPECT_EQ(info.extent->start, 1700000000500);
  EXPECT_EQ(info.warnings.back().id, "source.since_start");
  const TimeMs now = info.extent->end;
  const auto values = [&](const std::string& metric) {
    std::vector<double> all;
    for (const Series& one : source->Ask({metric + "[99y]", now, now, 0}).series) {
      for (const Sample& sample : one.samples) all.push_back(sample.v);
    }
    return all;
  };
  EXPECT_EQ(values("x_seconds_sum"), (std::vector<double>{0, 7.5}));
  EXPECT_EQ(values("pods"), (std::vector<double>{9}));
  // Without a start it is not known since when.
  options.capture = Write("no_start", counters);
  EXPECT_THROW(OpenSource(options), Error);
}

TEST(OpenSource, WhatAnotherTimeIsWrittenBesideIsNoPartOfThePage) {
  SourceOptions options;
  options.since_start = true;
  options.capture = Write("stray",
                          "stray 7 1700000900000\na_total 4\n"
                          "process_start_time_seconds 1700000000.5\n");
  const SourceInfo info = OpenSource(options)->Describe();
  EXPECT_EQ(info.extent->start, 1700000000500);
  ASSERT_EQ(info.warnings.size(), 2u);
  EXPECT_NE(InEnglish(info.warnings[0]).find("1 series of the page"), std::string::npos);
}

// It has a beginning of its own, and all else that is read of a recording.
TEST(OpenSource, ARecordingIsNoPage) {
  SourceOptions options;
  options.since_start = true;
  options.capture = Write("recording.om",
                          "# semantics: 3.5\na_total 1 10\na_total 4 20\n"
                          "# HELP schedlens_native_histograms x_seconds 20000 {count:3, sum:5, "
                          "(1,2]:3}\n# EOF\n");
  const auto source = OpenSource(options);
  const SourceInfo info = source->Describe();
  EXPECT_EQ(info.kind, "capture");
  EXPECT_EQ(ToString(info.semantics), "3.5");
  EXPECT_EQ(info.extent, (TimeRange{10000, 20000}));
  EXPECT_EQ(source->Ask({"x_seconds_bucket", 20000, 20000, 0}).series.size(), 3u);
}

TEST(OpenSource, AScenarioGoesToItsFactory) {
  SourceOptions options;
  options.scenario = "bind-slow";
  std::string asked;
  const auto source = OpenSource(options, [&](const SourceOptions& given) {
    asked = given.scenario;
    SourceOptions capture;
    capture.capture = Write("scenario.om", "a 1 10\n# EOF\n");
    return OpenSource(capture);
  });
  EXPECT_EQ(asked, "bind-slow");
  EXPECT_NE(source, nullptr);
}

}  // namespace
}  // namespace schedlens
