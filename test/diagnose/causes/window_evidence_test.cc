#include "diagnose/causes/window_evidence.h"

#include <gtest/gtest.h>

#include "diagnose/incident.h"

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

TEST(CaseTest, AFewMoreFailuresThanChanceExplainsAreFailingFromTenPointsOn) {
  const auto failing = [](int of, int per_scrape) {
    test::Recorder r;
    test::RecordIncident(
        &r, [of](int i) { return i % 100 < of ? Attempt{.result = "unschedulable"} : Quick(i); },
        per_scrape);
    return Judge(r).c.failing;
  };
  EXPECT_FALSE(failing(8, 50)) << "significant, and eight points";
  EXPECT_TRUE(failing(12, 50));
}

TEST(CaseTest, AShareOfFailuresThatChanceExplainsIsNotFailing) {
  // One attempt a scrape: 20 before, 30 now, the first five of which fail.
  test::Recorder r;
  test::RecordIncident(
      &r, [](int i) { return i < 25 ? Attempt{.result = "unschedulable"} : Quick(i); }, 1);
  const auto c = Judge(r).c;
  EXPECT_GT(c.now.breakdown.failed() / c.now.breakdown.e2e.count, 0.1);
  EXPECT_FALSE(c.failing);
}

}  // namespace
}  // namespace schedlens
