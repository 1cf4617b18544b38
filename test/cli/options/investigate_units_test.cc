#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/exposition.h"
#include "base/text.h"
#include "cli/options/investigate.h"
#include "cli/process.h"
#include "cli/run_main.h"
#include "support/without_source.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;

Exposition Recording(const std::string& name) {
  return ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz",
                        std::nullopt);
}

constexpr TimeMs kStart = 1'795'200'000'000;

/// The recording with these labels, moved to begin at kStart.
void Add(Exposition recording, const std::vector<Labels::View>& labels, Exposition* all) {
  TimeMs first = INT64_MAX;
  for (const Series& series : recording.series) first = std::min(first, series.samples.front().t);
  for (Series& series : recording.series) {
    const bool start = series.labels.Get(kMetricName) == "process_start_time_seconds";
    for (Sample& sample : series.samples) {
      sample.t += kStart - first;
      if (start) sample.v += static_cast<double>(kStart - first) / 1000;
    }
    for (const auto& [name, value] : labels) series.labels = series.labels.With(name, value);
    all->series.push_back(std::move(series));
  }
}

/// A sick and a calm scheduler, with these labels.
std::string TwoSchedulers(const TempDir& dir, const std::vector<Labels::View>& calm,
                          const std::vector<Labels::View>& sick) {
  Exposition all;
  Add(Recording("healthy-A"), calm, &all);
  Add(Recording("extender-bind-slow-A"), sick, &all);
  return dir.Write("two.om", WriteOpenMetrics(all));
}

Json Diagnose(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"diagnose", "--no-cross-check", "-o", "json"});
  const Ran ran = RunMain(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return Json::parse(ran.out, nullptr, false);
}

TEST(InvestigateUnitsTest, TheWorstClusterIsJudgedAsIfItWereAlone) {
  const TempDir dir;
  const std::string file = TwoSchedulers(dir, {{"cluster", "calm"}}, {{"cluster", "east"}});
  Json document = Diagnose({"--capture", file});
  const Json units = document.at("units");
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].at("labels"), (Json{{"cluster", "east"}}));
  EXPECT_EQ(units[0].at("verdict"), "incident");
  EXPECT_EQ(units[0].at("headline"), document.at("headline"));
  EXPECT_EQ(units[0].at("shown"), document.at("alert").at("shown"));
  EXPECT_EQ(units[1].at("labels"), (Json{{"cluster", "calm"}}));
  EXPECT_EQ(units[1].at("verdict"), "no-incident");
  EXPECT_EQ(document.at("findings").at(0).at("id"), "bind.extender");
  EXPECT_EQ(document.at("alert").at("population").at("cluster"), "east");

  const Json alone =
      Diagnose({"--capture", file, "--selector", "job=~\"kube-scheduler\",cluster=\"east\""});
  document["units"] = Json::array();
  const Json expected = test::WithoutSource(alone), judged = test::WithoutSource(document);
  EXPECT_TRUE(judged == expected) << Json::diff(expected, judged).dump(1);
  // Its next steps are of that scheduler, too.
  EXPECT_NE(document.dump().find("--selector 'cluster=\\\"east\\\"'"), std::string::npos);
}

TEST(InvestigateUnitsTest, ASecondSchedulerOfTheSameJobIsJudgedByItself) {
  const TempDir dir;
  const std::string file =
      TwoSchedulers(dir, {{"instance", "10.9.9.9:10259"}, {"pod", "second-scheduler"}}, {});
  const Json document = Diagnose({"--capture", file});
  ASSERT_EQ(document.at("units").size(), 2u);
  EXPECT_EQ(document.at("units")[1].at("labels").at("instance"), "10.9.9.9:10259");
  EXPECT_EQ(document.at("findings").at(0).at("id"), "bind.extender");
}

TEST(InvestigateUnitsTest, ReplicasOfOneElectionAreOne) {
  const Json document = Diagnose({"--capture", std::string(SCHEDLENS_TEST_DATA) +
                                                   "/captures/restart-and-two-replicas-A.om.gz"});
  EXPECT_TRUE(document.at("units").empty());
}

TEST(InvestigateUnitsTest, TheSecondLineOfTheTextSaysWhichOneItIsAbout) {
  const TempDir dir;
  const std::string file = TwoSchedulers(dir, {{"cluster", "calm"}}, {{"cluster", "east"}});
  for (const auto& [format, line] : {std::pair("text", 2), {"slack", 2}, {"markdown", 3}}) {
    const Ran ran = RunMain({"diagnose", "--no-cross-check", "--capture", file, "-o", format});
    std::istringstream in(ran.out);
    std::string text;
    for (int i = 0; i < line; ++i) std::getline(in, text);
    EXPECT_NE(text.find("cluster=\"east\""), std::string::npos) << format << ": " << text;
    EXPECT_NE(text.find("the worst of 2 here"), std::string::npos) << format << ": " << text;
  }
}

TEST(InvestigateUnitsTest, AnAlertJudgesTheClusterThatItFiredFor) {
  const TempDir dir;
  const std::string file = TwoSchedulers(dir, {{"cluster", "calm"}}, {{"cluster", "east"}});
  const auto hook = [&](const char* cluster) {
    return dir.Write(fmt::format("{}.json", cluster),
                     fmt::format(R"({{"alerts":[{{"status":"firing","labels":{{"alertname":"Slow",
      "cluster":"{}","severity":"page"}},"startsAt":"{}",
      "generatorURL":"http://p/graph?g0.expr=histogram_quantile(0.99%2Csum%20by%20(le%2Ccluster)(rate(scheduler_e2e_scheduling_duration_seconds_bucket%5B1m%5D)))%20%3E%200.0001"}}]}})",
                                 cluster, FormatTime(kStart + 300'000)));
  };
  const std::string from = fmt::format("{}", kStart / 1000 + 60);
  const std::string to = fmt::format("{}", kStart / 1000 + 480);
  const Json calm =
      Diagnose({"--capture", file, "--webhook", hook("calm"), "--start", from, "--end", to});
  EXPECT_EQ(calm.at("alert").at("population").at("cluster"), "calm");
  EXPECT_EQ(calm.at("alert").at("labels").at("cluster"), "calm");
  EXPECT_EQ(calm.at("alert").at("fires").at("state"), "yes");

  const Ran none = RunMain(
      {"diagnose", "--capture", file, "--webhook", hook("west"), "--start", from, "--end", to});
  EXPECT_EQ(none.code, 5);
  EXPECT_NE(none.out.find("cluster=\"east\""), std::string::npos) << none.out;
}

}  // namespace
}  // namespace schedlens
