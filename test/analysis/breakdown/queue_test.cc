#include "analysis/breakdown/queue.h"

#include <gtest/gtest.h>

#include "analysis/recorder.h"

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
}

TEST(MeasureQueueTest, WithoutMetricsNoRows) { EXPECT_TRUE(MeasureQueue({}, {}, nullptr).empty()); }

}  // namespace
}  // namespace schedlens
