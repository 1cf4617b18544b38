#include "analysis/causes/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Judge;
using test::Quick;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Ids(const WindowEvidence& c) {
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
    EXPECT_THAT(Ids(Judge(OneInTen(c.slow)).c), ElementsAre(c.id));
  }
}

TEST(FindCausesTest, AQuietWindowHasNone) { EXPECT_THAT(Ids(Judge(Quick).c), IsEmpty()); }

TEST(FindCausesTest, TwoCausesAreBothNamedTheLargerFirst) {
  const auto r = Judge([](int i) {
    if (i % 10 == 0) return Attempt{.bind = 3};
    if (i % 10 == 5) return Attempt{.unmeasured = 2};
    return Quick(i);
  });
  EXPECT_THAT(Ids(r.c), ElementsAre("bind.apiserver", "algorithm.extender"));
}

TEST(FindCausesTest, PreemptionLeadsWherePostFilterTakesTheTime) {
  const auto r = Judge([](int i) {
    return i % 10 ? Quick(i) : Attempt{.result = "unschedulable", .postfilter = 2};
  });
  EXPECT_EQ(Ids(r.c).at(0), "preemption");
}

TEST(FindCausesTest, AFloodOfQuickFailuresIsNamedByItsCount) {
  const auto r = Judge([](int i) { return i % 3 ? Attempt{.result = "unschedulable"} : Quick(i); });
  EXPECT_EQ(Ids(r.c).at(0), "attempts.unschedulable");
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

}  // namespace
}  // namespace schedlens
