#include <gtest/gtest.h>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/state_metrics.h"

namespace schedlens {
namespace {

using testing_support::Range;
using testing_support::StateMetrics;

TEST(CreatedPodsTest, CountsByWorkloadAndTellsWhatWasMissed) {
  StateMetrics ksm;
  ksm.OwnReplicaSet("shop", "cart-1", "cart");
  ksm.Pod("shop", "a", "cart-1", 100, 2);
  ksm.Pod("shop", "b", "cart-1", 310, 2);
  ksm.Pod("shop", "c", "cart-1", 310, -1);  // waits
  ksm.Pod("shop", "d", "", 599, 0);         // after the window
  const auto pods = CountCreatedPods(ksm.Facts(), {Range(300, 540), Range(30, 270), 3, 5});
  ASSERT_TRUE(pods);
  const Created& cart = pods->workloads.at({"shop", "Deployment", "cart"});
  EXPECT_EQ(cart.before, 1);
  EXPECT_EQ(cart.now, 2);
  EXPECT_EQ(pods->seen_now, 1);
  EXPECT_EQ(pods->missed_now, 2);
  EXPECT_EQ(pods->missed_before, 4);
  ASSERT_EQ(pods->seconds_now.size(), 1u) << "both in one second";
}

TEST(CreatedPodsTest, CountsThoseThatWaitedWhereAsked) {
  StateMetrics ksm;
  ksm.Pod("shop", "quick", "", 310, 1);  // rounded: perhaps no time at all
  ksm.Pod("shop", "slow", "", 310, 2);
  ksm.Pod("shop", "stuck", "", 310, -1);
  const LoadWindows windows{Range(300, 540), Range(30, 270), 2, 0};
  const auto pods = CountCreatedPods(ksm.Facts(), windows, WhichPods::kThatWaited);
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->workloads.begin()->second.now, 2);
  EXPECT_EQ(pods->seen_now, 2) << "the coverage is of all";
}

TEST(CreatedPodsTest, CutsWindowsToTheScrapes) {
  StateMetrics ksm;
  ksm.Pod("shop", "a", "", 100, 2);
  const auto pods = CountCreatedPods(ksm.Facts(), {Range(300, 700), Range(-60, 270), 0, 0});
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->before.start, Range(0, 0).start);
  EXPECT_EQ(pods->now.end, Range(0, 600).end);
  EXPECT_FALSE(CountCreatedPods(ksm.Facts(), {Range(700, 800), Range(0, 270), 0, 0}));
}

}  // namespace
}  // namespace schedlens
