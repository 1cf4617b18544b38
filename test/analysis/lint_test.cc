#include "analysis/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/parser.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LintReport LintOne(const std::string& expr, std::optional<int> release = 20) {
  return Lint({{"g", "r", true, expr, 1}}, {release, 15000});
}

std::vector<std::string> Ids(const LintReport& report) {
  std::vector<std::string> ids;
  for (const LintFinding& finding : report.findings) ids.push_back(finding.id);
  return ids;
}

struct Case {
  const char* expr;
  std::vector<std::string> ids;
  const char* mended;
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
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))",
       {"mixed-results"},
       "histogram_quantile(0.9, sum by (le, result) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))"},
      {"sum(rate(x[5m]", {"syntax"}, "sum(rate(x[5m]"},
      {"histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_scheduling_attempt_duration_seconds_bucket{result=\"scheduled\"}[5m])))",
       {"metric-too-new"},
       "histogram_quantile(0.9, sum by (le) "
       "(rate(scheduler_scheduling_attempt_duration_seconds_bucket{result=\"scheduled\"}[5m])))"},
  };
  return all;
}

TEST(LintTest, FindsAndMends) {
  for (const Case& c : Cases()) {
    const LintReport report = LintOne(c.expr, kRelease);
    EXPECT_EQ(Ids(report), c.ids) << c.expr;
    EXPECT_EQ(report.mended[0], c.mended);
  }
}

TEST(LintTest, AMendedRuleNeedsNoMending) {
  for (const Case& c : Cases()) {
    if (c.ids == std::vector<std::string>{"syntax"}) continue;
    const LintReport first = LintOne(c.expr);
    promql::Parse(first.mended[0]);
    EXPECT_EQ(LintOne(first.mended[0]).mended[0], first.mended[0]);
  }
}

TEST(LintTest, AGoodRuleIsLeftAloneToTheLetter) {
  const std::string good =
      "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket"
      "{job=\"kube-scheduler\"}[5m])) without(instance, pod)) > 4.096";
  const LintReport report = LintOne(good);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.mended[0], good);
}

TEST(LintTest, KnowsWhatTheReleaseHas) {
  const std::string expr =
      "histogram_quantile(0.9, sum by (le, result) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))";
  EXPECT_THAT(Ids(LintOne(expr, 23)), IsEmpty());
  EXPECT_THAT(Ids(LintOne(expr, 24)), ElementsAre("metric-hidden"));
  EXPECT_THAT(Ids(LintOne(expr, 27)), ElementsAre("metric-removed"));
  EXPECT_THAT(Ids(LintOne(expr, std::nullopt)), ElementsAre("metric-may-be-gone"));
  EXPECT_THAT(LintOne(expr, 27).mended[0],
              HasSubstr("scheduler_scheduling_attempt_duration_seconds_bucket[5m]"));
}

TEST(LintTest, ForeignMetricsAreJudgedByFormAlone) {
  EXPECT_THAT(Ids(LintOne("histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))) > 3")),
              IsEmpty());
  EXPECT_THAT(Ids(LintOne("up == 0")), IsEmpty());
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
