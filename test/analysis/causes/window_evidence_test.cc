#include "analysis/causes/window_evidence.h"

#include <gtest/gtest.h>

#include "analysis/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Judge;
using test::Quick;

TEST(CaseTest, QuietIsNeitherSlowNorFailing) {
  const auto r = Judge(Quick);
  EXPECT_FALSE(r.c.slow);
  EXPECT_FALSE(r.c.failing);
  EXPECT_NEAR(r.c.TotalGrowth(), 0, 0.05);
}

TEST(CaseTest, ATailThatLeftItsBucketIsSlow) {
  const auto r = Judge([](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 2.5}; });
  EXPECT_TRUE(r.c.slow);
  EXPECT_NEAR(r.c.Growth(kube::Stage::kBindPlugins), 75 * 2.5, 2);
  EXPECT_NEAR(r.c.Growth(kube::Stage::kAlgorithm), 0, 0.1);
}

TEST(CaseTest, QuickAttemptsAreNeverSlowWhateverTheyWereBefore) {
  const auto r = Judge([](int) { return Attempt{.bind = 0.06}; });
  EXPECT_FALSE(r.c.slow);
}

TEST(CaseTest, ManyMoreFailedAttemptsAreFailing) {
  const auto r = Judge([](int i) { return i % 2 ? Quick(i) : Attempt{.result = "unschedulable"}; });
  EXPECT_TRUE(r.c.failing);
  EXPECT_FALSE(r.c.slow);
  EXPECT_GT(r.c.FailedGrowth(), 0);
}

TEST(CaseTest, TheThresholdOfTheAlertDecidesToo) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 0.3}; });
  EXPECT_TRUE(Judge(r, 0.2).c.slow);
}

TEST(MeasureTest, TailsNameTheBucketOfEachResultsP99) {
  const auto r = Judge([](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 2.5}; });
  const auto tail = r.c.now.Tail("scheduled");
  ASSERT_TRUE(tail);
  EXPECT_DOUBLE_EQ(tail->p99_low, 2.048);
  EXPECT_DOUBLE_EQ(tail->p99_high, 4.096);
  EXPECT_FALSE(r.c.now.Tail("error"));
}

}  // namespace
}  // namespace schedlens
