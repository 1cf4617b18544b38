#include <gtest/gtest.h>

#include "diagnose/causes/window_evidence.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

/// A window of 100 s with 500 attempts, 30 s of it in the algorithm.
Measurement Window() {
  Measurement m;
  m.breakdown.window = {0, 100'000};
  m.breakdown.e2e = {500, 900};
  m.breakdown.by_result[kube::AttemptResult::kScheduled] = {500, 900};
  m.breakdown.seconds[kube::Stage::kAlgorithm] = 30;
  m.breakdown.seconds[kube::Stage::kBind] = 800;
  return m;
}

TEST(MeasureLoopTest, BusyIsTheLoopsTimeASecond) {
  EXPECT_DOUBLE_EQ(MeasureLoop(Window(), std::nullopt).busy, 0.3);
}

TEST(MeasureLoopTest, WaitIsTheQueuesLengthOverItsRate) {
  Measurement now = Window();
  now.pending_active = 20;  // at five attempts a second
  Measurement before = Window();
  before.pending_active = 1;
  const LoopPressure loop = MeasureLoop(now, before);
  ASSERT_TRUE(loop.wait);
  EXPECT_DOUBLE_EQ(*loop.wait, 4);
  EXPECT_DOUBLE_EQ(loop.wait_before.value(), 0.2);
}

TEST(MeasureLoopTest, WithoutTheQueueWhatPodsWaitOutsideTheirAttempt) {
  Measurement now = Window();
  now.breakdown.pod_scheduling = {500, 900 + 1500};
  EXPECT_DOUBLE_EQ(MeasureLoop(now, std::nullopt).wait.value(), 3);
  now.pending_active = 20;
  EXPECT_DOUBLE_EQ(MeasureLoop(now, std::nullopt).wait.value(), 4) << "the queue knows better";
}

TEST(MeasureLoopTest, PodsThatFailedWaitForMoreThanTheLoop) {
  Measurement now = Window();
  now.breakdown.by_result[kube::AttemptResult::kScheduled] = {490, 900};
  now.breakdown.by_result[kube::AttemptResult::kUnschedulable] = {10, 0};
  now.breakdown.pod_scheduling = {490, 900 + 1500};
  EXPECT_FALSE(MeasureLoop(now, std::nullopt).wait);
}

TEST(MeasureLoopTest, UnknownIsNotZero) {
  EXPECT_FALSE(MeasureLoop(Window(), std::nullopt).wait);
  EXPECT_FALSE(MeasureLoop({}, std::nullopt).wait) << "no attempts";
}

}  // namespace
}  // namespace schedlens
