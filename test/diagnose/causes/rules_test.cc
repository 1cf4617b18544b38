#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

/// Calls that were sampled of one plugin, and seconds of a call.
struct SampledPlugin {
  const char* plugin;
  double calls, seconds;
};

std::vector<PluginRow> SampledAt(kube::ExtensionPoint point,
                                 const std::vector<SampledPlugin>& plugins) {
  std::vector<PluginRow> rows;
  for (const SampledPlugin& one : plugins) {
    rows.push_back({std::string(ToString(point)), one.plugin, one.calls, one.seconds, {}});
  }
  return rows;
}

/// So many attempts now, a thousand in the baseline, and plugins of Score.
WindowEvidence ScoredBy(const std::vector<SampledPlugin>& now,
                        const std::vector<SampledPlugin>& before, double attempts = 1000) {
  WindowEvidence c;
  c.now.breakdown.e2e.count = attempts;
  c.baseline.emplace().breakdown.e2e.count = 1000;
  c.plugins = SampledAt(kube::ExtensionPoint::kScore, now);
  c.plugins_before = SampledAt(kube::ExtensionPoint::kScore, before);
  return c;
}

std::optional<PluginPart> LeaderOfScore(const WindowEvidence& c) {
  return LeadingPlugin(c, kube::ExtensionPoint::kScore);
}

TEST(LeadingPluginTest, HasMostOfWhatItsPointGrewBy) {
  // Twice the attempts at the baseline's pace: 0.2 s of each plugin. 7.8 s more of one, 1.8 s of
  // the other.
  const auto c = ScoredBy({{"NodeAffinity", 200, 0.04}, {"ImageLocality", 200, 0.01}},
                          {{"ImageLocality", 100, 0.001}, {"NodeAffinity", 100, 0.001}}, 2000);
  const auto lead = LeaderOfScore(c);
  ASSERT_TRUE(lead);
  EXPECT_EQ(lead->plugin, "NodeAffinity");
  EXPECT_EQ(lead->calls, 200);
  EXPECT_EQ(lead->seconds, 0.04);
  EXPECT_EQ(lead->before, 0.001);
  EXPECT_NEAR(lead->share, 7.8 / 9.6, 1e-9);
  EXPECT_NEAR(lead->low, 0.7479, 1e-4);
  EXPECT_NEAR(lead->high, 0.8771, 1e-4);
  EXPECT_FALSE(LeadingPlugin(c, kube::ExtensionPoint::kFilter)) << "those are plugins of Score";
}

TEST(LeadingPluginTest, AStandingCostIsNoGrowth) {
  // The dearest plugin costs what it did, an attempt.
  for (const double more : {1.0, 3.0}) {
    const auto lead =
        LeaderOfScore(ScoredBy({{"Dear", 100 * more, 0.5}, {"Cheap", 100 * more, 0.02}},
                               {{"Dear", 100, 0.5}, {"Cheap", 100, 0.01}}, 1000 * more));
    ASSERT_TRUE(lead) << more;
    EXPECT_EQ(lead->plugin, "Cheap");
    EXPECT_DOUBLE_EQ(lead->low, 1);
    EXPECT_DOUBLE_EQ(lead->share, 1) << "all of the growth, whatever stands beside it";
    EXPECT_DOUBLE_EQ(lead->high, 1);
  }
}

TEST(LeadingPluginTest, NeedsTwentyCallsAndSomeGrowth) {
  const std::vector<SampledPlugin> usual = {{"A", 100, 0.01}, {"B", 100, 0.02}};
  struct Row {
    std::vector<SampledPlugin> now, before;
    const char* lead;  ///< empty for nobody
  };
  const Row rows[] = {
      {{{"A", 19, 1}}, {}, ""},
      {{{"A", 20, 1}}, {}, "A"},
      {{{"A", 19, 1}, {"B", 100, 0.02}}, usual, ""},  // the second is no leader
      {usual, usual, ""},
      {{{"A", 100, 0.009}, {"B", 90, 0.02}}, usual, ""},  // quicker, and fewer calls
      {{{"A", 100, 0.009}, {"B", 100, 0.03}}, usual, "B"},
      {{{"A", 400, 0.01}, {"B", 100, 0.02}}, usual, "A"},  // called more often
      {{{"A", 100, 0}}, {}, ""},
      {{{"A", 100, HUGE_VAL}, {"B", 100, 0.02}}, usual, ""},
      {{}, usual, ""},
      {{}, {}, ""},
  };
  for (const Row& row : rows) {
    const auto lead = LeaderOfScore(ScoredBy(row.now, row.before));
    EXPECT_EQ(lead ? lead->plugin : "", row.lead) << &row - rows;
  }
}

TEST(LeadingPluginTest, FewerCallsTellItsPartLessWell) {
  struct Row {
    double calls;
    double low, high;
  };
  const Row rows[] = {{20, 0.4984, 1}, {21, 0.5045, 0.9955}, {200, 0.6705, 0.8295}};
  for (const auto& [calls, low, high] : rows) {
    const auto lead = LeaderOfScore(ScoredBy({{"A", calls, 0.03}, {"B", calls, 0.01}}, {}));
    ASSERT_TRUE(lead) << calls;
    EXPECT_DOUBLE_EQ(lead->share, 0.75);
    EXPECT_NEAR(lead->low, low, 1e-4) << calls;
    EXPECT_NEAR(lead->high, high, 1e-4) << calls;
  }
}

TEST(LeadingPluginTest, WithoutABaselineAllOfItsTimeCounts) {
  auto c = ScoredBy({{"Dear", 100, 0.06}, {"Cheap", 100, 0.02}}, {});
  c.baseline.reset();
  const auto lead = LeaderOfScore(c);
  ASSERT_TRUE(lead);
  EXPECT_EQ(lead->plugin, "Dear");
  EXPECT_DOUBLE_EQ(lead->share, 0.75);
  EXPECT_FALSE(lead->before);
}

}  // namespace
}  // namespace schedlens
