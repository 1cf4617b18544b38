// The scheduling loop: what blocks it, what is observed, preemption.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/base/random.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

TEST(SchedulingCycle, VictimsAreDeletedOneByOneUpTo125AndBehindPostFilterFrom133) {
  std::map<std::string, double> longest;
  for (const char* release : {"1.20", "1.26", "1.33"}) {
    const SimulationResult run = RunScenario(Short("preemption", release), {1, true, false, {}});
    EXPECT_GT(run.counts.preemptions, 20u);
    for (const AttemptRecord& a : run.attempts) {
      longest[release] = std::max(longest[release], ToSeconds(a[AttemptStage::kPostFilter]));
    }
  }
  EXPECT_GT(longest["1.20"], longest["1.26"]);
  EXPECT_GT(longest["1.26"], 1);
  EXPECT_LT(longest["1.33"], 0.1);
}

TEST(SchedulingCycle, AFailedAttemptsPatchBlocksTheLoopButNotItsOwnClock) {
  const Scenario s = Short("queue.backlog");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  std::vector<Nanos> starts;
  for (const AttemptRecord& a : run.attempts) {
    if (a.start < s.incident_start || a.start > s.incident_end) continue;
    if (a.result == AttemptResult::kUnschedulable && a.number == 1) {
      EXPECT_LT(a.e2e, 100 * kMillisecond);
      starts.push_back(a.start + a.e2e);
    }
  }
  ASSERT_GT(starts.size(), 100u);
  // Nothing starts while the PATCH is under way.
  std::set<Nanos> all;
  for (const AttemptRecord& a : run.attempts) all.insert(a.start);
  for (std::size_t i = 0; i < 100; ++i) {
    const auto next = all.lower_bound(starts[i]);
    ASSERT_NE(next, all.end());
    EXPECT_GT(*next - starts[i], 150 * kMillisecond);
  }
}

}  // namespace
}  // namespace schedlens::sim
