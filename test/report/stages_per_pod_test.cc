#include "report/stages_per_pod.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace schedlens {
namespace {

TEST(StagesPerPodTest, TakesApartWhatTakesMostAndNamesItsCause) {
  const Diagnosis d = ExtenderIncident();
  const auto stages = StagesPerPod(d, 6);
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].id, "algorithm");
  EXPECT_EQ(stages[1].id, "bind.plugins");
  EXPECT_EQ(stages[2].id, "bind.extender");
  EXPECT_EQ(stages[3].id, "unmeasured");
  // 2,280 s over 1,200 scheduled pods; the baseline's for as many pods is what the excess leaves.
  EXPECT_NEAR(stages[2].now, 1.9, 1e-3);
  EXPECT_NEAR(*stages[2].before, 0.00033, 1e-5);
  EXPECT_TRUE(HasGrown(stages[2]));
  EXPECT_FALSE(HasGrown(stages[1]));
}

TEST(StagesPerPodTest, WhatIsSmallestGoesFirst) {
  const auto stages = StagesPerPod(ExtenderIncident(), 1);
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].id, "bind.extender");
}

TEST(StagesPerPodTest, NothingWithoutAScheduledPodAndNothingBeforeWithoutABaseline) {
  Diagnosis d = ExtenderIncident();
  for (StageTime& stage : d.stages) {
    stage.baseline_seconds.reset();
    stage.excess.reset();
  }
  for (const StagePerPod& stage : StagesPerPod(d, 6)) {
    EXPECT_FALSE(stage.before);
    EXPECT_FALSE(HasGrown(stage));
  }
  d.results.clear();
  EXPECT_TRUE(StagesPerPod(d, 6).empty());
}

TEST(StagesPerPodTest, MillisecondsHaveThreeDigits) {
  EXPECT_EQ(Milliseconds(0), "0");
  EXPECT_EQ(Milliseconds(0.000334), "0.33");
  EXPECT_EQ(Milliseconds(0.0417), "41.7");
  EXPECT_EQ(Milliseconds(0.142), "142");
  EXPECT_EQ(Milliseconds(1.8996), "1,900");
  EXPECT_EQ(Milliseconds(-0.0111), "-11.1");
}

}  // namespace
}  // namespace schedlens
