#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "diagnose/causes/findings.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

TEST(RulesTest, EveryRuleHasItsOwnIdAndText) {
  std::set<std::string_view> ids;
  for (const CauseRule& rule : Rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_NO_THROW(TextOfFinding(rule.id)) << rule.id;
  }
  EXPECT_EQ(ids.size(), 18u);
}

TEST(RulesTest, QueriesCarrySelectorWindowAndTime) {
  const auto r = test::Judge([](int) { return test::Attempt{.prescore = 0.5}; });
  const auto rule = std::ranges::find(Rules(), ToString(kube::Stage::kPreScore), &CauseRule::id);
  const auto candidate = rule->judge(r.c);
  ASSERT_TRUE(candidate);
  EXPECT_EQ(candidate->evidence.front().query,
            "sum(increase(scheduler_framework_extension_point_duration_seconds_sum{"
            "extension_point=\"PreScore\", job=~\"kube-scheduler\"}[2m30s] @ 250))");
}

/// The loop burns the processor, and binds are slow exactly where it does.
TEST(CpuStarvedTest, NeedsCpuAndBindsThatFollowTheLoop) {
  const auto judge = [](double cpu, bool follow) {
    test::Recorder r;
    int scrape = 0;
    test::RecordIncident(
        &r,
        [&](int i) {
          const double load = 1 + (i / 50) % 6;
          return test::Attempt{.prescore = 0.02 * load, .bind = follow ? 0.02 * load : 0.05};
        },
        50,
        [&](test::Recorder& rec) {
          rec.Add("process_cpu_seconds_total", {}, cpu);
          ++scrape;
        });
    return CpuStarved(test::Judge(r).c);
  };
  EXPECT_TRUE(judge(4, true));
  EXPECT_FALSE(judge(4, false));
  EXPECT_FALSE(judge(0, true));
}

/// `pending` pods wait in the active queue during the incident, `pending_before` before it; ten
/// attempts a second.
bool Holds(kube::Stage stage, const test::MakeAttempt& incident, std::optional<double> pending = {},
           double pending_before = 0) {
  test::Recorder r;
  const auto queue = [&](test::Recorder& rec, double pods) {
    if (pending) rec.Set("scheduler_pending_pods", {{"queue", "active"}}, pods);
  };
  queue(r, pending_before);
  test::RecordIncident(&r, incident, 50,
                       [&](test::Recorder& rec) { queue(rec, pending.value_or(0)); });
  return HoldsLoop(test::Judge(r).c, stage);
}

TEST(HoldsLoopTest, ABusyLoopIsHeldByTheStageThatBecameCostlier) {
  // Sixty milliseconds each for ten attempts a second: the loop is busy 60 % of the time.
  const test::MakeAttempt score = [](int) { return test::Attempt{.score = 0.06}; };
  EXPECT_TRUE(Holds(kube::Stage::kScore, score));
  EXPECT_FALSE(Holds(kube::Stage::kFilter, score)) << "costs what it did";
  EXPECT_FALSE(Holds(kube::Stage::kAlgorithmUnmeasured, score));
  // A bind as slow runs beside the others.
  EXPECT_FALSE(Holds(kube::Stage::kBindPlugins, [](int) { return test::Attempt{.bind = 2}; }));
}

TEST(HoldsLoopTest, AFewAttemptsThatStopTheLoopSuffice) {
  EXPECT_TRUE(Holds(kube::Stage::kScore,
                    [](int i) { return i % 50 ? test::Quick(i) : test::Attempt{.score = 3}; }));
}

TEST(HoldsLoopTest, AnIdleLoopIsHeldWherePodsWaitForIt) {
  // Busy 30 % of the time.
  const test::MakeAttempt score = [](int) { return test::Attempt{.score = 0.03}; };
  EXPECT_FALSE(Holds(kube::Stage::kScore, score)) << "nobody knows whether pods wait";
  EXPECT_FALSE(Holds(kube::Stage::kScore, score, 0.5)) << "they wait for 50 ms";
  EXPECT_TRUE(Holds(kube::Stage::kScore, score, 5)) << "they wait for half a second";
  EXPECT_FALSE(Holds(kube::Stage::kScore, score, 5, 2)) << "they waited before";
}

TEST(HoldsLoopTest, WaitingIsOfTheLoopOnlyWhereAttemptsAreNotSlowerStill) {
  const auto with_bind = [](double bind) {
    return Holds(
        kube::Stage::kScore, [bind](int) { return test::Attempt{.score = 0.03, .bind = bind}; }, 5);
  };
  EXPECT_TRUE(with_bind(0.5));
  EXPECT_FALSE(with_bind(2)) << "half a second of waiting is little next to it";
}

TEST(HoldsLoopTest, AStageThatIsLittleOfWhatTheLoopLostDoesNotHoldIt) {
  const test::MakeAttempt both = [](int) { return test::Attempt{.filter = 0.012, .score = 0.06}; };
  EXPECT_TRUE(Holds(kube::Stage::kScore, both));
  EXPECT_FALSE(Holds(kube::Stage::kFilter, both)) << "a hundred times as slow, a sixth of the loss";
}

TEST(HoldsLoopTest, AStageThatWasSlowBeforeDoesNotHoldItNow) {
  const auto holds = [](double before) {
    test::Recorder r;
    test::RecordIncident(
        &r, [](int) { return test::Attempt{.score = 0.06}; }, 50, {},
        [before](int) { return test::Attempt{.score = before}; });
    return HoldsLoop(test::Judge(r).c, kube::Stage::kScore);
  };
  EXPECT_FALSE(holds(0.013));
  EXPECT_TRUE(holds(0.011)) << "five times the cost";
}

TEST(HoldsLoopTest, WithoutABaselineNothingBecameCostlier) {
  auto r = test::Judge([](int) { return test::Attempt{.score = 0.06}; });
  r.c.baseline.reset();
  EXPECT_FALSE(HoldsLoop(r.c, kube::Stage::kScore));
}

}  // namespace
}  // namespace schedlens
