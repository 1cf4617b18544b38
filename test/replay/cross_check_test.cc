#include "replay/cross_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "messages/catalog.h"
#include "replay/played.h"

namespace schedlens {
namespace {

TEST(CrossCheckTest, ExplainsWhatItsOwnSchedulerDid) {
  for (const char* name : {"healthy", "bind.extender"}) {
    const test::Played played = test::Play(name);
    const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
    EXPECT_EQ(check.verdict, ReplayVerdict::kExplained) << name << ": " << InEnglish(check.note);
    ASSERT_TRUE(check.distance);
    EXPECT_LT(*check.distance, 0.1);
    EXPECT_EQ(check.predicted.size(), 4u);
    EXPECT_FALSE(check.cdf.empty());
  }
}

// Of many attempts a part is played, which leaves a wider gap open, and is said; where each waits
// for the one before, what that makes of the others is worked out.
TEST(CrossCheckTest, SaysHowManyItPlayed) {
  for (const char* name : {"bind.extender", "bind.client-throttling"}) {
    const bool waits = std::string(name) == "bind.client-throttling";
    const test::Played played = test::Play(name);
    const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
    EXPECT_EQ(check.verdict, ReplayVerdict::kExplained) << name << ": " << InEnglish(check.note);
    EXPECT_EQ(check.note.id, waits ? "replay.worked_out" : "replay.part") << InEnglish(check.note);
  }
}

// A tenth of the binds are slow: whether p90 is one of them is for chance to say.
TEST(CrossCheckTest, SaysWhatAPartLeavesOpen) {
  sim::Scenario scenario = sim::LoadScenario("bind.apiserver");
  for (sim::Segment& segment : scenario.segments) segment.conditions.rate = 28;
  const test::Played played = test::PlayScenario(std::move(scenario), 3);
  const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
  EXPECT_EQ(check.verdict, ReplayVerdict::kExplained) << InEnglish(check.note);
  EXPECT_EQ(check.note.id, "replay.open") << InEnglish(check.note);
}

TEST(CrossCheckTest, AWrongFitIsNotExplained) {
  // The incident's cells with the quiet stretch's sums: what is fitted is not what was measured.
  test::Played played = test::Play("bind.extender");
  WindowEvidence& c = *played.investigation.evidence;
  c.now.breakdown = c.baseline->breakdown;
  c.now.breakdown.window = played.investigation.diagnosis.window;
  const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
  EXPECT_NE(check.verdict, ReplayVerdict::kExplained) << InEnglish(check.note);
}

// One wrong explanation a row: what is replayed is not what happened.
TEST(CrossCheckTest, AWrongCauseIsNotExplained) {
  const struct {
    const char* scenario;
    const char* lie;
    void (*tell)(Investigation*);
  } rows[] = {
      {"bind.apiserver", "the client's limiter holds binds back",
       [](Investigation* i) {
         i->evidence->throttling = Throttling::kYes;
         i->causes.front().id = "bind.client-throttling";
       }},
      {"bind.client-throttling", "the API server is slow",
       [](Investigation* i) {
         i->evidence->throttling = Throttling::kNo;
         i->causes.front().id = "bind.apiserver";
       }},
      {"bind.extender", "the API server is slow",
       [](Investigation* i) {
         i->evidence->now.breakdown.extender_binds = 0;
         i->evidence->baseline->breakdown.extender_binds = 0;
         i->causes.front().id = "bind.apiserver";
       }},
      {"prebind.volume", "a custom plugin waits",
       [](Investigation* i) { i->causes.front().id = "prebind"; }},
      {"algorithm.prescore", "an extender is called on the loop",
       [](Investigation* i) { i->causes.front().id = "algorithm.extender"; }},
  };
  for (const auto& row : rows) {
    test::Played played = test::Play(row.scenario);
    const ReplayVerdict truth =
        CrossCheckByReplay(played.investigation, QuerySet::Embedded()).verdict;
    EXPECT_EQ(truth, ReplayVerdict::kExplained) << row.scenario;
    row.tell(&played.investigation);
    const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
    EXPECT_NE(check.verdict, ReplayVerdict::kExplained)
        << row.scenario << ": " << row.lie << ": " << InEnglish(check.note);
  }
}

TEST(CrossCheckTest, TooFewAttemptsCannotBeReplayed) {
  test::Played played = test::Play("healthy");
  played.investigation.evidence->now.breakdown.by_result = {};
  EXPECT_EQ(CrossCheckByReplay(played.investigation, QuerySet::Embedded()).verdict,
            ReplayVerdict::kUndecidable);
}

}  // namespace
}  // namespace schedlens
