// Scrapes that drop, rename or relabel a part of what kube-scheduler exposes, as people set them up
// to save series and as managed control planes do: what is missing is named, the rest is used.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;
using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

// Every bind takes two to four seconds.
constexpr char kRelabelledScenario[] = R"yaml(
name: slow
kubernetes_version: "1.26"
duration: 30m
cluster: {nodes: [{count: 20}]}
workload: {rate: 30, templates: [{name: web, life: "u(1,3)"}]}
costs: {bind_api: "u(2,4)"}
)yaml";

/// A job of its own for each way to relabel: {job, the rules}.
constexpr std::pair<const char*, const char*> kJobs[] = {
    {"whole", ""},
    {"no-plugins",
     "{source_labels: [__name__], regex: 'scheduler_plugin_execution_.*', action: drop}"},
    {"no-points",
     "{source_labels: [__name__], regex: 'scheduler_framework_extension_point_.*', action: drop}"},
    {"no-algorithm",
     "{source_labels: [__name__], regex: 'scheduler_scheduling_algorithm_.*', action: drop}"},
    {"no-attempts",
     "{source_labels: [__name__], regex: 'scheduler_scheduling_attempt_.*', action: drop}"},
    {"no-buckets", "{source_labels: [__name__], regex: '.*_bucket', action: drop}"},
    {"renamed",
     "{source_labels: [__name__], regex: 'scheduler_(.*)', target_label: __name__, replacement: "
     "'vendor_scheduler_$1'}"},
    // The scheduler's metrics that GKE sends to its managed Prometheus.
    {"managed",
     "{source_labels: [__name__], regex: "
     "'scheduler_(pending_pods|pod_scheduling_duration_seconds_.*|preemption_.*|"
     "schedule_attempts_total|scheduling_attempt_duration_seconds_.*)', action: keep}"},
    {"moved",
     "{regex: instance, action: labeldrop}, {target_label: cluster, replacement: prod}, "
     "{target_label: job, replacement: control-plane}"},
};

std::string Configuration(int port) {
  std::string text = "global: {scrape_interval: 1s}\nscrape_configs:\n";
  for (const auto& [job, rules] : kJobs) {
    text += fmt::format(
        "- {{job_name: {}, static_configs: [{{targets: ['127.0.0.1:{}']}}], "
        "metric_relabel_configs: [{}]}}\n",
        job, port, rules);
  }
  return text;
}

class Relabelled : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Installed("prometheus")) return;
    work_ = new TempDir;
    std::ofstream(work_->path() / "slow.yaml") << kRelabelledScenario;
    const int port = FreePort();
    const fs::path log = work_->path() / "simulate.log";
    simulator_ = new Process({SCHEDLENS_BINARY, "simulate", (work_->path() / "slow.yaml").string(),
                              "--serve", std::to_string(port), "--serve-from", "60s"},
                             log);
    server_ = StartConfigured(work_->path(), Configuration(port), "/-/ready").release();
    long status = 0;
    const std::string form = server_->client().Form(
        {{"query", "min(count_over_time({__name__=~\".*scheduler_pending_pods\"}[1m]))"}});
    for (const auto deadline = Clock::now() + std::chrono::seconds(120);;) {
      ASSERT_LT(Clock::now(), deadline) << ReadFile(log.string());
      ASSERT_TRUE(simulator_->Running()) << ReadFile(log.string());
      const json result =
          json::parse(server_->client().Get(server_->url() + "/api/v1/query?" + form, &status),
                      nullptr, false)["data"]["result"];
      if (!result.empty() && std::stod(result[0]["value"][1].get<std::string>()) >= 12) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // between two looks
    }
  }
  static void TearDownTestSuite() {
    delete server_;
    delete simulator_;
    delete work_;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
  }

  static Finished Run(const char* command, std::vector<std::string> more) {
    std::vector<std::string> words = {command, "--prometheus", server_->url(), "--start", "now-10s",
                                      "--end", "now",          "-o",           "json"};
    words.insert(words.end(), more.begin(), more.end());
    return RunBinary(words);
  }
  static json Diagnose(const std::string& job, int code = 0) {
    const Finished finished = Run(
        "diagnose", {"--selector", "job=\"" + job + "\"", "--baseline", "off", "--no-cross-check"});
    EXPECT_EQ(finished.code, code) << job << finished.err;
    return json::parse(finished.out, nullptr, false);
  }
  static json Doctor(const std::string& job, int code = 0) {
    const Finished finished = Run("doctor", {"--selector", "job=\"" + job + "\""});
    EXPECT_EQ(finished.code, code) << job << finished.err << finished.out;
    return json::parse(finished.out, nullptr, false);
  }
  static std::string FirstFinding(const json& diagnosis) {
    const json& findings = diagnosis.at("findings");
    return findings.empty() ? "" : findings[0].at("id").get<std::string>();
  }
  static json StageOf(const json& diagnosis, const std::string& id) {
    for (const json& stage : diagnosis.at("stages")) {
      if (stage.at("id") == id) return stage;
    }
    return {};
  }

  static inline TempDir* work_ = nullptr;
  static inline Process* simulator_ = nullptr;
  static inline Server* server_ = nullptr;
};

TEST_F(Relabelled, TheCauseIsFoundWithoutThePluginsAlgorithmOrBuckets) {
  for (const auto& [job, missing] :
       {std::pair("whole", ""),
        {"no-plugins", "scheduler_plugin_execution_duration_seconds"},
        {"no-algorithm", "scheduler_scheduling_algorithm_duration_seconds"},
        {"no-buckets", "scheduler_scheduling_attempt_duration_seconds_bucket"}}) {
    SCOPED_TRACE(job);
    const json diagnosis = Diagnose(job);
    EXPECT_EQ(diagnosis.at("verdict"), "incident");
    EXPECT_EQ(FirstFinding(diagnosis), "bind.apiserver");
    EXPECT_THAT(diagnosis.at("gaps").dump(), HasSubstr(missing));
    EXPECT_THAT(Doctor(job).dump(), HasSubstr(missing));
  }
}

TEST_F(Relabelled, AnAlgorithmWithoutItsHistogramIsBoundedByItsPoints) {
  const json diagnosis = Diagnose("no-algorithm");
  const json seconds = StageOf(diagnosis, "algorithm").at("seconds");
  double points = 0;
  for (const char* id :
       {"algorithm.prefilter", "algorithm.filter", "algorithm.prescore", "algorithm.score"}) {
    points += StageOf(diagnosis, id).at("seconds").at("value").get<double>();
  }
  EXPECT_GT(points, 0);
  EXPECT_NEAR(seconds.at("low").get<double>(), points, 1e-9);
  const double rest = StageOf(diagnosis, "unmeasured").at("seconds").at("value").get<double>();
  EXPECT_NEAR(seconds.at("high").get<double>(), points + rest, 1e-9);
  EXPECT_TRUE(StageOf(diagnosis, "algorithm.unmeasured").at("seconds").at("value").is_null());
}

TEST_F(Relabelled, WithoutExtensionPointsTheTimeIsARemainderNotNothing) {
  for (const char* job : {"no-points", "managed"}) {
    SCOPED_TRACE(job);
    const json diagnosis = Diagnose(job);
    EXPECT_EQ(diagnosis.at("verdict"), "incident") << "attempts are slow; where is not known";
    EXPECT_THAT(diagnosis.at("findings").dump(), HasSubstr("\"data.missing\""));
    for (const json& finding : diagnosis.at("findings")) {
      EXPECT_THAT(finding.at("id"), testing::MatchesRegex("(data|quantile)[.].*"));
    }
    EXPECT_THAT(diagnosis.at("findings").dump(),
                HasSubstr("scheduler_framework_extension_point_duration_seconds is missing"));
    EXPECT_TRUE(StageOf(diagnosis, "bind").at("seconds").at("value").is_null());
    EXPECT_GT(StageOf(diagnosis, "unmeasured").at("share").at("value").get<double>(), 0.9);
    EXPECT_EQ(diagnosis.at("alert").at("interval").at("high"), 4.096);
  }
}

TEST_F(Relabelled, WithoutAttemptsTheirPartsAreAddedUp) {
  const json diagnosis = Diagnose("no-attempts");
  EXPECT_EQ(FirstFinding(diagnosis), "bind.apiserver");
  EXPECT_THAT(diagnosis.at("gaps").dump(),
              HasSubstr("scheduler_scheduling_attempt_duration_seconds is missing (called "
                        "scheduler_e2e_scheduling_duration_seconds up to 1.22; 1.26 has it"));
  EXPECT_GT(StageOf(diagnosis, "bind").at("seconds").at("value").get<double>(), 0);
  EXPECT_THAT(Doctor("no-attempts").dump(), HasSubstr("without buckets"));
}

TEST_F(Relabelled, OtherNamesAndOtherLabelsAreFound) {
  const json renamed = Diagnose("renamed", 5);
  EXPECT_THAT(renamed.at("gaps").dump(), HasSubstr("under other names: vendor_scheduler_"));
  EXPECT_THAT(Doctor("renamed", 5).dump(), HasSubstr("under other names: vendor_scheduler_"));
  EXPECT_THAT(Doctor("nobody", 5).dump(), HasSubstr("under other labels: job control-plane"));
  // The labels that a rule gave are the ones the scheduler is known by.
  EXPECT_EQ(FirstFinding(Diagnose("control-plane")), "bind.apiserver");
  EXPECT_THAT(Doctor("control-plane").dump(), HasSubstr("{cluster=\\\"prod\\\""));
}

TEST_F(Relabelled, TheAlertNamesTheSchedulersAndASilentMetricItsSuccessor) {
  const auto alert = [](const char* metric, const char* job) {
    return Run("diagnose",
               {"--baseline", "off", "--no-cross-check", "--alert",
                fmt::format("histogram_quantile(0.99, sum by (le) (rate({}_bucket{{job=\"{}\"}}"
                            "[10s]))) > 1",
                            metric, job)});
  };
  const Finished one = alert("scheduler_scheduling_attempt_duration_seconds", "whole");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(json::parse(one.out).at("queries").dump(), Not(HasSubstr("no-points")));
  const Finished hidden = alert("scheduler_e2e_scheduling_duration_seconds", "whole");
  ASSERT_EQ(hidden.code, 0) << hidden.err;
  const json silent = json::parse(hidden.out);
  EXPECT_EQ(FirstFinding(silent), "bind.apiserver");
  EXPECT_THAT(silent.at("alert").at("notes").dump(),
              HasSubstr("its successor is scheduler_scheduling_attempt_duration_seconds"));
  const Finished elsewhere = alert("scheduler_scheduling_attempt_duration_seconds", "gone");
  EXPECT_EQ(elsewhere.code, 5) << "no other schedulers are judged instead";
  const json none = json::parse(elsewhere.out);
  EXPECT_THAT(none.at("headline").get<std::string>(),
              HasSubstr("No scheduler matches {job=\"gone\"}"));
  EXPECT_THAT(none.at("headline").get<std::string>(), HasSubstr("job=\"control-plane\""));
}

/// The answer with another date in its header.
std::string Dated(std::string answer, const std::string& date) {
  const std::size_t at = answer.find("Date: ");
  if (at == std::string::npos) return answer;
  return answer.replace(at + 6, answer.find("\r\n", at) - at - 6, date);
}

TEST_F(Relabelled, ADoctorSeesAClockThatIsOff) {
  const auto doctor = [](const std::string& date) {
    FakeServer proxy([&](const FakeRequest& request) {
      FakeReply reply{.bytes = Dated(Forward(PortOf(server_->url()), request), date)};
      reply.close = true;
      return reply;
    });
    const Finished finished = RunBinary({"doctor", "--prometheus", proxy.url(), "--start",
                                         "now-10s", "--end", "now", "--selector", "job=\"whole\""});
    EXPECT_EQ(finished.code, 0) << finished.err << "a skew is no reason not to diagnose";
    return finished.out;
  };
  EXPECT_THAT(doctor("Thu, 01 Jan 2015 00:00:00 GMT"), HasSubstr("behind this machine's"));
  EXPECT_THAT(doctor("Thu, 01 Jan 2099 00:00:00 GMT"), HasSubstr("ahead of this machine's"));
  EXPECT_THAT(doctor("no date"), Not(HasSubstr("clock")));
}

TEST_F(Relabelled, ADoctorIsNotAskedOfTheFuture) {
  const Finished later = RunBinary({"doctor", "--prometheus", server_->url(), "--selector",
                                    "job=\"whole\"", "--start", "now+10m", "--end", "now+20m"});
  EXPECT_EQ(later.code, 2) << later.out;
  EXPECT_THAT(later.err, HasSubstr(" lies in the future: it is "));
}

}  // namespace
}  // namespace schedlens::test
