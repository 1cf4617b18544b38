#include "lint/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"
#include "messages/written.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LintReport LintOne(const std::string& expr, std::optional<int> release = 20) {
  return Lint({{"g", "r", true, expr, 1}}, {release, 15000, {}, true});
}

std::vector<std::string> Ids(const LintReport& report) {
  std::vector<std::string> ids;
  for (const LintFinding& finding : report.findings) {
    ids.push_back(finding.id);
    test::ExpectWrittenInEveryLanguage({finding.message, finding.fix});
  }
  return ids;
}

/// What the first remark says, and what to write instead.
std::string First(const LintReport& report) {
  const LintFinding& finding = report.findings.at(0);
  return InEnglish(finding.message) + " -> " + InEnglish(finding.fix);
}

struct Case {
  const char* expr;
  std::vector<std::string> ids;
  const char* fixed;
};

constexpr int kRelease = 20;

const std::vector<Case>& Cases() {
  static const std::vector<Case> all = {
      {"histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) "
       "> 3",
       {"threshold-inside-bucket"},
       "histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) "
       "> 4.096"},
      {"histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) "
       "> 16.384",
       {"threshold-over-top"},
       "histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) "
       "> 8.192"},
      {"1000 * histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) > 3000",
       {"threshold-inside-bucket"},
       "1000 * histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m]))) > 4096"},
      {"histogram_quantile(0.9, sum by (le) (scheduler_binding_duration_seconds_bucket))",
       {"missing-rate"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"histogram_quantile(0.9, sum by (job) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))",
       {"missing-le"},
       "histogram_quantile(0.9, sum by (job, le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"histogram_quantile(0.9, sum without (le, pod) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))",
       {"missing-le"},
       "histogram_quantile(0.9, sum without (pod) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[30s])))",
       {"short-window"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"avg(histogram_quantile(0.9, rate(scheduler_binding_duration_seconds_bucket[5m])))",
       {"averaged-quantiles"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"avg without (instance) (histogram_quantile(0.9, "
       "rate(scheduler_binding_duration_seconds_bucket[5m])))",
       {"averaged-quantiles"},
       "histogram_quantile(0.9, sum without (instance) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"avg_over_time(histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))[1h:1m])",
       {"averaged-quantiles"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[1h])))"},
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))",
       {"mixed-results"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))"},
      {"histogram_quantile(99, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m])))",
       {"quantile-out-of-range"},
       "histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
      {"histogram_quantile(-1, sum by (le) (rate(x_bucket[5m])))",
       {"quantile-out-of-range"},
       "histogram_quantile(-1, sum by (le) (rate(x_bucket[5m])))"},
      {"sum(rate(x[5m]", {"syntax"}, "sum(rate(x[5m]"},
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_scheduling_attempt_duration_seconds_bucket{result=\"scheduled\"}[5m])))",
       {"metric-too-new"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_scheduling_attempt_duration_seconds_bucket{result=\"scheduled\"}[5m])))"},
  };
  return all;
}

TEST(LintTest, FindsAndFixes) {
  for (const Case& c : Cases()) {
    const LintReport report = LintOne(c.expr, kRelease);
    EXPECT_EQ(Ids(report), c.ids) << c.expr;
    EXPECT_EQ(report.fixed[0], c.fixed);
  }
}

TEST(LintTest, ThresholdsStayWhereNobodyAskedToMoveThem) {
  const std::string expr =
      "histogram_quantile(0.99, sum(rate(scheduler_binding_duration_seconds_bucket[5m]))) > 3";
  const LintReport report = Lint({{"g", "r", true, expr, 1}}, {20, 15000, {}});
  EXPECT_THAT(Ids(report), ElementsAre("missing-le", "threshold-inside-bucket"));
  EXPECT_THAT(report.fixed[0], HasSubstr("sum by (le) (rate"));
  EXPECT_THAT(report.fixed[0], testing::EndsWith(" > 3"));
}

TEST(LintTest, ParenthesesAroundAnArgumentAreNoFault) {
  const std::string expr =
      "histogram_quantile(0.99, (sum by (le) "
      "(rate(scheduler_binding_duration_seconds_bucket[5m]))))";
  EXPECT_EQ(LintOne(expr).fixed[0], expr);
}

TEST(LintTest, AFixedRuleNeedsNoFix) {
  for (const Case& c : Cases()) {
    if (c.ids == std::vector<std::string>{"syntax"}) continue;
    const LintReport first = LintOne(c.expr);
    promql::Parse(first.fixed[0]);
    EXPECT_EQ(LintOne(first.fixed[0]).fixed[0], first.fixed[0]);
  }
}

constexpr char kRecorded[] =
    "histogram_quantile(0.9, sum by (le, instance) "
    "(rate(scheduler_binding_duration_seconds_bucket[5m])))";

TEST(LintTest, SeesThroughARecordedQuantile) {
  const struct {
    const char* expr;
    const char* fixed;
  } cases[] = {
      {"avg(instance:bind:p90) > 1.024",
       "histogram_quantile(0.9, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m])))"
       " > 1.024"},
      {"avg_over_time(instance:bind:p90[1h])",
       "histogram_quantile(0.9, sum by (le, instance) "
       "(rate(scheduler_binding_duration_seconds_bucket[1h])))"},
      // Chosen by a label that the rule may have added: named, not fixed.
      {"avg(instance:bind:p90{team=\"a\"})", "avg(instance:bind:p90{team=\"a\"})"},
  };
  for (const auto& c : cases) {
    const LintReport report =
        Lint({{"g", "instance:bind:p90", false, kRecorded, 1}, {"g", "Slow", true, c.expr, 2}},
             {20, 15000, {}});
    EXPECT_THAT(Ids(report), ElementsAre("averaged-quantiles")) << c.expr;
    EXPECT_EQ(report.findings[0].rule, 1u);
    EXPECT_EQ(report.fixed[1], c.fixed);
  }
}

TEST(LintTest, TheWorstOfSeveralQuantilesIsNoAverage) {
  for (const char* op : {"max", "min"}) {
    EXPECT_THAT(Ids(LintOne(std::string(op) + "(" + kRecorded + ")")), IsEmpty()) << op;
  }
}

TEST(LintTest, WhatTheClusterExposesIsThere) {
  const std::string expr =
      "histogram_quantile(0.9, sum by (le, result) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))";
  const std::vector<LintRule> rules = {{"g", "r", true, expr, 1}};
  EXPECT_THAT(Ids(Lint(rules, {25, 15000, {}})), ElementsAre("metric-hidden"));
  EXPECT_THAT(Ids(Lint(rules, {25, 15000, {"scheduler_e2e_scheduling_duration_seconds"}})),
              IsEmpty());
}

TEST(LintTest, AWindowIsShortByTheScrapesItHolds) {
  const std::string expr =
      "histogram_quantile(0.9, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[1m])))";
  EXPECT_THAT(Ids(Lint({{"g", "r", true, expr, 1}}, {20, 15000, {}})), IsEmpty());
  EXPECT_THAT(Ids(Lint({{"g", "r", true, expr, 1}}, {20, 30000, {}})), ElementsAre("short-window"));
}

TEST(LintTest, AGoodRuleIsLeftAloneToTheLetter) {
  const std::string good =
      "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket"
      "{job=\"kube-scheduler\"}[5m])) without(instance, pod)) > 4.096";
  const LintReport report = LintOne(good);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.fixed[0], good);
}

TEST(LintTest, KnowsWhatTheReleaseHas) {
  const std::string expr =
      "histogram_quantile(0.9, sum by (le, result) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))";
  EXPECT_THAT(Ids(LintOne(expr, 23)), IsEmpty());
  EXPECT_THAT(Ids(LintOne(expr, 24)), ElementsAre("metric-hidden"));
  EXPECT_THAT(Ids(LintOne(expr, 27)), ElementsAre("metric-removed"));
  EXPECT_THAT(Ids(LintOne(expr, std::nullopt)), ElementsAre("metric-may-be-gone"));
  EXPECT_THAT(LintOne(expr, 27).fixed[0],
              HasSubstr("scheduler_scheduling_attempt_duration_seconds_bucket[5m]"));
}

TEST(LintTest, ForeignMetricsAreJudgedByFormAlone) {
  EXPECT_THAT(Ids(LintOne("histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))) > 3")),
              IsEmpty());
  EXPECT_THAT(Ids(LintOne("up == 0")), IsEmpty());
}

TEST(LintTest, SaysWhatIsWrongAndWhatToWrite) {
  const auto quantile = [](const std::string& inner) {
    return "histogram_quantile(0.9, sum by (le) (" + inner + "))";
  };
  const std::string bucket = "scheduler_binding_duration_seconds_bucket";
  const std::string e2e =
      "histogram_quantile(0.9, sum by (le, result) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))";
  EXPECT_EQ(First(LintOne(quantile("rate(" + bucket + "[5m])") + " > 3")),
            "> 3 lies inside a bucket of scheduler_binding_duration_seconds: interpolation decides "
            "when it fires -> > 4.096 (or > 2.048)");
  EXPECT_EQ(First(LintOne(quantile("rate(" + bucket + "[5m])") + " > 20")),
            "> 20 can never fire: the highest finite bound of scheduler_binding_duration_seconds "
            "is 16.384 s and the server never shows more -> > 8.192");
  EXPECT_EQ(First(LintOne(quantile("rate(" + bucket + "[30s])"))),
            bucket +
                "[30s] holds fewer than 4 scrapes of 15s: one missed scrape empties it -> "
                "[5m]");
  EXPECT_EQ(First(LintOne(quantile(bucket))),
            bucket +
                " without rate() counts everything since the process started, so it "
                "hardly moves -> rate(" +
                bucket + "[5m])");
  EXPECT_EQ(First(LintOne(e2e, 27)),
            "scheduler_e2e_scheduling_duration_seconds finds nothing in 1.27: hidden from 1.24, "
            "removed in 1.27 "
            "-> scheduler_scheduling_attempt_duration_seconds");
  EXPECT_EQ(First(LintOne("avg(" + quantile("rate(" + bucket + "[5m])") + ")")),
            "avg(histogram_quantile(...)) is the quantile of nothing: quantiles do not add up, "
            "buckets do -> histogram_quantile(q, sum by (le) (rate(...)))");
}

TEST(LintChecksTest, EveryCheckIsDescribed) {
  for (const LintCheck& check : LintChecks()) {
    EXPECT_FALSE(check.summary.empty()) << check.id;
    test::ExpectWrittenInEveryLanguage({check.summary, check.reason});
  }
}

TEST(LintChecksTest, EveryFindingIsOfAKnownCheck) {
  for (const Case& c : Cases()) {
    for (const std::string& id : c.ids) {
      EXPECT_TRUE(std::any_of(LintChecks().begin(), LintChecks().end(),
                              [&](const LintCheck& check) { return check.id == id; }))
          << id;
    }
  }
}

}  // namespace
}  // namespace schedlens
