#include "diagnose/pods/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "diagnose/incident.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using enum Holder;
using test::kIncident;
using test::kIncidentScrapes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kFiveMinutes = 300;
constexpr TimeRange kTold = {0, 300'000};

using HeldSeconds = std::map<Holder, BoundedValue>;

HeldTime HeldAs(const HeldSeconds& seconds, double length = kFiveMinutes) {
  HeldTime held;
  for (BoundedValue& one : held.seconds) one = {0, 0, 0};
  for (const auto& [holder, value] : seconds) held[holder] = value;
  held.length = length;
  return held;
}

/// Against a calm without any waiting.
PodLedger LedgerOf(const HeldSeconds& seconds) {
  PodLedger ledger;
  ledger.now = HeldAs(seconds);
  ledger.before = HeldAs({});
  return ledger;
}

Absence AbsenceOf(const std::string& id, double start, double end) {
  Absence one;
  one.id = id;
  one.object = "10.0.0.1:10259";
  one.start.low = one.start.value = one.start.high = static_cast<TimeMs>(1000 * start);
  one.end.low = one.end.value = one.end.high = static_cast<TimeMs>(1000 * end);
  return one;
}

Finding CauseOf(const std::string& id, Confidence confidence) {
  Finding finding;
  finding.id = id;
  finding.confidence = confidence;
  return finding;
}

/// Each as "id confidence".
std::vector<std::string> Told(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& one : findings) all.push_back(one.id + " " + ToString(one.confidence));
  return all;
}

std::vector<std::string> ToldOf(const PodLedger& ledger, std::vector<Finding> causes = {},
                                bool doubtful = false) {
  return Told(WithPods(ledger, std::move(causes), doubtful));
}

void ExpectBounded(const Measured& m, double low, double value, double high) {
  ASSERT_TRUE(m.low && m.value && m.high);
  EXPECT_NEAR(*m.low, low, 1e-9);
  EXPECT_NEAR(*m.value, value, 1e-9);
  EXPECT_NEAR(*m.high, high, 1e-9);
}

TEST(PodLedgerTest, GrowthIsAgainstCalmTimeOfTheSameLength) {
  PodLedger ledger;
  ledger.now = HeldAs({{kQueue, {100, 120, 150}}});
  const auto growth = [&] {
    const BoundedValue x = ledger.Growth(kQueue);
    return std::vector{x.low, x.value, x.high};
  };
  EXPECT_THAT(growth(), ElementsAre(100, 120, 150)) << "no baseline";
  ledger.before = HeldAs({{kQueue, {10, 20, 30}}}, kFiveMinutes / 2);
  EXPECT_THAT(growth(), ElementsAre(40, 80, 130)) << "twice 30, 20 and 10 less";
  ledger.before->pods = 1000, ledger.now->pods = 500;
  EXPECT_THAT(growth(), ElementsAre(85, 110, 145)) << "half of them: half as many pods came";
}

TEST(PodLedgerTest, SharesAreOfAllThatGrew) {
  PodLedger ledger = LedgerOf({{kNobody, {50, 60, 70}}, {kQueue, {30, 40, 50}}});
  ExpectBounded(ledger.Share({kNobody}), 50.0 / 100, 0.6, 70.0 / 100);
  ExpectBounded(ledger.Share({kNobody, kQueue}), 1, 1, 1);
  ExpectBounded(ledger.Share({kGate}), 0, 0, 0);
  ledger.before = HeldAs({{kQueue, {500, 500, 500}}});
  ExpectBounded(ledger.Share({kNobody}), 1, 1, 1);  // the queue has less than before
  EXPECT_EQ(ledger.Share({kNobody}).basis.kind, BasisKind::kGrowth);
}

TEST(PodLedgerTest, WhatDoesNotCountIsInNoShare) {
  PodLedger ledger =
      LedgerOf({{kGate, {900, 900, 900}}, {kQueue, {75, 75, 75}}, {kAttempt, {25, 25, 25}}});
  ExpectBounded(ledger.Share({kQueue}), 0.075, 0.075, 0.075);
  EXPECT_TRUE(ledger.Leads({kGate}));
  ledger.counts[static_cast<std::size_t>(kGate)] = false;
  ExpectBounded(ledger.Share({kQueue}), 0.75, 0.75, 0.75);
  ExpectBounded(ledger.Share({kGate}), 0, 0, 0);
  EXPECT_FALSE(ledger.Leads({kGate}));
  EXPECT_TRUE(ledger.Leads({kQueue}));
}

TEST(PodLedgerTest, NoShareWithoutGrowthAndOpenEndsMayBeAll) {
  EXPECT_FALSE(PodLedger{}.Share({kQueue}).value);
  EXPECT_FALSE(LedgerOf({{kQueue, {20, 25, 29}}}).Share({kQueue}).value);
  const PodLedger open = LedgerOf({{kQueue, {60, 100, kUnbounded}}, {kAttempt, {40, 100, 140}}});
  ExpectBounded(open.Share({kQueue}), 60.0 / 200, 0.5, 1);
  ExpectBounded(open.Share({kAttempt}), 0, 0.5, 140.0 / 200);
}

TEST(PodLedgerTest, LeadsWhoHasMoreAtBestGuessThanAnyOtherAtMost) {
  const PodLedger ledger =
      LedgerOf({{kNobody, {10, 60, 70}}, {kQueue, {10, 50, 80}}, {kAttempt, {0, 5, 65}}});
  EXPECT_FALSE(ledger.Leads({kNobody})) << "the queue may have 80";
  EXPECT_FALSE(ledger.Leads({kQueue}));
  EXPECT_TRUE(ledger.Leads({kNobody, kQueue})) << "110 against 65";
  EXPECT_FALSE(PodLedger{}.Leads({kQueue}));
}

TEST(HoldersOfTest, EachHasItsSecondsShareAndGrowth) {
  PodLedger ledger = LedgerOf({{kQueue, {30, 40, 50}}, {kAttempt, {50, 60, 90}}});
  ledger.before = HeldAs({{kQueue, {5, 10, 15}}});
  const auto holders = HoldersOf(ledger);
  ASSERT_EQ(holders.size(), kHolders);
  std::vector<std::string> ids;
  for (const PodHolder& one : holders) ids.push_back(one.id);
  EXPECT_THAT(ids, ElementsAre("gate", "unschedulable", "backoff", "nobody", "queue", "attempt"));
  const PodHolder& queue = holders[4];
  ExpectBounded(queue.seconds, 30, 40, 50);
  ExpectBounded(queue.share, 30.0 / 120, 40.0 / 100, 50.0 / 100);
  EXPECT_EQ(queue.seconds.unit, "s");
  EXPECT_EQ(queue.share.unit, "1");
  ASSERT_TRUE(queue.growth);
  ExpectBounded(*queue.growth, 15, 30, 45);
  ExpectBounded(holders[0].share, 0, 0, 0);
}

TEST(HoldersOfTest, StagesOfAttemptsComeBehindThem) {
  PodLedger ledger = LedgerOf({{kQueue, {30, 40, 50}}, {kAttempt, {50, 60, 90}}});
  ledger.now->stages[kube::Stage::kBind] = {30, 45, 60};
  ledger.now->stages[kube::Stage::kAlgorithm] = {4, 5, 6};
  ledger.before = HeldAs({{kAttempt, {5, 10, 15}}});
  ledger.before->stages[kube::Stage::kBind] = {5, 8, 15};
  const auto holders = HoldersOf(ledger);
  ASSERT_EQ(holders.size(), kHolders + 2);
  EXPECT_EQ(holders[kHolders].id, "attempt.algorithm");
  ExpectBounded(*holders[kHolders].growth, 4, 5, 6);
  EXPECT_EQ(holders[kHolders + 1].id, "attempt.bind");
  ExpectBounded(holders[kHolders + 1].seconds, 30, 45, 60);
  ExpectBounded(*holders[kHolders + 1].growth, 15, 37, 55);
  EXPECT_NEAR(*holders[kHolders + 1].share.value, 0.45, 1e-9) << "of all pod-seconds";
}

TEST(HoldersOfTest, OpenEndsAreAbsentAndSoAreQueuesWithoutGauges) {
  EXPECT_THAT(HoldersOf({}), IsEmpty());
  PodLedger ledger;
  ledger.now = HeldAs({{kQueue, {30, 40, kUnbounded}}, {kAttempt, {60, 60, 60}}});
  const auto holders = HoldersOf(ledger);
  ASSERT_EQ(holders.size(), kHolders);
  EXPECT_FALSE(holders[4].seconds.high);
  EXPECT_FALSE(holders[4].growth) << "no baseline";
  ExpectBounded(holders[4].share, 0, 0.4, 1);
  ExpectBounded(holders[5].share, 0, 0.6, 1);
}

TEST(JudgePodsTest, AbsencesAreEvents) {
  PodLedger ledger;
  ledger.absences = {AbsenceOf("scheduler.down", 10, 70),
                     AbsenceOf("scheduler.no-leader", 100, 110)};
  Diagnosis d;
  d.alert.emplace();
  JudgePods(ledger, false, &d);
  const auto& events = d.events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].id, "scheduler.down");
  EXPECT_EQ(events[0].object, "10.0.0.1:10259");
  EXPECT_EQ(events[0].start, 10'000);
  EXPECT_EQ(events[0].end, 70'000);
  EXPECT_EQ(events[1].id, "scheduler.no-leader");
}

TEST(JudgePodsTest, AnAlertOnAttemptsAboveItsThresholdIsAboutAttempts) {
  const PodLedger ledger = LedgerOf({{kGate, {60, 60, 60}}, {kAttempt, {40, 40, 40}}});
  const struct {
    Verdict verdict;
    bool given;
    std::optional<Decided> decided;
    std::string metric;
    std::size_t findings;
  } cases[] = {
      {Verdict::kIncident, true, Decided::kAbove, "scheduler_scheduling_attempt_duration_seconds",
       0},
      {Verdict::kIncident, true, Decided::kAbove, "scheduler_pod_scheduling_sli_duration_seconds",
       1},
      {Verdict::kIncident, true, {}, "scheduler_scheduling_attempt_duration_seconds", 1},
      {Verdict::kIncident, false, Decided::kAbove, "", 1},
      {Verdict::kNoIncident, false, {}, "", 0},
  };
  for (const auto& c : cases) {
    Diagnosis d;
    d.verdict = c.verdict;
    d.alert.emplace();
    d.alert->given = c.given;
    d.alert->decided = c.decided;
    d.alert->metric = c.metric;
    JudgePods(ledger, false, &d);
    EXPECT_EQ(d.findings.size(), c.findings) << c.metric;
    EXPECT_EQ(d.holders.size(), kHolders);
  }
}

TEST(WithPodsTest, HalfOfTheGrowthForSureIsCertain) {
  const struct {
    BoundedValue gate, queue;  ///< the queue's time is told apart by nothing here
    std::vector<std::string> told;
  } cases[] = {
      {{60, 60, 60}, {40, 40, 40}, {"queue.gated certain"}},
      {{30, 60, 60}, {40, 40, 70}, {"queue.gated likely"}},    // 0.3 at least
      {{10, 60, 60}, {40, 40, 90}, {"queue.gated possible"}},  // 0.1 at least
  };
  for (const auto& c : cases) {
    PodLedger ledger = LedgerOf({{kGate, c.gate}, {kAttempt, c.queue}});
    EXPECT_EQ(ToldOf(ledger), c.told) << c.gate.low;
  }
  EXPECT_THAT(ToldOf(LedgerOf({{kGate, {19, 19, 19}}, {kAttempt, {81, 81, 81}}})), IsEmpty());
}

TEST(WithPodsTest, WithoutABaselineAllTimeIsGrowthAndTheEvidenceSaysSo) {
  PodLedger ledger = LedgerOf({{kGate, {60, 60, 60}}, {kAttempt, {40, 40, 40}}});
  const auto evidence = [&] { return WithPods(ledger, {}, false).at(0).evidence.at(0).text.id; };
  EXPECT_EQ(evidence(), "evidence.held");
  ledger.before.reset();
  EXPECT_EQ(evidence(), "evidence.held.alone");
  EXPECT_THAT(ToldOf(ledger), ElementsAre("queue.gated certain"));
}

TEST(WithPodsTest, NobodyScheduling) {
  const auto with = [](double length, const HeldSeconds& seconds) {
    PodLedger ledger = LedgerOf(seconds);
    ledger.absences = {AbsenceOf("scheduler.no-leader", 0, 5),
                       AbsenceOf("scheduler.down", 60, 60 + length)};
    return ToldOf(ledger);
  };
  EXPECT_THAT(with(60, {{kNobody, {80, 80, 80}}, {kQueue, {20, 20, 20}}}),
              ElementsAre("scheduler.down certain"))
      << "called by the longest";
  EXPECT_THAT(with(60, {{kNobody, {40, 40, 40}}, {kQueue, {50, 50, 50}}, {kGate, {10, 10, 10}}}),
              ElementsAre("scheduler.down likely"))
      << "pods that queued up meanwhile wait on";
  EXPECT_THAT(with(60, {{kGate, {90, 90, 90}}, {kNobody, {10, 10, 10}}}),
              ElementsAre("queue.gated certain", "scheduler.down possible"))
      << "a long one is told whatever it weighs";
  EXPECT_THAT(with(15, {{kGate, {90, 90, 90}}, {kNobody, {10, 10, 10}}}),
              ElementsAre("queue.gated certain"));
  EXPECT_THAT(with(15, {{kNobody, {90, 90, 90}}}), ElementsAre("scheduler.down certain"));
}

TEST(WithPodsTest, ALongAbsenceIsToldWithoutQueuesGauges) {
  PodLedger ledger;
  ledger.absences = {AbsenceOf("scheduler.stuck", 0, 60)};
  const auto findings = WithPods(ledger, {}, false);
  EXPECT_THAT(Told(findings), ElementsAre("scheduler.stuck possible"));
  EXPECT_FALSE(findings[0].share);
  EXPECT_THAT(ToldOf(PodLedger{}, {CauseOf("bind.apiserver", Confidence::kCertain)}),
              ElementsAre("bind.apiserver certain"));
}

TEST(WithPodsTest, WokenByTheTimerAndBoundThenIsAFlush) {
  const struct {
    const char* name;
    double flushed, woken, again;
    const char* told;
  } cases[] = {
      {"all by the timer, all bound", 40, 0, 40, "queue.flush certain"},
      {"as many by events, half bound", 40, 40, 20, "queue.flush certain"},
      {"more by events", 40, 41, 40, "attempts.unschedulable certain"},
      {"few bound then: they fit nowhere", 40, 0, 19, "attempts.unschedulable certain"},
      {"none", 0, 0, 40, "attempts.unschedulable certain"},
  };
  for (const auto& c : cases) {
    PodLedger ledger = LedgerOf({{kUnschedulable, {80, 80, 80}}, {kAttempt, {20, 20, 20}}});
    ledger.flushed = c.flushed;
    ledger.woken = c.woken;
    ledger.again = c.again;
    EXPECT_THAT(ToldOf(ledger), ElementsAre(c.told)) << c.name;
  }
}

TEST(WithPodsTest, FindingsNameWhatTheyAreAbout) {
  PodLedger down = LedgerOf({{kNobody, {80, 80, 80}}, {kQueue, {20, 20, 20}}});
  down.absences = {AbsenceOf("scheduler.down", 60, 120)};
  down.absences.front().object = "cp-1:10259";
  EXPECT_EQ(WithPods(down, {}, false).at(0).object, "cp-1:10259");

  PodLedger gated = LedgerOf({{kGate, {80, 80, 80}}, {kAttempt, {20, 20, 20}}});
  EXPECT_EQ(WithPods(gated, {}, false).at(0).object, "") << "of many workloads";
  gated.gated = "shop/cart";
  EXPECT_EQ(WithPods(gated, {}, false).at(0).object, "shop/cart");

  PodLedger busy = LedgerOf({{kQueue, {80, 80, 80}}, {kAttempt, {20, 20, 20}}});
  busy.loop_busy = 0.5;
  EXPECT_EQ(WithPods(busy, {}, false).at(0).object, "") << "nothing says what the loop did";
  busy.now->loop[kube::Stage::kAlgorithm] = {70, 75, 80};
  EXPECT_EQ(WithPods(busy, {}, false).at(0).object, "algorithm");
  busy.let_go = 50, busy.gated = "shop/cart";
  EXPECT_EQ(WithPods(busy, {}, false).at(0).object, "shop/cart") << "pods let go at once";
}

TEST(WithPodsTest, PodsThatErrorsSentBackAreNotRejected) {
  PodLedger ledger = LedgerOf({{kBackoff, {80, 80, 80}}, {kAttempt, {20, 20, 20}}});
  EXPECT_THAT(ToldOf(ledger), ElementsAre("attempts.unschedulable certain"));
  ledger.errors = true;
  EXPECT_THAT(ToldOf(ledger), ElementsAre("attempts.error certain"));
}

TEST(WithPodsTest, TheLoopIsCalledBusyWhereNothingElseSaysByWhat) {
  PodLedger ledger = LedgerOf({{kQueue, {80, 80, 80}}, {kAttempt, {20, 20, 20}}});
  ledger.loop_busy = 0.5;
  EXPECT_THAT(ToldOf(ledger), ElementsAre("queue.loop-busy likely"));
  ledger.split = false;
  EXPECT_THAT(ToldOf(ledger), ElementsAre("queue.loop-busy possible")) << "it may be one stage";
  ledger.split = true;
  EXPECT_THAT(ToldOf(ledger, {CauseOf("algorithm.filter", Confidence::kPossible)}),
              ::testing::Contains("queue.loop-busy possible"))
      << "it may be the filter";
  ledger.loop_busy = 0.2;
  EXPECT_THAT(ToldOf(ledger), IsEmpty()) << "it rests most of the time";
  ledger.groups = 0.6;
  EXPECT_THAT(ToldOf(ledger), ElementsAre("queue.pod-group likely"));
  ledger.groups = 0.4;
  EXPECT_THAT(ToldOf(ledger), IsEmpty());
  EXPECT_THAT(ToldOf(ledger, {CauseOf("algorithm.filter", Confidence::kLikely)}),
              ElementsAre("algorithm.filter likely"));
  EXPECT_THAT(ToldOf(ledger, {CauseOf("algorithm.filter", Confidence::kPossible)}),
              ElementsAre("algorithm.filter possible"));
  ledger.let_go = 50;
  ledger.most_ready = 60;
  EXPECT_THAT(ToldOf(ledger), ElementsAre("queue.gated likely")) << "pods let go at once";
  ledger.let_go = 29;
  EXPECT_THAT(ToldOf(ledger), IsEmpty()) << "less than half of them";
  ledger.let_go = 19, ledger.most_ready = 20;
  EXPECT_THAT(ToldOf(ledger), IsEmpty()) << "a few";
}

TEST(WithPodsTest, WhatFollowsABurstIsAConsequenceOfWhatMadeIt) {
  const std::vector<Finding> causes = {CauseOf("bind.client-throttling", Confidence::kCertain),
                                       CauseOf("algorithm.filter", Confidence::kPossible)};
  const auto told = [&](const PodLedger& ledger) { return ToldOf(ledger, causes); };
  const std::vector<std::string> as_they_are = {"bind.client-throttling certain",
                                                "algorithm.filter possible"};
  PodLedger ledger;
  ledger.absences = {AbsenceOf("scheduler.no-leader", 10, 25)};
  EXPECT_EQ(told(ledger), as_they_are) << "seconds";
  ledger.absences = {AbsenceOf("scheduler.no-leader", 10, 90)};
  EXPECT_THAT(told(ledger), ElementsAre("scheduler.no-leader likely", "algorithm.filter possible"));
  const std::vector<Finding> found = WithPods(ledger, causes, false);
  ASSERT_EQ(found[0].consequences.size(), 1U);
  EXPECT_EQ(found[0].consequences[0].id, "bind.client-throttling");

  PodLedger little = LedgerOf({{kNobody, {5, 10, 15}}, {kAttempt, {90, 90, 90}}});
  little.absences = ledger.absences;
  EXPECT_THAT(told(little), ::testing::Contains("bind.client-throttling certain"))
      << "a tenth of what pods waited";

  PodLedger gate;
  gate.let_go = 60, gate.bound = 110;
  EXPECT_THAT(told(gate), ElementsAre("queue.gated likely", "algorithm.filter possible"));
  gate.bound = 130;
  EXPECT_EQ(told(gate), as_they_are) << "less than half of the bound pods";
  EXPECT_THAT(ToldOf(gate, {CauseOf("bind.apiserver", Confidence::kLikely)}),
              ElementsAre("bind.apiserver likely"));
}

TEST(WithPodsTest, ASilenceIsAsSureAsWhatTellsOfIt) {
  PodLedger ledger;
  ledger.absences = {AbsenceOf("scheduler.down", 10, 90)};
  ledger.absences[0].lasts = true;
  const auto told = [&] { return WithPods(ledger, {}, false).at(0); };
  EXPECT_EQ(told().confidence, Confidence::kLikely);
  EXPECT_EQ(InEnglish(told().title), "No scheduler is running");
  EXPECT_EQ(told().evidence.at(0).text.id, "evidence.nobody.gone");
  ledger.absences[0].sure = true;
  EXPECT_EQ(told().confidence, Confidence::kCertain);
  EXPECT_EQ(told().evidence.at(0).text.id, "evidence.nobody.down");
}

TEST(WithPodsTest, CausesOfAttemptsWithoutAFifthComeLast) {
  const PodLedger ledger = LedgerOf({{kGate, {90, 90, 90}}, {kAttempt, {10, 10, 10}}});
  EXPECT_THAT(ToldOf(ledger, {CauseOf("bind.apiserver", Confidence::kCertain),
                              CauseOf("data.reset", Confidence::kPossible)}),
              ElementsAre("queue.gated certain", "data.reset possible", "bind.apiserver possible"));
  const PodLedger open = LedgerOf({{kGate, {50, 90, 90}}, {kAttempt, {10, 10, 50}}});
  EXPECT_THAT(ToldOf(open, {CauseOf("bind.apiserver", Confidence::kCertain)}),
              ElementsAre("queue.gated certain", "bind.apiserver certain"))
      << "it may have half";
}

TEST(WithPodsTest, OfPossibleOnesTheHeavierComesFirst) {
  PodLedger ledger =
      LedgerOf({{kGate, {1, 40, 80}}, {kAttempt, {10, 30, 90}}, {kBackoff, {0, 30, 60}}});
  const std::vector<Finding> bind = {CauseOf("bind.apiserver", Confidence::kPossible)};
  EXPECT_THAT(ToldOf(ledger, bind),
              ElementsAre("queue.gated possible", "attempts.unschedulable possible",
                          "bind.apiserver possible"));
  (*ledger.now)[kAttempt].value = 60;
  EXPECT_EQ(ToldOf(ledger, bind).front(), "bind.apiserver possible");
}

TEST(WithPodsTest, WhereNumbersContradictNothingIsCertain) {
  PodLedger ledger = LedgerOf({{kNobody, {80, 80, 80}}, {kQueue, {20, 20, 20}}});
  ledger.absences = {AbsenceOf("scheduler.down", 60, 120)};
  EXPECT_THAT(ToldOf(ledger, {}, true), ElementsAre("scheduler.down likely"));
}

TEST(WithPodsTest, WhatAttemptsSayTooIsOneFinding) {
  const struct {
    BoundedValue unschedulable, attempt;  ///< at least 0.3 of the growth, and 0.1
    std::size_t evidence;
  } cases[] = {{{30, 60, 60}, {40, 40, 70}, 3}, {{10, 55, 60}, {40, 45, 90}, 1}};
  for (const auto& c : cases) {
    const PodLedger ledger = LedgerOf({{kUnschedulable, c.unschedulable}, {kAttempt, c.attempt}});
    Finding cause = CauseOf("attempts.unschedulable", Confidence::kLikely);
    cause.evidence.push_back({Message("evidence.held.alone", {}), {}});
    const auto findings = WithPods(ledger, {cause}, false);
    EXPECT_THAT(Told(findings), ElementsAre("attempts.unschedulable likely"));
    EXPECT_GE(findings[0].evidence.size(), c.evidence) << "the attempts' own, and of two holders";
  }
}

/// A verdict and an alert that was given, as a diagnosis has them before its pods are judged.
struct Unjudged {
  Verdict verdict = Verdict::kNoIncident;
  std::string metric = "scheduler_pending_pods";
  FiresState fires = FiresState::kYes;
  bool given = true;
};

Diagnosis DiagnosisOf(const Unjudged& as) {
  Diagnosis d;
  d.verdict = as.verdict;
  d.alert = AlertVerdict();
  d.alert->metric = as.metric;
  d.alert->fires.state = as.fires;
  d.alert->given = as.given;
  d.findings = {CauseOf("bind.apiserver", Confidence::kCertain)};
  return d;
}

TEST(JudgePodsTest, AnAlertThatCountsPodsAndFiresIsAnIncidentWhereAHolderIsTheCause) {
  const PodLedger behind_a_gate = LedgerOf({{kGate, {90, 90, 90}}, {kAttempt, {10, 10, 10}}});
  const struct {
    const char* name;
    Unjudged as;
    Verdict verdict;
  } cases[] = {
      {"it fires", {}, Verdict::kIncident},
      {"attempts cannot tell", {.verdict = Verdict::kUndecidable}, Verdict::kIncident},
      {"another program's", {.metric = "kube_pod_status_phase"}, Verdict::kIncident},
      {"a quantile of pods",
       {.metric = "scheduler_pod_scheduling_sli_duration_seconds"},
       Verdict::kIncident},
      {"it does not fire", {.fires = FiresState::kNo}, Verdict::kNoIncident},
      {"nobody knows", {.fires = FiresState::kUnclear}, Verdict::kNoIncident},
      {"not the user's", {.given = false}, Verdict::kNoIncident},
      {"of attempts",
       {.metric = "scheduler_e2e_scheduling_duration_seconds"},
       Verdict::kNoIncident},
      {"of something else", {.metric = "up"}, Verdict::kNoIncident},
      {"shown wrongly", {.verdict = Verdict::kArtifact}, Verdict::kArtifact},
      {"no data", {.verdict = Verdict::kInsufficientData}, Verdict::kInsufficientData},
  };
  for (const auto& c : cases) {
    Diagnosis d = DiagnosisOf(c.as);
    JudgePods(behind_a_gate, false, &d);
    EXPECT_EQ(d.verdict, c.verdict) << c.name;
    const bool incident = c.verdict == Verdict::kIncident;
    EXPECT_EQ(Told(d.findings).front(), incident ? "queue.gated certain" : "bind.apiserver certain")
        << c.name;
  }
}

TEST(JudgePodsTest, NotWhereAHolderIsPossibleAtMost) {
  const struct {
    const char* name;
    PodLedger ledger;
    bool doubtful;
    Verdict verdict;
  } cases[] = {
      {"attempts", LedgerOf({{kAttempt, {90, 90, 90}}}), false, Verdict::kNoIncident},
      {"it may be the gate", LedgerOf({{kGate, {1, 60, 80}}, {kAttempt, {10, 40, 90}}}), false,
       Verdict::kNoIncident},
      {"no gauges of queues", PodLedger(), false, Verdict::kNoIncident},
      {"likely, numbers contradict", LedgerOf({{kGate, {90, 90, 90}}, {kAttempt, {10, 10, 10}}}),
       true, Verdict::kIncident},
  };
  for (const auto& c : cases) {
    Diagnosis d = DiagnosisOf({});
    JudgePods(c.ledger, c.doubtful, &d);
    EXPECT_EQ(d.verdict, c.verdict) << c.name;
  }
}

CauseBehind BehindIt(const std::string& id, Confidence confidence) {
  CauseBehind one;
  one.id = id;
  one.object = "object";
  one.confidence = confidence;
  return one;
}

std::vector<std::string> Links(const std::vector<ChainLink>& chain) {
  std::vector<std::string> all;
  for (const ChainLink& link : chain) {
    std::string text = link.id;
    for (const std::string& next : link.leads_to) text += " > " + next;
    all.push_back(text);
  }
  return all;
}

TEST(ChainOfTest, TheFirstLinkIsWhatIsBehindTheFirstCause) {
  Finding cause = CauseOf("bind.apiserver", Confidence::kCertain);
  cause.consequences = {{"queue.backlog", {}, {}}};
  EXPECT_THAT(Links(ChainOf({}, kTold, {cause})),
              ElementsAre("bind.apiserver > queue.backlog", "queue.backlog"));
  cause.behind = {BehindIt("load.job", Confidence::kCertain),
                  BehindIt("etcd.peer", Confidence::kPossible),
                  BehindIt("etcd.disk", Confidence::kLikely)};
  const auto chain = ChainOf({}, kTold, {cause, CauseOf("preemption", Confidence::kCertain)});
  EXPECT_THAT(Links(chain), ElementsAre("etcd.disk > bind.apiserver",
                                        "bind.apiserver > queue.backlog", "queue.backlog"));
  EXPECT_EQ(chain[0].object, "object");
  EXPECT_EQ(chain[0].start, kTold.start);
  EXPECT_EQ(chain[0].end, kTold.end);
}

TEST(ChainOfTest, AnAbsenceHasItsOwnTime) {
  PodLedger ledger;
  ledger.absences = {AbsenceOf("scheduler.down", 60, 120)};
  Finding down = CauseOf("scheduler.down", Confidence::kCertain);
  down.object = "10.0.0.1:10259";
  const auto chain = ChainOf(ledger, kTold, {down});
  ASSERT_THAT(Links(chain), ElementsAre("scheduler.down"));
  EXPECT_EQ(chain[0].object, "10.0.0.1:10259");
  EXPECT_EQ(chain[0].start, 60'000);
  EXPECT_EQ(chain[0].end, 120'000);
}

TEST(ChainOfTest, RemarksLeadToNothing) {
  EXPECT_THAT(ChainOf({}, kTold, {}), IsEmpty());
  EXPECT_THAT(ChainOf({}, kTold, {CauseOf("data.reset", Confidence::kCertain)}), IsEmpty());
}

TEST(MeasurePodsTest, CountsWhatHappenedInTheWindow) {
  test::Recorder r;
  const auto queue = [&](const char* name, double pods) {
    r.Set("scheduler_pending_pods", {{"queue", name}}, pods);
  };
  const auto enter = [&](const char* event, double pods) {
    r.Add("scheduler_queue_incoming_pods_total", {{"queue", "active"}, {"event", event}}, pods);
  };
  int scrape = 0;
  for (const char* name : {"active", "gated", "backoff", "unschedulable"}) queue(name, 0);
  for (const char* event : {"PodAdd", "UnschedulableTimeout", "NodeAdd"}) enter(event, 0);
  test::RecordIncident(&r, test::Quick, 50, [&](test::Recorder&) {
    ++scrape;
    enter("UnschedulableTimeout", 2);
    enter("NodeAdd", 1);
    queue("gated", scrape < 10 ? 40 : 5);
    queue("active", scrape == 10 ? 38 : 1);
    if (scrape == kIncidentScrapes) queue("gated", 0);
  });
  const auto recorded = test::Judge(r);
  const PodLedger ledger = MeasurePods(recorded.facts, recorded.histograms, {}, recorded.c);
  ASSERT_TRUE(ledger.now && ledger.before);
  EXPECT_EQ(ledger.now->length, MsToSeconds(kIncident.end - kIncident.start));
  EXPECT_EQ(ledger.flushed, 2 * kIncidentScrapes);
  EXPECT_EQ(ledger.woken, kIncidentScrapes);
  EXPECT_EQ(ledger.most_gated, 40);
  EXPECT_EQ(ledger.let_go, 35);
  EXPECT_EQ(ledger.most_ready, 38);
  EXPECT_THAT(ledger.absences, IsEmpty());
}

TEST(MeasurePodsTest, PodsOfAnUnknownNumberOfTriesMayHaveHadMore) {
  const struct {
    std::vector<Labels::Pair> labels;
    double again;
  } cases[] = {{{{"attempts", "1"}}, 0},
               {{{"attempts", "2"}}, kIncidentScrapes},
               {{{"attempts", "15+"}}, kIncidentScrapes},
               {{}, kIncidentScrapes}};
  for (const auto& c : cases) {
    test::Recorder r;
    const auto bind = [&](test::Recorder& rec) {
      rec.Observe("scheduler_pod_scheduling_sli_duration_seconds", c.labels, 0.5);
    };
    bind(r);
    test::RecordIncident(&r, test::Quick, 50, bind);
    const auto recorded = test::Judge(r);
    EXPECT_EQ(MeasurePods(recorded.facts, recorded.histograms, {}, recorded.c).again, c.again)
        << Labels(c.labels).ToString();
  }
}

}  // namespace
}  // namespace schedlens
