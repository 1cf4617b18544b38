// Rules that a real Prometheus evaluates: an alert that fires, and one that waits for its `for`.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/process.h"
#include "e2e/alerting.h"
#include "support/without_source.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

/// A started server whose alert SchedulerSlow stands on a recording rule; `more` are rules after
/// it.
std::unique_ptr<Server> StartRecorded(const std::filesystem::path& work, const std::string& more) {
  const std::string slow = kSlowExpr;
  WriteBlocks(IncidentNow(), work);
  std::ofstream(work / "rules.yml")
      << "groups:\n- name: scheduler\n  interval: 1s\n  rules:\n"
         "  - record: sched:e2e:p99\n    expr: " +
             slow.substr(0, slow.find(" > 1")) +
             "\n"
             "  - alert: SchedulerSlow\n    expr: sched:e2e:p99 > 1\n    for: 1s\n"
             "    labels: {severity: page}\n" +
             more;
  return StartConfigured(work, "rule_files: [rules.yml]\nglobal: {evaluation_interval: 1s}\n",
                         "/-/ready");
}

class LiveRules : public testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  }
};

TEST_F(LiveRules, AFiringRuleIsFoundByItsName) {
  const TempDir work;
  const auto server = StartRecorded(work.path(), "");
  ASSERT_NO_FATAL_FAILURE(WaitForAlert(*server, "firing"));
  const Finished found = RunBinary(
      {"diagnose", "--prometheus", server->url(), "--alert", "SchedulerSlow", "-o", "json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json document = json::parse(found.out);
  EXPECT_EQ(document.at("verdict"), "incident");
  EXPECT_EQ(document.at("alert").at("threshold"), 1);
  EXPECT_EQ(document.at("alert").at("quantile"), 0.99);
  EXPECT_EQ(document.at("findings").at(0).at("id"), "bind.extender");
  EXPECT_NE(document.at("warnings").dump().find("sched:e2e:p99 is recorded from"),
            std::string::npos);

  // What the rules stored when they fired is what their raw samples give, to the bit.
  const json& redone = document.at("alert").at("recomputed");
  ASSERT_EQ(redone.size(), 3u) << redone;
  for (const json& one : redone) {
    EXPECT_EQ(one.at("agrees"), true) << one;
    EXPECT_EQ(one.at("tolerance"), "bits") << one;
    EXPECT_EQ(one.at("rates"), one.at("agreeing_rates")) << one;
  }
  EXPECT_EQ(redone[1].at("what"), "ALERTS of SchedulerSlow, which began to fire");
  EXPECT_EQ(redone[2].at("what"), "the recording rule sched:e2e:p99");

  // Nobody names it: it fires, so it is meant.
  const Finished taken = RunBinary({"diagnose", "--prometheus", server->url(), "-o", "json"});
  EXPECT_EQ(taken.err,
            "schedlens: the alert SchedulerSlow fired here and is judged; --no-alert leaves it "
            "out\n");
  EXPECT_EQ(json::parse(taken.out).at("alert").at("threshold"), 1);
  const Finished without =
      RunBinary({"diagnose", "--prometheus", server->url(), "--no-alert", "-o", "json"});
  EXPECT_EQ(without.err, "");
  EXPECT_TRUE(json::parse(without.out).at("alert").at("threshold").is_null());

  const Finished unknown =
      RunBinary({"diagnose", "--prometheus", server->url(), "--alert", "SchedulerSlo"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean SchedulerSlow?"), std::string::npos) << unknown.err;
}

TEST_F(LiveRules, ACaptureOfTheAlertMeansTheSameByItsName) {
  const TempDir work;
  const auto server = StartRecorded(
      work.path(),
      "    annotations: {summary: private words}\n  - alert: Another\n    expr: up == 0\n");
  ASSERT_NO_FATAL_FAILURE(WaitForAlert(*server, "firing"));
  const std::string file = (work.path() / "incident.om").string();
  const Finished captured = RunBinary(
      {"capture", "--prometheus", server->url(), "--alert", "SchedulerSlow", "--out", file});
  ASSERT_EQ(captured.code, 0) << captured.err;
  const std::string header = ReadFile(file).substr(0, 10'000);
  EXPECT_EQ(header.find("private words"), std::string::npos);
  EXPECT_EQ(header.find("Another"), std::string::npos);
  const auto ask = [](const std::string& kind, const std::string& from, const auto& window) {
    std::vector<std::string> arguments = {"diagnose",      kind, from,  "--alert",
                                          "SchedulerSlow", "-o", "json"};
    arguments.insert(arguments.end(), window.begin(), window.end());
    const Finished found = RunBinary(arguments);
    EXPECT_EQ(found.code, 0) << found.err;
    return WithoutSource(json::parse(found.out));
  };
  const json window = ask("--capture", file, std::vector<std::string>{}).at("window");
  const std::vector<std::string> same = {"--start", window.at("start").dump(), "--end",
                                         window.at("end").dump()};
  const json kept = ask("--capture", file, same);
  EXPECT_EQ(ask("--prometheus", server->url(), same), kept);
  // What the rules stored is there to compare with, too.
  EXPECT_EQ(kept.at("alert").at("recomputed").size(), 3u);
  // And when the rule was pending and fired.
  EXPECT_EQ(kept.at("alert").at("for_seconds"), 1);
  ASSERT_FALSE(kept.at("alert").at("episodes").empty());
  EXPECT_TRUE(kept.at("alert").at("episodes").at(0).at("firing").is_number());

  const Finished taken = RunBinary({"diagnose", "--capture", file, "-o", "json"});
  EXPECT_NE(taken.err.find("the alert SchedulerSlow fired here"), std::string::npos) << taken.err;

  const Finished unknown = RunBinary({"diagnose", "--capture", file, "--alert", "SchedulerSlo"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean SchedulerSlow?"), std::string::npos) << unknown.err;
}

TEST_F(LiveRules, APendingRuleIsSaidToBePendingSinceWhen) {
  const TempDir work;
  WriteBlocks(IncidentNow(), work.path());
  std::ofstream(work.path() / "rules.yml") << "groups:\n- name: scheduler\n  interval: 1s\n  "
                                              "rules:\n  - alert: SchedulerSlow\n    expr: "
                                           << kSlowExpr << "\n    for: 10m\n";
  const auto server = StartConfigured(
      work.path(), "rule_files: [rules.yml]\nglobal: {evaluation_interval: 1s}\n", "/-/ready");
  ASSERT_NO_FATAL_FAILURE(WaitForAlert(*server, "pending"));
  const Finished found = RunBinary(
      {"diagnose", "--prometheus", server->url(), "--alert", "SchedulerSlow", "-o", "json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json document = json::parse(found.out);
  EXPECT_EQ(document.at("findings").at(0).at("id"), "bind.extender");
  const std::string notes = document.at("alert").at("notes").dump();
  EXPECT_NE(notes.find("SchedulerSlow has been pending since "), std::string::npos) << notes;
  EXPECT_NE(notes.find(": the rule (for 10m) has not fired yet"), std::string::npos) << notes;
}

}  // namespace
}  // namespace schedlens::test
