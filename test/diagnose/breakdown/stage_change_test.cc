#include <gtest/gtest.h>

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {
namespace {

TimeBreakdown Make(double scheduled, double runs, double seconds) {
  TimeBreakdown a;
  a.by_result[kube::AttemptResult::kScheduled] = {scheduled, 0};
  a.e2e = {scheduled, 0};
  a.seconds[kube::Stage::kFilter] = seconds;
  a.counts[kube::Stage::kFilter] = runs;
  return a;
}

struct ChangeCase {
  const char* name;
  TimeBreakdown now, before;
  double excess, mix, cost;
};

TEST(CompareAccountsTest, SplitsTheExcessIntoMixAndCost) {
  const ChangeCase cases[] = {
      {"same", Make(100, 100, 1), Make(100, 100, 1), 0, 0, 0},
      {"twice the load is no excess", Make(200, 200, 2), Make(100, 100, 1), 0, 0, 0},
      {"costlier runs are cost", Make(100, 100, 3), Make(100, 100, 1), 2, 0, 2},
      {"more runs are mix", Make(100, 300, 3), Make(100, 100, 1), 2, 2, 0},
      {"both, each half of what they do together", Make(100, 200, 4), Make(100, 100, 1), 3, 1.5,
       1.5},
  };
  for (const ChangeCase& c : cases) {
    const StageChange change = CompareBreakdowns(c.now, c.before).Get(kube::Stage::kFilter);
    EXPECT_NEAR(change.excess, c.excess, 1e-12) << c.name;
    EXPECT_NEAR(change.mix, c.mix, 1e-12) << c.name;
    EXPECT_NEAR(change.cost, c.cost, 1e-12) << c.name;
  }
}

TEST(CompareAccountsTest, ABaselineThatScheduledNothingIsNone) {
  EXPECT_TRUE(CompareBreakdowns(Make(100, 100, 1), Make(0, 10, 1)).empty());
}

}  // namespace
}  // namespace schedlens
