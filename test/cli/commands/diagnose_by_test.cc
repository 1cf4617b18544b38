#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/exposition.h"
#include "base/file.h"
#include "cli/commands/diagnose.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;

/// Recordings of single schedulers as those of several clusters in one file.
std::string ManyClusters(const TempDir& dir,
                         const std::vector<std::pair<std::string, std::string>>& clusters) {
  Exposition all;
  for (const auto& [cluster, recording] : clusters) {
    Exposition one = ReadExposition(
        std::string(SCHEDLENS_TEST_DATA) + "/captures/" + recording + ".om.gz", std::nullopt);
    for (Series& series : one.series) {
      series.labels = series.labels.With("cluster", cluster);
      all.series.push_back(std::move(series));
    }
  }
  return dir.Write("all.om", WriteOpenMetrics(all));
}

/// What is not known is not a number.
double Number(const Json& object, const char* field) {
  const Json& value = object.at(field).at("value");
  return value.is_null() ? -1 : value.get<double>();
}

/// The same with every series twice: by both Prometheus of a pair whose store keeps both.
std::string ScrapedTwice(const TempDir& dir, const std::string& file) {
  const Exposition once = ReadExposition(file, std::nullopt);
  Exposition twice;
  for (const char* replica : {"prometheus-0", "prometheus-1"}) {
    for (Series series : once.series) {
      series.labels = series.labels.With("prometheus_replica", replica);
      twice.series.push_back(std::move(series));
    }
  }
  return dir.Write("twice.om", WriteOpenMetrics(twice));
}

TEST(DiagnoseByTest, NeedsALabel) {
  EXPECT_EQ(RunMain({"diagnose", "--capture", "x", "--by", ""}).code, 2);
}

TEST(DiagnoseByTest, WhatAPairOfPrometheusScrapedTwiceCountsOnce) {
  const TempDir dir;
  const std::string once =
      ManyClusters(dir, {{"calm", "healthy-A"}, {"east", "extender-bind-slow-A"}});
  const std::string twice = ScrapedTwice(dir, once);
  std::vector<Json> documents;
  for (const std::string& file : {once, twice}) {
    const Ran ran = RunMain(
        {"diagnose", "--capture", file, "--by", "cluster", "-o", "json", "--no-cross-check"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    documents.push_back(Json::parse(ran.out));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& a = documents[0].at("diagnoses")[i];
    const Json& b = documents[1].at("diagnoses")[i];
    EXPECT_EQ(Number(a, "attempts"), Number(b, "attempts"));
    EXPECT_EQ(a.at("headline"), b.at("headline"));
    EXPECT_EQ(a.dump().find("prometheus_replica"), std::string::npos);
    EXPECT_NE(b.at("warnings").dump().find("scraped more than once"), std::string::npos);
  }
}

TEST(DiagnoseByTest, EachClusterItsCauseWorstFirst) {
  const TempDir dir;
  const std::string file = ManyClusters(dir, {{"calm", "healthy-A"},
                                              {"east", "extender-bind-slow-A"},
                                              {"west", "restart-and-two-replicas-A"}});
  const Ran ran = RunMain({"diagnose", "--capture", file, "--by", "cluster", "-o", "json",
                           "--no-cross-check", "--fail-on", "certain"});
  ASSERT_EQ(ran.code, 3) << ran.err;
  const Json document = Json::parse(ran.out);
  const Json& summary = document.at("summary");
  ASSERT_EQ(summary.size(), 3u);
  EXPECT_EQ(summary[0].at("value"), "east");
  EXPECT_EQ(summary[0].at("finding"), "bind.extender");
  EXPECT_EQ(summary[1].at("value"), "west");
  EXPECT_EQ(summary[1].at("finding"), "bind.apiserver");
  EXPECT_EQ(summary[2].at("value"), "calm");
  EXPECT_EQ(summary[2].at("verdict"), "no-incident");

  // Sums lose what a restart hides in them: this cluster was asked for its own samples.
  const Json& west = document.at("diagnoses")[1];
  EXPECT_NE(west.at("warnings").dump().find("its own samples were queried"), std::string::npos);
  const Ran own = RunMain({"diagnose", "--capture", file, "--selector", "cluster=\"west\"", "-o",
                           "json", "--no-cross-check"});
  ASSERT_EQ(own.code, 0) << own.err;
  const Json whole = Json::parse(own.out);
  EXPECT_EQ(Number(west, "attempts"), Number(whole, "attempts"));
  EXPECT_EQ(west.at("alert").at("shown"), whole.at("alert").at("shown"));
  ASSERT_EQ(west.at("findings").size(), whole.at("findings").size());
  for (std::size_t i = 0; i < whole.at("findings").size(); ++i) {
    EXPECT_EQ(west.at("findings")[i].at("id"), whole.at("findings")[i].at("id"));
  }

  // A cluster with one process loses nothing: the increases are those of its own samples.
  const Json& east = document.at("diagnoses")[0];
  // (its window ends between scrapes of 5 s, where one that is given would move to the next one)
  const auto time = [](const Json& t, double less = 0) {
    return std::to_string(t.get<double>() - less);
  };
  const Ran alone =
      RunMain({"diagnose", "--capture", file, "--selector", "cluster=\"east\"", "-o", "json",
               "--no-cross-check", "--start", time(east.at("window").at("start")), "--end",
               time(east.at("window").at("end"), 4.999), "--exact"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const Json single = Json::parse(alone.out);
  EXPECT_EQ(Number(east, "attempts"), Number(single, "attempts"));
  EXPECT_NEAR(Number(east, "e2e_seconds"), Number(single, "e2e_seconds"), 1e-9);
  EXPECT_NEAR(east.at("alert").at("shown").get<double>(),
              single.at("alert").at("shown").get<double>(), 0.05);
  ASSERT_EQ(east.at("stages").size(), single.at("stages").size());
  for (std::size_t i = 0; i < east.at("stages").size(); ++i) {
    const Json& a = east.at("stages")[i];
    const Json& b = single.at("stages")[i];
    EXPECT_EQ(a.at("id"), b.at("id"));
    EXPECT_NEAR(Number(a, "seconds"), Number(b, "seconds"), 1e-6) << a.at("id");
  }
}

TEST(DiagnoseByTest, BeyondEightThatRestartedTheWarningSaysHowMuchIsLeftOut) {
  const TempDir dir;
  std::vector<std::pair<std::string, std::string>> clusters;
  for (char c = 'a'; c <= 'j'; ++c) {
    clusters.emplace_back(std::string("c") + c, "restart-and-two-replicas-A");
  }
  const std::string file = ManyClusters(dir, clusters);
  const Ran ran =
      RunMain({"diagnose", "--capture", file, "--by", "cluster", "-o", "json", "--no-cross-check"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json document = Json::parse(ran.out);
  int own = 0, summed = 0;
  for (const Json& part : document.at("diagnoses")) {
    const std::string warnings = part.at("warnings").dump();
    own += warnings.find("its own samples were queried, not their sums") != std::string::npos;
    const auto at = warnings.find("% of the window lies in such columns of c");
    if (at == std::string::npos) continue;
    ++summed;
    EXPECT_NE(warnings.find("the first from 2026-11-21T01:"), std::string::npos) << warnings;
    EXPECT_NE(warnings.find("8 values with as many or more were queried", at), std::string::npos);
    EXPECT_NE(warnings.find("cluster=", at), std::string::npos) << warnings;
  }
  EXPECT_EQ(own, 8);
  EXPECT_EQ(summed, 2);
}

TEST(DiagnoseByTest, TheAlertKeepsTheLabel) {
  const TempDir dir;
  const std::string file =
      ManyClusters(dir, {{"calm", "healthy-A"}, {"east", "extender-bind-slow-A"}});
  const Ran ran = RunMain(
      {"diagnose", "--capture", file, "--by", "cluster", "-o", "json", "--no-cross-check",
       "--alert",
       "histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket{result=\"scheduled\"}[2m]))) > 1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json document = Json::parse(ran.out);
  const Json& alert = document.at("diagnoses")[0].at("alert");
  EXPECT_NE(alert.at("expr").get<std::string>().find("sum by (le, cluster)"), std::string::npos);
  EXPECT_EQ(alert.at("labels"), Json({{"cluster", "east"}}));
  EXPECT_GT(alert.at("shown"), 1);
  EXPECT_EQ(alert.at("decided"), "above");
  EXPECT_LT(document.at("diagnoses")[1].at("alert").at("shown"), 1);
}

TEST(DiagnoseByTest, OnePageOfAllClusters) {
  const TempDir dir;
  const std::string file =
      ManyClusters(dir, {{"calm", "healthy-A"}, {"east", "extender-bind-slow-A"}});
  const std::string written = dir.path() + "/all.html";
  const Ran ran = RunMain({"diagnose", "--capture", file, "--by", "cluster", "-o", "html",
                           "--no-cross-check", "--export-html", written});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ReadFile(written), ran.out);
  const std::size_t east = ran.out.find("<th scope=\"row\"><a href=\"#group-1\">east</a>");
  const std::size_t calm = ran.out.find("<th scope=\"row\">calm</th>");
  ASSERT_NE(east, std::string::npos) << ran.out.substr(0, 4000);
  ASSERT_NE(calm, std::string::npos) << ran.out.substr(0, 4000);
  EXPECT_LT(east, calm);
  EXPECT_NE(ran.out.find("<code>bind.extender</code>"), std::string::npos);
  // Without an alert the default quantile is no alert.
  EXPECT_NE(ran.out.find(">p99 shows<"), std::string::npos);
  EXPECT_EQ(ran.out.find(">alert shows<"), std::string::npos);
}

TEST(DiagnoseByTest, WhatCannotBeSplitIsSaid) {
  const TempDir dir;
  const std::string file = ManyClusters(dir, {{"calm", "healthy-A"}});
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"diagnose", "--capture", file});
    return RunMain(more);
  };
  const Ran unknown = run({"--by", "region"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("have no label region"), std::string::npos) << unknown.err;
  EXPECT_EQ(run({"--by", "9; drop"}).code, 2);
  const Ran slack = run({"--by", "cluster", "-o", "slack"});
  EXPECT_EQ(slack.code, 2);
  EXPECT_NE(slack.err.find("text, json, markdown and html"), std::string::npos) << slack.err;
  EXPECT_EQ(run({"--by", "cluster", "--selector", "job=\"nobody\""}).code, 5);
}

}  // namespace
}  // namespace schedlens
