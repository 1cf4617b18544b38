// The binding goroutines: limiter, extenders, claims, groups.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/base/random.h"
#include "sim/engine/truth.h"
#include "sim/runs.h"

namespace schedlens::sim {
namespace {

TEST(BindingCycle, ClientThrottlingBindsAtExactlyTheQps) {
  const Scenario s = Short("bind.client-throttling");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  double bound = 0;
  for (const AttemptRecord& a : run.attempts) {
    const Nanos end = a.start + a.e2e;
    bound += end > 300 * kSecond && end <= 500 * kSecond;
  }
  EXPECT_NEAR(bound / 200, 20, 0.1);
}

TEST(BindingCycle, AnExtendersBindLeavesNoBindPoint) {
  const SimulationResult run = RunScenario(Short("bind.extender"), {1, true, true, {}});
  const auto points =
      LastBy(run, "scheduler_framework_extension_point_duration_seconds_count", "extension_point");
  EXPECT_FALSE(points.contains("Bind"));
  EXPECT_GT(points.at("PostBind"), 1000);
}

TEST(BindingCycle, APodWithALateClaimWaitsWholeSeconds) {
  const SimulationResult run = RunScenario(Short("prebind.volume"), {1, true, false, {}});
  int waited = 0;
  for (const AttemptRecord& a : run.attempts) {
    if (a.result != AttemptResult::kScheduled || a[AttemptStage::kPreBind] < kSecond / 2) continue;
    ++waited;
    EXPECT_GE(a[AttemptStage::kPreBind], kSecond);
    EXPECT_LT(a[AttemptStage::kPreBind] % kSecond, kSecond / 5);
  }
  EXPECT_GT(waited, 500);
}

}  // namespace
}  // namespace schedlens::sim
