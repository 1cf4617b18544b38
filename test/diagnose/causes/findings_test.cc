#include "diagnose/causes/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Judge;
using test::Quick;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> FindingIds(const WindowEvidence& c) {
  std::vector<std::string> ids;
  for (const Finding& finding : FindCauses(c)) ids.push_back(finding.id);
  return ids;
}

/// One attempt in ten is `slow`.
test::MakeAttempt OneInTen(const Attempt& slow) {
  return [slow](int i) { return i % 10 ? Quick(i) : slow; };
}

TEST(FindCausesTest, NamesTheStageThatGrew) {
  const struct {
    const char* id;
    Attempt slow;
  } cases[] = {
      {"bind.apiserver", {.bind = 2}},           {"bind.extender", {.extender_bind = 2}},
      {"algorithm.filter", {.filter = 2}},       {"algorithm.prefilter", {.prefilter = 2}},
      {"algorithm.prescore", {.prescore = 2}},   {"algorithm.score", {.score = 2}},
      {"algorithm.extender", {.unmeasured = 2}}, {"prebind", {.prebind = 2}},
      {"permit.wait", {.permit_wait = 2}},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(FindingIds(Judge(OneInTen(c.slow)).c), ElementsAre(c.id));
  }
}

TEST(FindCausesTest, AQuietWindowHasNone) { EXPECT_THAT(FindingIds(Judge(Quick).c), IsEmpty()); }

TEST(FindCausesTest, TwoCausesAreBothNamedTheLargerFirst) {
  const auto r = Judge([](int i) {
    if (i % 10 == 0) return Attempt{.bind = 3};
    if (i % 10 == 5) return Attempt{.prebind = 2};
    return Quick(i);
  });
  EXPECT_THAT(FindingIds(r.c), ElementsAre("bind.apiserver", "prebind"));
}

TEST(FindCausesTest, OfTwoCausesTheOneThatHoldsTheLoopComesFirst) {
  const auto r = Judge([](int i) {
    if (i % 10 == 0) return Attempt{.bind = 3};
    if (i % 10 == 5) return Attempt{.unmeasured = 2};
    return Quick(i);
  });
  EXPECT_THAT(FindingIds(r.c), ElementsAre("algorithm.extender", "bind.apiserver"))
      << "binds take longer, but the loop is what all pods wait for";
}

TEST(FindCausesTest, PreemptionLeadsWherePostFilterTakesTheTime) {
  const auto r = Judge([](int i) {
    return i % 10 ? Quick(i) : Attempt{.result = "unschedulable", .postfilter = 2};
  });
  EXPECT_EQ(FindingIds(r.c).at(0), "preemption");
}

TEST(FindCausesTest, AFloodOfQuickFailuresIsNamedByItsCount) {
  const auto r = Judge([](int i) { return i % 3 ? Attempt{.result = "unschedulable"} : Quick(i); });
  EXPECT_EQ(FindingIds(r.c).at(0), "attempts.unschedulable");
}

TEST(FindCausesTest, CertainOnlyWhereBoundsProveIt) {
  const auto extender = FindCauses(Judge(OneInTen({.extender_bind = 2})).c);
  EXPECT_EQ(extender.at(0).confidence, Confidence::kCertain);
  // Waiting in the loop is proven, that an extender is waited for is not.
  const auto loop = FindCauses(Judge(OneInTen({.unmeasured = 2})).c);
  EXPECT_EQ(loop.at(0).confidence, Confidence::kLikely);
}

TEST(FindCausesTest, EveryFindingHasEvidenceAndNextSteps) {
  for (const Finding& finding : FindCauses(Judge(OneInTen({.bind = 2})).c)) {
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_FALSE(finding.next_steps.empty());
    EXPECT_FALSE(finding.title.empty());
    EXPECT_TRUE(finding.share && finding.share->value);
  }
}

/// Slow binds with POST sums beside them: `waited` seconds in the limiter for each bind.
test::Recorded WithLimiter(const test::MakeAttempt& incident, double bind, double waited) {
  test::Recorder r;
  const auto post = [&](test::Recorder& rec, double n) {
    rec.Add("rest_client_request_duration_seconds_sum", {{"verb", "POST"}}, n * bind);
    rec.Add("rest_client_request_duration_seconds_count", {{"verb", "POST"}}, n);
    rec.Add("rest_client_rate_limiter_duration_seconds_sum", {{"verb", "POST"}}, n * waited);
    rec.Add("rest_client_rate_limiter_duration_seconds_count", {{"verb", "POST"}}, n);
  };
  post(r, 0);
  test::RecordIncident(&r, incident, 50, [&](test::Recorder& rec) { post(rec, 50); });
  return Judge(r);
}

TEST(FindCausesTest, WhatHoldsTheLoopComesFirstAndThrottlingIsItsConsequence) {
  // Every fifty attempts Score stops the loop for three seconds; the burst after it is throttled.
  const auto held =
      WithLimiter([](int i) { return Attempt{.score = i % 50 ? 2e-4 : 3, .bind = 2}; }, 2, 1.995);
  const auto causes = FindCauses(held.c);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].id, "algorithm.score");
  EXPECT_NE(causes[0].confidence, Confidence::kPossible) << "3 % of the time, but all wait for it";
  ASSERT_EQ(causes[0].consequences.size(), 1U);
  const Consequence& throttling = causes[0].consequences[0];
  EXPECT_EQ(throttling.id, "bind.client-throttling");
  EXPECT_FALSE(throttling.title.empty());
  ASSERT_TRUE(throttling.share && throttling.share->value);
  EXPECT_NEAR(*throttling.share->value, 2 / 2.06, 0.01);
}

TEST(FindCausesTest, ThrottlingIsACauseOfItsOwnWhereTheLoopIsFree) {
  const auto free = WithLimiter([](int) { return Attempt{.bind = 2}; }, 2, 1.995);
  const auto causes = FindCauses(free.c);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].id, "bind.client-throttling");
  EXPECT_EQ(causes[0].confidence, Confidence::kCertain);
  EXPECT_THAT(causes[0].consequences, IsEmpty());
}

TEST(FindCausesTest, AnApiServerThatIsProvenSlowIsNoConsequence) {
  const auto r =
      WithLimiter([](int i) { return Attempt{.score = i % 50 ? 2e-4 : 3, .bind = 2}; }, 2, 0.001);
  const auto causes = FindCauses(r.c);
  EXPECT_THAT(FindingIds(r.c), ElementsAre("algorithm.score", "bind.apiserver"));
  EXPECT_THAT(causes.at(0).consequences, IsEmpty());
}

TEST(FindCausesTest, AHeldLoopsQueueIsItsConsequence) {
  test::Recorder r;
  r.Set("scheduler_pending_pods", {{"queue", "active"}}, 0);
  test::RecordIncident(
      &r, [](int) { return Attempt{.filter = 0.2}; }, 50,
      [](test::Recorder& rec) {
        rec.Set("scheduler_pending_pods", {{"queue", "active"}}, 900);
      });
  const auto causes = FindCauses(Judge(r).c);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].id, "algorithm.filter");
  ASSERT_EQ(causes[0].consequences.size(), 1U);
  EXPECT_EQ(causes[0].consequences[0].id, "queue.backlog");
}

TEST(FindCausesTest, ALesserCauseIsNamedAsPossible) {
  const auto with_prebind = [](double prebind) {
    return FindCauses(Judge(OneInTen({.prebind = prebind, .bind = 3})).c);
  };
  const auto causes = with_prebind(0.2);
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].id, "bind.apiserver");
  EXPECT_EQ(causes[1].id, "prebind");
  EXPECT_EQ(causes[1].confidence, Confidence::kPossible) << "a sixteenth of the growth";
  EXPECT_EQ(with_prebind(0.002).size(), 1U) << "next to nothing of the slowest attempts";
  EXPECT_EQ(with_prebind(0.02).size(), 2U) << "as little, and longer than all attempts took";
}

TEST(FindCausesTest, AStageThatGrewByLessThanHalfIsAtMostPossible) {
  const auto confidence = [](double now) {
    test::Recorder r;
    test::RecordIncident(
        &r, [now](int) { return Attempt{.extender_bind = now}; }, 50, {},
        [](int) { return Attempt{.extender_bind = 0.2}; });
    const auto causes = FindCauses(Judge(r, 0.25).c);  // the alert's threshold makes both slow
    EXPECT_EQ(causes.at(0).id, "bind.extender") << now;
    return causes.at(0).confidence;
  };
  EXPECT_EQ(confidence(0.28), Confidence::kPossible);
  EXPECT_EQ(confidence(0.4), Confidence::kCertain);
}

TEST(FindCausesTest, FailedAttemptsAreOnlyPossibleWhereOthersBecameSlower) {
  const auto confidence = [](double bind) {
    const auto causes = FindCauses(Judge([bind](int i) {
                                     if (i % 2 == 0) return Attempt{.result = "unschedulable"};
                                     return i % 10 == 1 ? Attempt{.bind = bind} : Quick(i);
                                   }).c);
    for (const Finding& cause : causes) {
      if (cause.id == "attempts.unschedulable") return std::optional(cause.confidence);
    }
    return std::optional<Confidence>();
  };
  EXPECT_EQ(confidence(0.005), Confidence::kLikely);
  EXPECT_EQ(confidence(2), Confidence::kPossible) << "they do not make binds slow";
}

}  // namespace
}  // namespace schedlens
