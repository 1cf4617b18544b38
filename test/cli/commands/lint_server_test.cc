// `lint` of a server's own rules, and by what a server shows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.h"
#include "cli/replayed_server.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using test::FakeReply;
using test::FakeRequest;
using test::Http;
using test::ReplayedServer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kServerRules[] = R"json({"status": "success", "data": {"groups": [
  {"name": "scheduler", "file": "/etc/rules/scheduler.yml", "interval": 30, "rules": [
    {"type": "alerting", "name": "Grows", "query": "rate(scheduler_pending_pods[5m]) > 1",
     "duration": 600, "labels": {"severity": "page"}, "annotations": {}},
    {"type": "recording", "name": "e2e:p99", "query":
     "histogram_quantile(0.99, sum by (le, result) (rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))"}]},
  {"name": "other", "file": "/etc/rules/other.yml", "rules": [
    {"type": "alerting", "name": "Down", "query": "up == 0", "duration": 0}]}]}})json";

FakeReply OwnRules(ReplayedServer&, const FakeRequest& request) {
  return request.target.ends_with("/api/v1/rules") ? Http(200, kServerRules) : FakeReply{};
}

TEST(LintServerTest, JudgesTheServersOwnRules) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident), OwnRules);
  server.SetSecond(420);
  const Ran ran = RunMain({"lint", "--prometheus", server.url()});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("/etc/rules/scheduler.yml Grows: error: rate-of-gauge"));
  EXPECT_THAT(ran.out, HasSubstr("/etc/rules/scheduler.yml e2e:p99: error: metric-hidden"));
  EXPECT_THAT(ran.out, HasSubstr("+        expr: deriv(scheduler_pending_pods[5m]) > 1"));
  EXPECT_THAT(ran.out, HasSubstr("3 rules checked, 2 findings; for release 1.26"));
  EXPECT_THAT(ran.out, Not(HasSubstr("other.yml")));
  EXPECT_EQ(RunMain({"lint", "--prometheus", server.url(), "--in-place"}).code, 2);
}

// Beside a managed control plane nobody scrapes a scheduler, and the rules are there all the same.
TEST(LintServerTest, JudgesTheRulesOfAServerWithoutASchedulersMetrics) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident), OwnRules);
  server.SetSecond(420);
  const std::string nobody = "--selector=job=\"nobody\"";
  const Ran own = RunMain({"lint", "--prometheus", server.url(), nobody});
  EXPECT_EQ(own.code, 3) << own.err;
  EXPECT_THAT(own.err, HasSubstr("warning: no kube-scheduler metrics in this source"));
  EXPECT_THAT(own.out, HasSubstr("for any release"));
  const std::string rules = dir.Write(
      "rules.yaml", "groups: [{name: g, rules: [{alert: A, expr: scheduler_pending_pods > 3}]}]\n");
  EXPECT_EQ(RunMain({"lint", rules, "--prometheus", server.url(), nobody}).code, 5);
  const Ran told = RunMain({"lint", rules, "--prometheus", server.url(), nobody, "--release=1.30"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("for release 1.30"));
}

TEST(LintServerTest, ReadsTheReleaseAtAMoment) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident), OwnRules);
  server.SetSecond(840);
  const std::string rules = dir.Write(
      "rules.yaml", "groups: [{name: g, rules: [{alert: A, expr: scheduler_pending_pods > 3}]}]\n");
  const Ran at = RunMain({"lint", rules, "--prometheus", server.url(), "--at", "now-5m"});
  EXPECT_EQ(at.code, 0) << at.err;
  EXPECT_THAT(at.out, HasSubstr("for release 1.26"));
  // Long before there was a scheduler.
  EXPECT_EQ(RunMain({"lint", rules, "--prometheus", server.url(), "--at", "now-9h"}).code, 5);
  EXPECT_EQ(RunMain({"lint", rules, "--at", "now-9h"}).code, 2);
  EXPECT_EQ(RunMain({"lint", rules, "--prometheus", server.url(), "--at", "soon"}).code, 2);
}

}  // namespace
}  // namespace schedlens
