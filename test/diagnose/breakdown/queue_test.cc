#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/recorder.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Recorder;

TEST(MeasureQueueTest, TellsTheLoopThePodsAndTheQueues) {
  Recorder r;
  const char* kPods = "scheduler_pod_scheduling_duration_seconds";
  Attempt slow;
  slow.filter = 0.5;
  const auto run = [&] {
    r.Run(slow);
    r.Observe(kPods, {}, slow.e2e() + 2);
    r.Add("scheduler_pod_scheduling_attempts_sum", {}, 3);
    r.Add("scheduler_pod_scheduling_attempts_count", {}, 1);
  };
  run();
  r.Scrape(0);
  r.Set("scheduler_pending_pods", {{"queue", "active"}}, 4);
  run();
  run();
  r.Scrape(5000);
  r.Set("scheduler_pending_pods", {{"queue", "active"}}, 6);
  r.Set("scheduler_pending_pods", {{"queue", "backoff"}}, NAN);
  run();
  run();
  r.Scrape(10'000);
  const Facts facts = FactsOf(r);
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, {0, 10'000});
  std::map<std::string, double> rows;
  for (const QueueRow& row : MeasureQueue(facts, BreakDownTime(cells), nullptr)) {
    rows[row.id] = row.value.value.value();
    EXPECT_FALSE(row.baseline);
  }
  EXPECT_NEAR(rows.at("loop.busy"), 4 * slow.algorithm() / 10, 1e-4);
  EXPECT_DOUBLE_EQ(rows.at("pod.attempts"), 3);
  EXPECT_NEAR(rows.at("pod.wait"), 2, 1e-9);
  EXPECT_DOUBLE_EQ(rows.at("pending.active"), 5);
  EXPECT_FALSE(rows.contains("pending.gated"));
  EXPECT_FALSE(rows.contains("pending.backoff"));
}

TEST(LoopSecondsTest, AreTheTopLevelStagesThatRunInTheLoop) {
  TimeBreakdown breakdown;
  breakdown.seconds[kube::Stage::kAlgorithm] = 8;
  breakdown.seconds[kube::Stage::kScore] = 5;  // inside the algorithm
  breakdown.seconds[kube::Stage::kPostFilter] = 4;
  breakdown.seconds[kube::Stage::kReserve] = 2;
  breakdown.seconds[kube::Stage::kPermit] = 1;
  breakdown.seconds[kube::Stage::kPermitWait] = 100;
  breakdown.seconds[kube::Stage::kBind] = 1000;
  EXPECT_EQ(LoopSeconds(breakdown), 15);
}

TEST(WaitOutsideAttemptTest, NeedsTheSamePodsInBothHistogramsAndTheirSums) {
  const auto wait = [](double pods, double pod_seconds, double bound, double attempt_seconds) {
    TimeBreakdown breakdown;
    breakdown.pod_scheduling = {pods, pod_seconds};
    breakdown.by_result[kube::AttemptResult::kScheduled] = {bound, attempt_seconds};
    return WaitOutsideAttempt(breakdown);
  };
  EXPECT_EQ(wait(10, 35, 10, 5), 3);
  EXPECT_EQ(wait(10, 4, 10, 5), 0) << "never less than nothing";
  EXPECT_FALSE(wait(10, 35, 9, 5));
  EXPECT_FALSE(wait(0, 0, 0, 0));
  EXPECT_FALSE(wait(10, NAN, 10, 5));
  EXPECT_FALSE(wait(10, 35, 10, NAN));
}

TEST(MeasureQueueTest, WithoutMetricsNoRows) { EXPECT_TRUE(MeasureQueue({}, {}, nullptr).empty()); }

}  // namespace
}  // namespace schedlens
