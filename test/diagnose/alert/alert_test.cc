#include "diagnose/alert/alert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kExpr =
    "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket"
    "{job=\"kube-scheduler\"}[5m])) without(instance, pod)) > 3";

std::string Quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string RulesJson() {
  return R"json({"status":"success","data":{"groups":[{"name":"sched","rules":[
    {"type":"alerting","name":"SchedulerSlow","query":")json" +
         Quoted(kExpr) + R"json(","duration":60,
     "labels":{"severity":"page"},"alerts":[{"labels":{"alertname":"SchedulerSlow"},
     "state":"firing","activeAt":"2026-11-21T10:00:00Z"}]},
    {"type":"alerting","name":"RecordedSlow","query":"sched:e2e:p99{quantile=\"0.99\"} >= 2","duration":0},
    {"type":"alerting","name":"Other","query":"up == 0","duration":0},
    {"type":"alerting","name":"Down (critical)","query":"up == 0","duration":0},
    {"type":"alerting","name":"Newer","query":"some_future_syntax(((","duration":0},
    {"type":"recording","name":"sched:e2e:p99","labels":{"quantile":"0.99"},
     "query":"histogram_quantile(0.99, sum by (le) (rate(scheduler_e2e_scheduling_duration_seconds_bucket[2m])))"}
  ]
}]}})json";
}

ResolvedAlert Resolve(const std::string& alert, bool with_rules = true) {
  return ResolveAlert({.alert = alert, .webhook = {}, .webhook_name = {}},
                      with_rules ? RulesFetcher(RulesJson) : RulesFetcher());
}

std::string UsageError(const std::string& alert, bool with_rules = true) {
  try {
    Resolve(alert, with_rules);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(Alert, WhatOnlyTheServerReadsIsNotedAndNoError) {
  const std::string expr = "rate(scheduler_e2e_scheduling_duration_seconds_count[5m]) limit 3";
  std::vector<std::string> asked;
  const auto resolve = [&](bool answers) {
    return ResolveAlert({.alert = expr,
                         .webhook = {},
                         .webhook_name = {},
                         .answered =
                             [&, answers](const std::string& text) {
                               asked.push_back(text);
                               return answers;
                             }},
                        RulesFetcher(RulesJson));
  };
  const ResolvedAlert alert = resolve(true);
  EXPECT_EQ(asked, std::vector<std::string>{expr});
  EXPECT_EQ(alert.expr, expr);
  EXPECT_TRUE(alert.expression.expr.empty());
  ASSERT_EQ(alert.notes.size(), 1u);
  EXPECT_EQ(alert.notes.front().id, "alert.unreadable");
  EXPECT_THROW(resolve(false), Error);
  EXPECT_THROW(Resolve(expr), Error);
}

// VictoriaMetrics's templates: asked in full, and the quantile in them is taken apart.
TEST(Alert, TemplatesAreWrittenOut) {
  const std::string expr =
      "WITH (own = {job=\"s\"}, slow = 3) histogram_quantile(0.99, sum by (le) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket{own}[5m]) keep_metric_names)) > slow";
  const ResolvedAlert alert = Resolve(expr);
  EXPECT_EQ(alert.expr, expr);
  EXPECT_TRUE(alert.notes.empty());
  EXPECT_TRUE(alert.expression.is_histogram_quantile);
  EXPECT_EQ(alert.expression.family, "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_EQ(alert.expression.selector, "job=\"s\"");
  EXPECT_EQ(alert.expression.threshold, 3);
}

TEST(Alert, ByName) {
  const ResolvedAlert alert = Resolve("SchedulerSlow");
  EXPECT_EQ(alert.name, "SchedulerSlow");
  EXPECT_EQ(alert.expr, kExpr);
  EXPECT_TRUE(alert.expression.is_histogram_quantile);
  EXPECT_EQ(alert.expression.quantile, 0.99);
  EXPECT_EQ(alert.expression.family, "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_EQ(alert.expression.threshold, 3);
  EXPECT_EQ(alert.expression.comparison, ">");
  EXPECT_EQ(alert.expression.range_ms, 300000);
  EXPECT_EQ(alert.for_ms, 60000);
  EXPECT_EQ(alert.labels.Get("severity"), "page");
  ASSERT_EQ(alert.firings.size(), 1u);
  EXPECT_EQ(alert.at, 1795255200000 + 60000);
  EXPECT_EQ(alert.origin, "the rule SchedulerSlow of group sched");
  EXPECT_TRUE(alert.notes.empty());
}

TEST(Alert, ARecordedQuantileIsSeenThrough) {
  for (const char* text : {"RecordedSlow", "sched:e2e:p99{quantile=\"0.99\"} >= 2"}) {
    const ResolvedAlert alert = Resolve(text);
    EXPECT_EQ(alert.expr, "sched:e2e:p99{quantile=\"0.99\"} >= 2");
    EXPECT_TRUE(alert.expression.is_histogram_quantile);
    EXPECT_EQ(alert.expression.range_ms, 120000);
    EXPECT_EQ(alert.expression.threshold, 2);
    EXPECT_EQ(alert.expression.comparison, ">=");
    EXPECT_THAT(InEnglish(alert.notes), Contains(HasSubstr("sched:e2e:p99 is recorded from")));
  }
}

TEST(Alert, WhatIsNoQuantileIsAnAlertToo) {
  for (const char* text : {"Other", "up == 0"}) {
    const ResolvedAlert alert = Resolve(text);
    EXPECT_FALSE(alert.expression.is_histogram_quantile);
    EXPECT_EQ(alert.expression.expr, "up == 0");
    EXPECT_TRUE(alert.notes.empty());
  }
}

TEST(Alert, WhatCannotBeReadIsSaid) {
  const ResolvedAlert alert = Resolve("Newer");
  EXPECT_EQ(alert.expression.expr, "");
  EXPECT_THAT(InEnglish(alert.notes),
              Contains(HasSubstr("diagnosing the default question instead")));
}

TEST(Alert, VariablesOfADashboardAreRefusedByName) {
  EXPECT_EQ(
      UsageError("rate(scheduler_x_sum[$__rate_interval]) > 1"),
      "--alert: $__rate_interval is a variable of a dashboard: write what it stands for, such "
      "as 5m for $__rate_interval");
  EXPECT_THAT(UsageError("scheduler_x{job=~\"${job}\"} > 1"), HasSubstr("--alert: ${job} is a"));
  EXPECT_EQ(UsageError("scheduler_x{job=~\"s$\"} > 1"), "no error");
}

TEST(Alert, ByANameThatIsNoExpression) {
  EXPECT_EQ(Resolve("Down (critical)").expr, "up == 0");
  EXPECT_THAT(UsageError("Down (warning)"), HasSubstr("PromQL 1:1"));
  EXPECT_THAT(UsageError("Down (critical)", false), HasSubstr("PromQL 1:1"));
}

TEST(Alert, UnknownNamesAreUsageErrors) {
  EXPECT_EQ(UsageError("SchedulerSlo"),
            "--alert SchedulerSlo: the server has no such alerting rule; did you mean "
            "SchedulerSlow?");
  EXPECT_THAT(UsageError("SchedulerSlow", false), HasSubstr("only be looked up with --prometheus"));
}

TEST(Alert, AnExpressionNeedsNoRules) {
  const ResolvedAlert alert = Resolve(kExpr, false);
  EXPECT_EQ(alert.origin, "--alert");
  EXPECT_TRUE(alert.name.empty());
  EXPECT_EQ(alert.expression.threshold, 3);
  bool asked = false;
  ResolveAlert({.alert = kExpr, .webhook = {}, .webhook_name = {}}, [&] {
    asked = true;
    return RulesJson();
  });
  EXPECT_FALSE(asked);
  EXPECT_NE(UsageError("histogram_quantile(0.99,"), "no error");
}

TEST(Alert, ALink) {
  const ResolvedAlert alert =
      Resolve("http://prom:9090/graph?g0.expr=histogram_quantile(0.9%2C+rate(x_bucket%5B1m%5D))");
  EXPECT_EQ(alert.expression.family, "x");
  EXPECT_EQ(alert.expression.quantile, 0.9);
  EXPECT_EQ(alert.origin, "the link");
  EXPECT_THAT(UsageError("https://grafana/alerting/abc/view"), HasSubstr("holds no expression"));
}

ResolvedAlert ResolveHook(const std::string& json, bool with_rules) {
  return ResolveAlert({.alert = {}, .webhook = json, .webhook_name = "hook.json"},
                      with_rules ? RulesFetcher(RulesJson) : RulesFetcher());
}

TEST(Alert, TheTellingAlertOfAWebhookIsTaken) {
  const ResolvedAlert alert = ResolveHook(
      R"json({"version":"4","alerts":[
      {"status":"firing","labels":{"alertname":"Disk"},"startsAt":"2026-11-21T09:00:00Z",
       "generatorURL":"http://p/graph?g0.expr=disk+%3E+1"},
      {"status":"firing","labels":{"alertname":"Slow","result":"scheduled"},
       "startsAt":"2026-11-21T10:00:00Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":
       "http://p/graph?g0.expr=histogram_quantile(0.9%2C+rate(scheduler_x_bucket%5B1m%5D))+%3E+2"}]})json",
      false);
  EXPECT_EQ(alert.name, "Slow");
  EXPECT_EQ(alert.labels.Get("result"), "scheduled");
  EXPECT_EQ(alert.expression.family, "scheduler_x");
  EXPECT_EQ(alert.expression.threshold, 2);
  EXPECT_EQ(alert.at, 1795255200000);
  EXPECT_EQ(alert.origin, "the webhook hook.json");
  EXPECT_THAT(InEnglish(alert.notes), Contains("the notification contains 1 other alert"));
}

TEST(Alert, GrafanasWebhookFallsBackToTheRuleOfThatName) {
  const std::string hook =
      R"json({"orgId":1,"alerts":[{"status":"firing","labels":{"alertname":"SchedulerSlow"},
      "startsAt":"2026-11-21T10:00:00Z","values":{"B":4},
      "generatorURL":"https://grafana/alerting/grafana/uid/view?orgId=1","panelURL":""}]})json";
  const ResolvedAlert found = ResolveHook(hook, true);
  EXPECT_EQ(found.expr, kExpr);
  EXPECT_EQ(found.for_ms, 60000);
  EXPECT_EQ(found.at, 1795255200000);
  const ResolvedAlert unknown = ResolveHook(hook, false);
  EXPECT_FALSE(unknown.expression.is_histogram_quantile);
  EXPECT_THAT(InEnglish(unknown.notes),
              Contains(HasSubstr("does not contain the alert's expression")));
}

TEST(Alert, AServerWithoutRulesSaysSo) {
  const auto none = [] { return std::string(R"({"status":"success","data":{"groups":[]}})"); };
  try {
    ResolveAlert({.alert = "Slow", .webhook = {}, .webhook_name = {}}, none);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no rules at all: give the alert's expression"));
  }
}

TEST(Alert, ARecordingRulesNameIsItsExpression) {
  const ResolvedAlert alert = Resolve("sched:e2e:p99");
  EXPECT_TRUE(alert.expression.is_histogram_quantile);
  EXPECT_EQ(alert.expression.range_ms, 120'000);
}

TEST(Alert, OfRulesWithOneNameTheQuantileIsTakenAndSaid) {
  const auto rules = [] {
    return std::string(R"json({"status":"success","data":{"groups":[{"name":"g","rules":[
      {"type":"alerting","name":"Two","query":"up == 0","duration":0},
      {"type":"alerting","name":"Two","query":"histogram_quantile(0.9, x_bucket) > 1","duration":0}
    ]}]}})json");
  };
  const ResolvedAlert alert =
      ResolveAlert({.alert = "Two", .webhook = {}, .webhook_name = {}}, rules);
  EXPECT_TRUE(alert.expression.is_histogram_quantile);
  EXPECT_THAT(InEnglish(alert.notes), Contains(HasSubstr("2 rules are named Two")));
}

}  // namespace
}  // namespace schedlens
