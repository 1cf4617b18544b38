#include <gtest/gtest.h>

#include "messages/written.h"
#include "replay/played.h"
#include "replay/what_if.h"

namespace schedlens {
namespace {

// The window's last interval reaches over the incident's end, where hundreds of pods drain at once.
TEST(AftermathTest, ADrainedBacklogIsLeftOut) {
  const test::Played played = test::Play("queue.backlog", 11);
  const TimeRange whole = played.investigation.evidence->now.breakdown.window;
  const auto part = WithoutAftermath(played.investigation);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->start, whole.start);
  EXPECT_LT(part->end, whole.end);
  EXPECT_GT(part->end, whole.end - 30'000);
  const Investigation cut = CutTo(*part, played.investigation);
  EXPECT_EQ(cut.evidence->now.breakdown.window.end, part->end);
  EXPECT_LT(cut.evidence->now.breakdown.scheduled(),
            0.9 * played.investigation.evidence->now.breakdown.scheduled());
  test::ExpectWrittenInEveryLanguage({CutNote(*part, played.investigation)});
  const Prediction p = PredictChange(played.investigation, {ParseChange("rate=baseline")}, 3);
  EXPECT_TRUE(p.refused.empty());
  EXPECT_GT(p.before.loop, 1.3) << "which is why pods waited";
  EXPECT_LT(*p.pod.at(2).after.value, 0.1);
}

TEST(AftermathTest, NothingIsLeftOutElsewhere) {
  for (const char* name : {"healthy", "bind.apiserver", "preemption", "roll-out"}) {
    EXPECT_FALSE(WithoutAftermath(test::Play(name).investigation)) << name;
  }
  EXPECT_FALSE(WithoutAftermath(Investigation()));
}

}  // namespace
}  // namespace schedlens
