#include "diagnose/episodes/hurt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// One column: pods and attempts by the bound of their bucket.
struct Counted {
  std::map<double, double> pods = {}, attempts = {};
  std::vector<double> results = {0, 0, 0};
};

ColumnCounts OneColumn(const Counted& counted) {
  ColumnCounts c;
  c.period = 60;
  c.edges = {0, 60'000};
  c.nobody_here = {false};
  c.pod_bounds = c.attempt_bounds = {0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, kInf};
  c.pods = c.attempts = CountTable(1, c.pod_bounds.size());
  c.results = c.waiting = CountTable(1, 3);
  const auto fill = [&](const std::map<double, double>& from, CountTable* to) {
    for (const auto& [bound, n] : from) {
      const auto at = std::find(c.pod_bounds.begin(), c.pod_bounds.end(), bound);
      to->Set(0, static_cast<std::size_t>(at - c.pod_bounds.begin()), n);
    }
  };
  fill(counted.pods, &c.pods);
  fill(counted.attempts, &c.attempts);
  for (std::size_t k = 0; k < 3; ++k) c.results.Set(0, k, counted.results[k]);
  c.has_pods = c.pods.Total() > 0;
  return c;
}

std::vector<HurtKind> KindsOf(const std::vector<Hurt>& hurts) {
  std::vector<HurtKind> kinds;
  for (const Hurt& one : hurts) kinds.push_back(one.kind);
  return kinds;
}

const Counted kQuickPods{.pods = {{0.064, 10'000}}};

TEST(HurtsAgainstTest, ATailHurtsBeyondTheCalmsOwnShareAndChance) {
  using Pods = std::map<double, double>;
  const struct {
    const char* name;
    Pods calm, now;
    std::vector<HurtKind> kinds;
  } cases[] = {
      {"2 in 100", {{0.064, 1e4}}, {{0.064, 980}, {4.096, 20}}, {HurtKind::kTail}},
      {"1.2 in 100 may be chance", {{0.064, 1e4}}, {{0.064, 988}, {4.096, 12}}, {}},
      {"1.05 in 100 of many are no chance",
       {{0.064, 1e4}},
       {{0.064, 9895}, {4.096, 105}},
       {HurtKind::kTail}},
      {"over half a second, eight times the calm's p99",
       {{0.064, 1e4}},
       {{0.064, 980}, {1.024, 20}},
       {HurtKind::kTail}},
      {"under half a second", {{0.064, 1e4}}, {{0.064, 980}, {0.512, 20}}, {}},
      {"over half a second, twice the calm's p99",
       {{0.064, 9800}, {0.256, 200}},
       {{0.064, 900}, {1.024, 100}},
       {}},
      {"too few pods", {{0.064, 1e4}}, {{4.096, 19}}, {}},
      {"few, all of them slow",
       {{0.064, 1e4}},
       {{4.096, 20}},
       {HurtKind::kTail, HurtKind::kMedian}},
      {"always 0.9 in 100", {{0.064, 9910}, {4.096, 90}}, {{0.064, 982}, {4.096, 18}}, {}},
      {"from 0.9 to 3 in 100",
       {{0.064, 9910}, {4.096, 90}},
       {{0.064, 970}, {4.096, 30}},
       {HurtKind::kTail}},
      {"under 1.5 times the calm's p99",
       {{0.064, 9800}, {4.096, 200}},
       {{0.064, 900}, {4.096, 100}},
       {}},
      {"no calm to compare with", {}, {{0.064, 980}, {4.096, 20}}, {HurtKind::kTail}},
      {"nothing", {{0.064, 1e4}}, {}, {}},
  };
  for (const auto& c : cases) {
    const CalmState calm = StateOf(OneColumn({.pods = c.calm}));
    EXPECT_EQ(KindsOf(HurtsAgainst(OneColumn({.pods = c.now}), calm)), c.kinds) << c.name;
  }
}

TEST(HurtsAgainstTest, TheHighestBoundThatHurtsIsTold) {
  const auto hurts =
      HurtsAgainst(OneColumn({.pods = {{0.064, 900}, {2.048, 60}, {4.096, 30}, {kInf, 10}}}),
                   StateOf(OneColumn(kQuickPods)));
  ASSERT_EQ(hurts.size(), 1U);
  EXPECT_EQ(hurts[0].value, 2.048) << "the 10 above 4.096 may be chance";
  EXPECT_DOUBLE_EQ(hurts[0].share, 0.04);
}

TEST(HurtsAgainstTest, HalfOfThePodsHurtFromThreeTimesTheCalmOn) {
  const ColumnCounts now = OneColumn({.pods = {{0.256, 1000}}});  // median 0.192
  const auto against = [&](double bound) {
    return KindsOf(HurtsAgainst(now, StateOf(OneColumn({.pods = {{bound, 1000}}}))));
  };
  EXPECT_THAT(against(0.064), ElementsAre(HurtKind::kMedian)) << "three times 0.032 is less";
  EXPECT_THAT(against(0.128), IsEmpty()) << "three times 0.096 is more";
}

TEST(HurtsAgainstTest, FailuresHurtFromThreeTimesTheCalmsOn) {
  const struct {
    const char* name;
    std::vector<double> calm, now;
    std::vector<HurtKind> kinds;
  } cases[] = {
      {"1 in 100 errors", {1e4, 0, 0}, {990, 0, 10}, {HurtKind::kErrors}},
      {"fewer", {1e4, 0, 0}, {9901, 0, 99}, {}},
      {"three are few enough", {1e4, 0, 0}, {97, 0, 3}, {HurtKind::kErrors}},
      {"two are too few", {1e4, 0, 0}, {20, 0, 2}, {}},
      {"always 1 in 100", {9900, 0, 100}, {972, 0, 28}, {}},
      {"three times as many", {9900, 0, 100}, {968, 0, 32}, {HurtKind::kErrors}},
      {"1 in 10 found no node", {1e4, 0, 0}, {900, 100, 0}, {HurtKind::kUnschedulable}},
      {"fewer than that", {1e4, 0, 0}, {910, 90, 0}, {}},
      {"nine are too few", {1e4, 0, 0}, {10, 9, 0}, {}},
      {"always a third", {6000, 3000, 0}, {500, 500, 0}, {}},
      {"nothing", {1e4, 0, 0}, {0, 0, 0}, {}},
  };
  for (const auto& c : cases) {
    const CalmState calm = StateOf(OneColumn({.results = c.calm}));
    EXPECT_EQ(KindsOf(HurtsAgainst(OneColumn({.results = c.now}), calm)), c.kinds) << c.name;
  }
}

TEST(HurtsAgainstTest, AReasonSpeaksOfPodsOrOfAttempts) {
  const std::map<double, double> quick = {{0.064, 1000}}, slow = {{0.064, 900}, {4.096, 100}};
  const CalmState calm = StateOf(OneColumn({.pods = quick, .attempts = quick}));
  const struct {
    const char* name;
    Counted now;
    HurtKind kind;
    bool of_attempts;
  } cases[] = {
      {"pods wait", {.pods = slow, .attempts = quick}, HurtKind::kTail, false},
      {"attempts are slow, and so pods wait",
       {.pods = slow, .attempts = slow},
       HurtKind::kTail,
       true},
      {"attempts alone", {.pods = quick, .attempts = slow}, HurtKind::kAttemptTail, true},
      {"pods are not counted", {.attempts = slow}, HurtKind::kAttemptTail, true},
      {"half of the attempts", {.attempts = {{0.256, 100}}}, HurtKind::kAttemptMedian, true},
  };
  for (const auto& c : cases) {
    const auto hurts = HurtsAgainst(OneColumn(c.now), calm);
    ASSERT_EQ(hurts.size(), 1U) << c.name;
    EXPECT_EQ(hurts[0].kind, c.kind) << c.name;
    EXPECT_EQ(hurts[0].of_attempts, c.of_attempts) << c.name;
  }
}

TEST(SlowAllTheTimeTest, IsJudgedByItselfAndNotOfAFew) {
  const struct {
    const char* name;
    Counted now;
    std::vector<HurtKind> kinds;
  } cases[] = {
      {"2 in 100 over a second", {.pods = {{0.064, 980}, {4.096, 20}}}, {HurtKind::kTail}},
      {"fewer", {.pods = {{0.064, 981}, {4.096, 19}}}, {}},
      {"half over 0.16 s", {.pods = {{0.256, 20}}}, {HurtKind::kMedian}},
      {"too few", {.pods = {{4.096, 19}}}, {}},
      {"attempts, where pods are not counted",
       {.attempts = {{4.096, 20}}},
       {HurtKind::kAttemptTail, HurtKind::kAttemptMedian}},
      {"errors", {.results = {99, 0, 3}}, {HurtKind::kErrors}},
      {"nothing", {}, {}},
  };
  for (const auto& c : cases) {
    const ColumnCounts now = OneColumn(c.now);
    EXPECT_EQ(KindsOf(SlowAllTheTime(now, CountsIn(now, 0, 1), kStandingShare)), c.kinds) << c.name;
  }
}

TEST(StateOfTest, CountsAndNumbersOfAllColumnsTogether) {
  const CalmState state =
      StateOf(OneColumn({.pods = {{0.064, 50}, {0.128, 50}}, .results = {90, 0, 10}}));
  EXPECT_DOUBLE_EQ(state.pods_median, 0.064);
  EXPECT_DOUBLE_EQ(state.pods_p99, 0.064 + 0.064 * 0.98);
  EXPECT_NEAR(state.rate, 100.0 / 60, 1e-9);
  EXPECT_DOUBLE_EQ(state.slowness, 0.1) << "the errors'";
  EXPECT_TRUE(StateOf({}).empty());
}

TEST(HurtTest, CountsOfHostileSizeStayNumbers) {
  constexpr double kHuge = 9007199254740991;
  const ColumnCounts huge = OneColumn({.pods = {{0.064, kHuge}, {4.096, kHuge}, {kInf, kHuge}},
                                       .attempts = {{kInf, kHuge}},
                                       .results = {kHuge, kHuge, kHuge}});
  for (const CalmState& calm : {StateOf(OneColumn(kQuickPods)), StateOf(huge), CalmState()}) {
    for (const Hurt& one : HurtsAgainst(huge, calm)) {
      EXPECT_TRUE(std::isfinite(one.value) && one.share >= 0 && one.share <= 1);
    }
  }
  for (const Hurt& one : SlowAllTheTime(huge, CountsIn(huge, 0, 1), kStandingShare)) {
    EXPECT_TRUE(std::isfinite(one.value) && one.share >= 0 && one.share <= 1);
  }
}

TEST(AddHurtTest, EachKindIsToldOnce) {
  std::vector<Hurt> all;
  AddHurt({HurtKind::kTail, 2, 0.1}, &all);
  AddHurt({HurtKind::kLate, 5, 0}, &all);
  AddHurt({HurtKind::kTail, 1, 0.3, true}, &all);
  AddHurt({HurtKind::kLate, 7, 0}, &all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].value, 1) << "of the same part as its share";
  EXPECT_EQ(all[0].share, 0.3);
  EXPECT_TRUE(all[0].of_attempts);
  EXPECT_EQ(all[1].value, 12);
}

}  // namespace
}  // namespace schedlens
