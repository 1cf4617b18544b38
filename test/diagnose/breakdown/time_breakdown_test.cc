#include "diagnose/breakdown/time_breakdown.h"

#include <gtest/gtest.h>

#include "diagnose/recorder.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Recorder;

TimeBreakdown AccountOf(Recorder& r, const std::vector<Attempt>& attempts) {
  r.Run({});
  r.Scrape(0);
  for (const Attempt& a : attempts) r.Run(a);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  return BreakDownTime(CutWindow(histograms, facts.targets, {0, 5000}));
}

double TopLevelSum(const TimeBreakdown& breakdown) {
  double sum = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.parent) sum += breakdown.Seconds(row.stage);
  }
  return sum;
}

TEST(AccountTest, TopLevelStagesAddUpToAllTime) {
  Recorder r;
  Attempt failed{.result = "unschedulable", .postfilter = 0.2};
  const TimeBreakdown breakdown =
      AccountOf(r, {{}, {}, failed, {.permit_wait = 1.5}, {.prebind = 2}});
  EXPECT_NEAR(TopLevelSum(breakdown), breakdown.e2e.seconds, 1e-9);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kPostFilter), 0.2, 1e-9);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kPermitWait), 1.5, 1e-9);
}

TEST(AccountTest, AnExtendersBindIsTheBindLessItsPlugins) {
  Recorder r;
  const TimeBreakdown breakdown = AccountOf(r, {{}, {.extender_bind = 3}, {.extender_bind = 4}});
  EXPECT_EQ(breakdown.extender_binds, 2);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kBindUnmeasured), 7, 1e-9);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kBindPlugins), 0.005, 1e-9);
}

TEST(AccountTest, ABindingThatAnEdgeOfTheWindowCutsIsNoExtenders) {
  Recorder r;
  std::vector<Attempt> attempts(250);
  attempts.push_back({.extender_bind = 3});
  EXPECT_EQ(AccountOf(r, attempts).extender_binds, 0);
  Recorder more;
  attempts.insert(attempts.end(), 4, {.extender_bind = 3});
  EXPECT_EQ(AccountOf(more, attempts).extender_binds, 5);
}

TEST(AccountTest, WithoutBindingDurationTheRemainderIsWholeAndGoesWhereBindsByExtendersSayIt) {
  Recorder r;
  r.with_binding = false;
  const TimeBreakdown breakdown = AccountOf(r, {{.extender_bind = 3}, {}});
  EXPECT_FALSE(breakdown.seconds.contains(kube::Stage::kUnmeasured));
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kBindUnmeasured), 3 + 2 * 1e-4, 1e-5);

  Recorder without;
  without.with_binding = false;
  const TimeBreakdown plain = AccountOf(without, {{}, {}});
  EXPECT_EQ(plain.Seconds(kube::Stage::kBindUnmeasured), 0);
  EXPECT_NEAR(plain.Seconds(kube::Stage::kUnmeasured), 2 * 1e-4, 1e-5);
}

TEST(AccountTest, FailedAttemptsAreInTheAlgorithmInEveryRelease) {
  const Attempt failed{.result = "unschedulable", .unmeasured = 0.3, .postfilter = 0.1};
  for (const bool from_1_30 : {false, true}) {
    Recorder r;
    r.algorithm_with_failures = from_1_30;
    std::vector<Attempt> attempts(5, failed);
    attempts.push_back({});
    const TimeBreakdown breakdown = AccountOf(r, attempts);
    EXPECT_EQ(breakdown.algorithm_has_failures, from_1_30);
    EXPECT_NEAR(breakdown.Seconds(kube::Stage::kAlgorithmUnmeasured), 5 * (0.3) + 5e-5, 2e-3)
        << from_1_30;
    EXPECT_NEAR(TopLevelSum(breakdown), breakdown.e2e.seconds, 1e-9);
  }
}

TEST(AccountTest, LateFailuresAreNotTheAlgorithms) {
  Recorder r;
  r.Run({});
  r.Scrape(0);
  r.Run({});
  // One bind fails after 6 s: its algorithm is observed, its e2e ends as an error.
  r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
  r.Point("Bind", 6, "Error");
  r.Point("Unreserve", 1e-6);
  r.Observe("scheduler_e2e_scheduling_duration_seconds",
            {{"result", "error"}, {"profile", "default-scheduler"}}, 6.001);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const TimeBreakdown breakdown =
      BreakDownTime(CutWindow(GroupAll(facts), facts.targets, {0, 5000}));
  EXPECT_EQ(breakdown.late_failures, 1);
  EXPECT_NEAR(breakdown.late_failure_seconds, 6.001, 1e-9);
  EXPECT_LT(breakdown.Seconds(kube::Stage::kAlgorithm), 0.01);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kBind), 6.005, 1e-6);
}

TEST(AccountTest, WaitsAtPermitThatEndInARejectionAreNotTheAlgorithms) {
  Recorder r;
  const auto wait = [&](const char* result, double seconds) {
    r.Observe("scheduler_permit_wait_duration_seconds", {{"result", result}}, seconds);
  };
  const auto reject = [&](double seconds) {
    r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
    r.Point("Reserve", 1e-6);
    wait("Unschedulable", seconds);
    r.Point("Unreserve", 1e-6);
    r.Observe("scheduler_e2e_scheduling_duration_seconds",
              {{"result", "unschedulable"}, {"profile", "default-scheduler"}}, 0.001 + seconds);
  };
  r.Run({});
  wait("Success", 1);
  reject(1);
  r.Scrape(0);
  r.Run({.permit_wait = 2});  // one that was let through: part of no failure
  reject(6);
  reject(8);
  r.Run({.result = "unschedulable", .filter = 0.25});
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const TimeBreakdown breakdown =
      BreakDownTime(CutWindow(GroupAll(facts), facts.targets, {0, 5000}));
  EXPECT_EQ(breakdown.late_failures, 2);
  EXPECT_NEAR(breakdown.late_failure_seconds, 14.002, 0.002);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kAlgorithm), 0.25, 0.01);
  EXPECT_NEAR(breakdown.Seconds(kube::Stage::kPermitWait), 16, 1e-9);
  EXPECT_NEAR(TopLevelSum(breakdown), breakdown.e2e.seconds, 1e-9);
}

TEST(AccountTest, NothingInNothingOut) {
  const TimeBreakdown breakdown = BreakDownTime({});
  EXPECT_EQ(breakdown.e2e.count, 0);
  EXPECT_EQ(breakdown.Seconds(kube::Stage::kAlgorithm), 0);
}

}  // namespace
}  // namespace schedlens
