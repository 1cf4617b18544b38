// The main job on recordings of real kube-schedulers: the true cause first, with the window given
// and with the window found, and shares as they really were.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/command.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;

const std::string kCaptures = std::string(SCHEDLENS_TEST_DATA) + "/captures/";

/// The findings that name a recording's true cause.
const std::map<std::string, std::set<std::string>>& Accepted() {
  static const std::map<std::string, std::set<std::string>> accepted = {
      {"extender_bind", {"bind.extender"}},
      {"bind", {"bind.apiserver"}},
      {"client_throttle", {"bind.client-throttling"}},
      {"extender_filter", {"algorithm.extender"}},
      {"prebind", {"prebind.volume"}},
      {"unschedulable", {"attempts.unschedulable", "preemption", "bind.apiserver"}},
      {"algorithm", {"algorithm.prescore"}},
  };
  return accepted;
}

struct Recording {
  std::string name;
  Json truth;
};

std::vector<Recording> Recordings() {
  std::vector<Recording> out;
  for (const auto& entry : std::filesystem::directory_iterator(kCaptures)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path());
    out.push_back({entry.path().stem(), Json::parse(in)});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

std::string Text(double seconds) { return FormatNumber(seconds); }

Json DiagnoseRecording(const Recording& recording, bool given) {
  std::vector<std::string> arguments = {
      "diagnose", "--capture", kCaptures + recording.name + ".om.gz",
      "-o",       "json",      "--no-cross-check"};
  if (given) {
    const auto& window = recording.truth.at("window").at("incident_scrapes");
    arguments.insert(arguments.end(), {"--start", Text(window.at(0)), "--end", Text(window.at(1))});
    for (const Json& phase : recording.truth.at("phases")) {
      if (phase.at("name") != "healthy") continue;
      arguments.insert(arguments.end(),
                       {"--baseline", Text(phase.at("start")) + "/" + Text(phase.at("end"))});
    }
  }
  const Ran ran = RunMain(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return Json::parse(ran.out);
}

TEST(DiagnoseRecordingsTest, TheTrueCauseComesFirst) {
  const std::vector<Recording> recordings = Recordings();
  ASSERT_EQ(recordings.size(), 12u);
  for (const Recording& recording : recordings) {
    const std::string cause = recording.truth.at("cause");
    for (const bool given : {true, false}) {
      const Json d = DiagnoseRecording(recording, given);
      if (cause == "none") {
        EXPECT_EQ(d.at("verdict"), "no-incident") << recording.name;
        EXPECT_TRUE(d.at("findings").empty()) << recording.name;
        continue;
      }
      ASSERT_FALSE(d.at("findings").empty()) << recording.name;
      const std::string first = d.at("findings").at(0).at("id");
      EXPECT_TRUE(Accepted().at(cause).contains(first)) << recording.name << ": " << first;
    }
  }
}

TEST(DiagnoseRecordingsTest, SharesAreTheTruthWithinHalfAPoint) {
  for (const Recording& recording : Recordings()) {
    const Json d = DiagnoseRecording(recording, true);
    const Json& all = recording.truth.at("stages").at("all");
    const double e2e = all.at("e2e_seconds");
    for (const Json& stage : d.at("stages")) {
      const std::string id = stage.at("id");
      // Up to 1.20 "bind" is binding_duration; later an extender's part lies in the remainder.
      if (id == "bind" &&
          !recording.truth.at("k8s_version").get<std::string>().starts_with("1.20")) {
        continue;
      }
      if (!all.at("seconds").contains(id) || stage.at("share").at("value").is_null()) continue;
      const double truth = all.at("seconds").at(id).get<double>() / e2e;
      EXPECT_NEAR(stage.at("share").at("value").get<double>(), truth, 0.005)
          << recording.name << " " << id;
    }
  }
}

TEST(DiagnoseCommandTest, FailOnGivesThree) {
  const std::string capture = kCaptures + "extender-bind-slow-A.om.gz";
  const std::vector<std::string> base = {"diagnose", "--capture", capture, "--no-cross-check"};
  auto certain = base, quiet = base;
  certain.insert(certain.end(), {"--fail-on", "certain"});
  EXPECT_EQ(RunMain(certain).code, 3);
  quiet[2] = kCaptures + "healthy-A.om.gz";
  quiet.insert(quiet.end(), {"--fail-on", "possible"});
  EXPECT_EQ(RunMain(quiet).code, 0);
}

// "Now" of a recording is its last sample, not this machine's clock.
TEST(DiagnoseCommandTest, TimesFromNowCountFromTheLastSample) {
  const std::string capture = kCaptures + "extender-bind-slow-A.om.gz";
  const auto window = [&](std::vector<std::string> times) {
    times.insert(times.begin(),
                 {"diagnose", "--capture", capture, "--no-cross-check", "--exact", "-o", "json"});
    const Ran ran = RunMain(times);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.code == 0 ? nlohmann::json::parse(ran.out).at("window") : nlohmann::json();
  };
  const nlohmann::json since = window({"--since", "8m"});
  EXPECT_EQ(window({"--start", "-8m"}), since);
  EXPECT_EQ(window({"--from", "now-8m", "--to", "now"}), since);
}

TEST(DiagnoseCommandTest, AWindowWithoutDataIsFive) {
  const Ran ran = RunMain({"diagnose", "--capture", kCaptures + "healthy-A.om.gz", "--start",
                           "1000000000", "--end", "1000000300"});
  EXPECT_EQ(ran.code, 5);
}

TEST(DiagnoseCommandTest, TheAlertIsShownAndJudged) {
  const Ran ran =
      RunMain({"diagnose", "--capture", kCaptures + "extender-bind-slow-A.om.gz",
               "--no-cross-check", "-o", "json", "--alert",
               "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket"
               "{job=\"kube-scheduler\"}[5m])) without(instance, pod)) > 3"});
  const Json alert = Json::parse(ran.out).at("alert");
  EXPECT_EQ(alert.at("threshold"), 3);
  EXPECT_EQ(alert.at("decided"), "above");
  EXPECT_GT(alert.at("shown").get<double>(), 3);
  EXPECT_GE(alert.at("interval").at("low").get<double>(), 4.096);
  EXPECT_LE(alert.at("interval").at("high").get<double>(), 8.192);
}

/// The built-in scenario of a slow webhook, which refuses a part of the bindings besides.
std::string HeadlineOfRefusing(const std::string& part) {
  const std::string slow =
      "quota.policy.example, cost: \"0.92*ln(0.004,0.4)+0.08*u(1*severity,"
      "3*severity)\"";
  std::string scenario = RunMain({"simulate", "--show", "apiserver.webhook"}).out;
  const std::size_t at = scenario.find(slow);
  if (at == std::string::npos) return "the scenario changed";
  scenario.insert(at + slow.size(), ", fail: " + part);
  const TempDir dir;
  const std::string file = dir.Write("refusing.yaml", scenario);
  const Ran ran = RunMain({"diagnose", "--scenario", file, "-o", "json"});
  return nlohmann::json::parse(ran.out)["headline"];
}

TEST(Diagnose, RefusedBindingsLeadWhateverTookTheTime) {
  EXPECT_THAT(HeadlineOfRefusing("0.1"),
              testing::StartsWith("Proven: the webhook quota.policy.example refuses or fails 9."));
  EXPECT_THAT(HeadlineOfRefusing("0.02"),
              testing::StartsWith("Likely: the webhook quota.policy.example is slow"))
      << "less than one in twenty";
}

}  // namespace
}  // namespace schedlens
