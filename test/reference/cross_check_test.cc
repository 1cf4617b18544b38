#include "reference/cross_check.h"

#include <gtest/gtest.h>

#include "reference/played.h"

namespace schedlens {
namespace {

TEST(CrossCheckTest, ExplainsWhatItsOwnSchedulerDid) {
  for (const char* name : {"healthy", "bind.extender"}) {
    const test::Played played = test::Play(name);
    const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
    EXPECT_EQ(check.verdict, "explained") << name << ": " << check.note;
    ASSERT_TRUE(check.distance);
    EXPECT_LT(*check.distance, 0.1);
    EXPECT_EQ(check.predicted.size(), 4u);
    EXPECT_FALSE(check.cdf.empty());
  }
}

TEST(CrossCheckTest, AWrongFitIsNotExplained) {
  // The incident's cells with the quiet stretch's sums: what is fitted is not what was measured.
  test::Played played = test::Play("bind.extender");
  Case& c = *played.investigation.evidence;
  c.now.account = c.baseline->account;
  c.now.account.window = played.investigation.diagnosis.window;
  const CrossCheck check = CrossCheckByReplay(played.investigation, QuerySet::Embedded());
  EXPECT_NE(check.verdict, "explained") << check.note;
}

TEST(CrossCheckTest, TooFewAttemptsCannotBeReplayed) {
  test::Played played = test::Play("healthy");
  played.investigation.evidence->now.account.by_result.clear();
  EXPECT_EQ(CrossCheckByReplay(played.investigation, QuerySet::Embedded()).verdict, "undecidable");
}

}  // namespace
}  // namespace schedlens
