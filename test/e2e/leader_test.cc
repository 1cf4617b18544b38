// Two replicas of which the second takes over inside the window, behind a real Prometheus: said
// from the counts alone, and by the election's own metric where it is scraped.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

constexpr const char* kElection = "leader_election_master_status";
/// When the scenario kills the leader; a standby leads 15 s later.
constexpr TimeMs kLeaderDies = 350'000;
constexpr TimeMs kStandbyLeads = kLeaderDies + 15'000;

/// A run of the scenario data.leader-change.
Exposition Simulated(const TempDir& work) {
  const std::string file = (work.path() / "simulated.om").string();
  const Finished made = RunBinary({"simulate", "data.leader-change", "-o", file});
  EXPECT_EQ(made.code, 0) << made.err;
  return ReadExposition(file, std::nullopt);
}

/// The election's metric of each replica at the times of its scrapes, as client-go exports it.
void AddElection(Exposition& run) {
  const TimeMs start = ExtentOf(run).start / 60'000 * 60'000;
  std::vector<Series> added;
  for (const Series& series : run.series) {
    if (series.labels.Get(kMetricName) != "process_start_time_seconds") continue;
    const bool standby = series.labels.Get("pod") == "kube-scheduler-1";
    Series election{
        .labels = series.labels.With(kMetricName, kElection).With("name", "kube-scheduler"),
        .samples = series.samples,
        .histograms = {}};
    for (Sample& sample : election.samples) {
      const TimeMs t = sample.t - start;
      sample.v = (standby ? t >= kStandbyLeads : t < kLeaderDies) ? 1 : 0;
    }
    added.push_back(std::move(election));
  }
  ASSERT_EQ(added.size(), 2u);
  for (Series& series : added) run.series.push_back(std::move(series));
}

/// The diagnosis of the run from behind a Prometheus.
json Diagnosed(const Exposition& run, const TempDir& work) {
  const auto server = StartOver(run, work.path());
  const TimeRange extent = ExtentOf(run);
  const Finished finished =
      RunBinary({"diagnose", "--prometheus", server->url(), "--no-cross-check", "--start",
                 std::to_string(extent.start / 1000 + 200), "--end",
                 std::to_string(extent.start / 1000 + 500), "-o", "json"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  return json::parse(finished.out, nullptr, false);
}

std::string FirstFinding(const json& document) {
  return document.at("findings").at(0).at("id").get<std::string>();
}

std::string WarningsOf(const json& document) {
  std::string lines;
  for (const json& warning : document.at("warnings")) lines += warning.get<std::string>() + "\n";
  return lines;
}

class Leader : public testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  }
  const TempDir work_;
};

TEST_F(Leader, AChangeInsideTheWindowIsToldFromCounts) {
  const json document = Diagnosed(Simulated(work_), work_);
  EXPECT_EQ(FirstFinding(document), "bind.apiserver");
  EXPECT_TRUE(document.at("events").empty()) << "of two replicas nobody says which one leads";
  const std::string warnings = WarningsOf(document);
  EXPECT_NE(warnings.find("the leader changed inside the window: "
                          "{instance=\"10.0.1.1:10259\",job=\"kube-scheduler\","
                          "pod=\"kube-scheduler-0\"} finished attempts until "
                          "2026-01-01T00:05:45.837Z, {instance=\"10.0.1.2:10259\","
                          "job=\"kube-scheduler\",pod=\"kube-scheduler-1\"} from "
                          "2026-01-01T00:06:00.164Z on"),
            std::string::npos)
      << warnings;
  EXPECT_EQ(warnings.find(kElection), std::string::npos) << warnings;
}

TEST_F(Leader, TheElectionsOwnMetricSaysItToo) {
  Exposition run = Simulated(work_);
  ASSERT_NO_FATAL_FAILURE(AddElection(run));
  const json document = Diagnosed(run, work_);
  // 20 pods a second, 15 s without a leader: more of their time than slow binds took.
  EXPECT_EQ(FirstFinding(document), "scheduler.no-leader");
  EXPECT_EQ(document.at("findings").at(1).at("id"), "bind.apiserver");
  ASSERT_EQ(document.at("events").size(), 1u);
  const json& event = document.at("events").at(0);
  const double began = 1767225600;  // 2026-01-01T00:00:00Z
  EXPECT_NEAR(event.at("start").get<double>() - began, 350, 10);
  EXPECT_NEAR(event.at("end").get<double>() - began, 365, 10);
  const std::string warnings = WarningsOf(document);
  for (const char* note :
       {"the leader changed inside the window: ",
        "pod=\"kube-scheduler-0\"} stopped leading by 2026-01-01T00:05:55.836Z\n",
        "pod=\"kube-scheduler-1\"} became leader by 2026-01-01T00:06:05.164Z\n"}) {
    EXPECT_NE(warnings.find(note), std::string::npos) << note << " is not in\n" << warnings;
  }
}

/// The recorded leader restarts and leads on; its standby never schedules.
TEST_F(Leader, ARestartOfTheLeaderIsNoChange) {
  const json document = Diagnosed(ReadCapture("restart-and-two-replicas-A"), work_);
  EXPECT_EQ(FirstFinding(document), "bind.apiserver");
  const std::string warnings = WarningsOf(document);
  EXPECT_NE(warnings.find("pod=\"kube-scheduler-0\"} restarted at 2026-11-21T01:16:06.480Z"),
            std::string::npos)
      << warnings;
  EXPECT_EQ(warnings.find("the leader changed"), std::string::npos) << warnings;
}

}  // namespace
}  // namespace schedlens::test
