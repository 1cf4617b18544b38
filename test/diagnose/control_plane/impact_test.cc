#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/state_metrics.h"

namespace schedlens {
namespace {

using testing_support::Range;
using testing_support::StateMetrics;

WaitTotals Totals(double pods, double seconds, double over_low, double over_high) {
  return {pods, seconds, {over_low, over_high}};
}

/// Three pods of cart, waits 0, 1 and 9 s; one of render, wait 3 s; one of cart outside of the
/// window, one that waits still.
StateMetrics Shop(bool exported) {
  StateMetrics ksm(exported);
  ksm.OwnReplicaSet("shop", "cart-1", "cart");
  ksm.Pod("shop", "a", "cart-1", 310, 0);
  ksm.Pod("shop", "b", "cart-1", 320, 1);
  ksm.Pod("shop", "c", "cart-1", 330, 9);
  ksm.Pod("batch", "d", "render-1", 340, 3);
  ksm.Pod("shop", "e", "cart-1", 100, 9);
  ksm.Pod("shop", "f", "cart-1", 390, -1);
  return ksm;
}

TEST(ImpactTest, SplitsWhatTheSchedulersProve) {
  for (const bool exported : {false, true}) {
    const Impact impact = MeasureImpact(Shop(exported).Facts(), Range(300, 420), 2,
                                        Totals(6, 20, 2, 4), Totals(100, 50, 0, 0));
    EXPECT_EQ(impact.pods_over_threshold.low, 2);
    EXPECT_EQ(impact.pods_over_threshold.high, 4);
    EXPECT_EQ(impact.extra_seconds->value, 17);  // 20 s less 6 pods at half a second
    EXPECT_TRUE(impact.coverage.kube_state_metrics);
    EXPECT_EQ(impact.coverage.pods_seen, 4);
    EXPECT_EQ(impact.coverage.pods_scheduled, 6);
    ASSERT_EQ(impact.workloads.size(), 2U);
    const WorkloadImpact& cart = impact.workloads[0];
    EXPECT_EQ(cart.name_space + "/" + cart.kind + "/" + cart.name, "shop/Deployment/cart");
    EXPECT_EQ(cart.pods.low, 3);
    EXPECT_EQ(cart.pods.high, 5);  // two that nobody saw
    EXPECT_EQ(cart.over.low, 1);   // 9 s, rounded, is more than 8
    EXPECT_EQ(cart.over.high, 3);  // and the two; 1 s, rounded, is less than 2
    EXPECT_EQ(cart.longest.low, 8);
    EXPECT_EQ(cart.longest.high, 10);
    // Ten of the thirteen seconds that were seen, of twenty; 4.5 of the six pods, at half a second.
    EXPECT_NEAR(*cart.extra_seconds->value, 20.0 * 10 / 13 - 4.5 * 0.5, 1e-9);
    EXPECT_EQ(cart.extra_seconds->low, 5.5);    // 8 s at least, of five pods
    EXPECT_EQ(cart.extra_seconds->high, 16.5);  // all but render's 2 s, of three pods
    EXPECT_EQ(cart.waiting, 1);
    const WorkloadImpact& render = impact.workloads[1];
    EXPECT_EQ(render.name_space + "/" + render.kind + "/" + render.name,
              "batch/ReplicaSet/render-1");
    EXPECT_EQ(render.over.low, 1);
    EXPECT_EQ(render.over.high, 3);
    EXPECT_EQ(render.waiting, 0);
  }
}

/// The next scrape after the window's last one does not have it any more.
TEST(ImpactTest, APodThatGoesSoonAfterTheWindowWaitedInItAllTheSame) {
  StateMetrics ksm;
  ksm.Pod("shop", "a", "cart-1", 310, 0);
  for (int i = 0; i < 3; ++i)
    ksm.Pod("research", "p" + std::to_string(i), "thumbs-1", 330, -1, 425);
  const Impact impact = MeasureImpact(ksm.Facts(), Range(300, 427), 1, Totals(1, 1, 0, 0), {});
  ASSERT_EQ(impact.workloads.size(), 2U);
  EXPECT_EQ(impact.workloads[0].name_space, "research") << "who waits still is hit as well";
  EXPECT_EQ(impact.workloads[0].waiting, 3);
}

/// While no scheduler runs none counts; kube-state-metrics does.
TEST(ImpactTest, TotalsAreNoLessThanWhatIsProvenOfPods) {
  StateMetrics ksm;
  for (int i = 0; i < 10; ++i) ksm.Pod("shop", "p" + std::to_string(i), "cart-1", 310 + i, 60);
  const Impact impact =
      MeasureImpact(ksm.Facts(), Range(300, 420), 1, Totals(10, 2, 0, 0), Totals(100, 10, 0, 0));
  EXPECT_EQ(impact.pods_over_threshold.low, 10);
  EXPECT_EQ(impact.pods_over_threshold.high, 10);
  EXPECT_EQ(impact.extra_seconds->low, 10 * 59 - 1);  // a pod took 0.1 s in the baseline
  EXPECT_EQ(impact.extra_seconds->value, 10 * 60 - 1);
  EXPECT_EQ(impact.coverage.pods_scheduled, 10);
}

/// Waits of less than a second look like a second where they cross one.
TEST(ImpactTest, FindsNobodyOverAThresholdThatNoAttemptReached) {
  StateMetrics ksm;
  for (int i = 0; i < 50; ++i) ksm.Pod("shop", "p" + std::to_string(i), "cart-1", 310 + i, i % 2);
  const Impact impact =
      MeasureImpact(ksm.Facts(), Range(300, 420), 1, Totals(50, 2, 0, 0), std::nullopt);
  ASSERT_EQ(impact.workloads.size(), 1U);
  EXPECT_EQ(impact.workloads[0].over.value, 0);
  EXPECT_EQ(impact.workloads[0].over.high, 0);
  EXPECT_FALSE(impact.workloads[0].extra_seconds);
  EXPECT_FALSE(impact.extra_seconds);
}

TEST(ImpactTest, HasTheTotalsAloneWithoutPods) {
  StateMetrics no_pods;
  no_pods.Show("objects", "kube_node_created", {{"node", "n"}}, testing_support::kStart);
  StateMetrics no_times;
  no_times.Show("pods", "kube_replicaset_owner",
                {{"replicaset", "cart-1"}, {"owner_kind", "Deployment"}, {"owner_name", "cart"}},
                1);
  for (const ControlPlaneFacts& facts : {ControlPlaneFacts(), no_pods.Facts(), no_times.Facts()}) {
    const Impact impact =
        MeasureImpact(facts, Range(300, 420), 1, Totals(10, 20, 3, 5), Totals(10, 1, 0, 0));
    EXPECT_TRUE(impact.workloads.empty());
    EXPECT_FALSE(impact.coverage.kube_state_metrics);
    EXPECT_EQ(impact.pods_over_threshold.low, 3);
    EXPECT_EQ(impact.extra_seconds->value, 19);
  }
}

TEST(ImpactTest, CountsWhatTheListLeavesOut) {
  StateMetrics ksm;
  for (int i = 0; i < 130; ++i) {
    ksm.Pod("shop", "p" + std::to_string(i), "w" + std::to_string(i), 310, i == 77 ? 50 : 1);
  }
  const Impact impact =
      MeasureImpact(ksm.Facts(), Range(300, 420), 5, Totals(130, 200, 1, 1), Totals(10, 1, 0, 0));
  EXPECT_EQ(impact.workloads.size(), 100U);
  EXPECT_EQ(impact.coverage.workloads_left_out, 30);
  EXPECT_EQ(impact.workloads[0].name, "w77");
}

/// Of two buckets, up to 1 s and up to 4 s, and the open one.
TEST(WaitTotalsTest, CountsOverAThresholdByTheBucketsAroundIt) {
  ScrapeIncreases cells;
  cells.labels = Labels{{"result", "scheduled"}};
  cells.bounds = {1, 4, std::numeric_limits<double>::infinity()};
  cells.edges = {0, 1000};
  cells.buckets = {5, 3, 2};
  cells.sums = {30};
  cells.reset = {false};
  Measurement measured;
  measured.cells.attempt = {cells};
  struct {
    double threshold, low, high;
  } const rows[] = {{1, 5, 5}, {2, 2, 5}, {4, 2, 2}, {0.5, 5, 10}, {9, 0, 2}};
  for (const auto& row : rows) {
    const WaitTotals totals = MeasureWaits(measured, row.threshold);
    EXPECT_EQ(totals.pods, 10);
    EXPECT_EQ(totals.seconds, 30);
    EXPECT_EQ(totals.over.low, row.low) << row.threshold;
    EXPECT_EQ(totals.over.high, row.high) << row.threshold;
  }
  // A pod's whole wait counts where it was recorded.
  cells.labels = {};
  cells.buckets = {0, 0, 10};
  measured.cells.pod_scheduling = {cells};
  EXPECT_EQ(MeasureWaits(measured, 4).over.low, 10);
}

}  // namespace
}  // namespace schedlens
