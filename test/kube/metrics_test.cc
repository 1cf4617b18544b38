#include "kube/metrics.h"

#include <gtest/gtest.h>

namespace schedlens::kube {
namespace {

TEST(PresenceIn, KnowsWhenAMetricIsHiddenAndRemoved) {
  const MetricRow* e2e = FindMetric("scheduler_e2e_scheduling_duration_seconds_bucket");
  ASSERT_NE(e2e, nullptr);
  EXPECT_EQ(PresenceIn(*e2e, 20), Presence::kVisible);
  EXPECT_EQ(PresenceIn(*e2e, 24), Presence::kHidden);
  EXPECT_EQ(PresenceIn(*e2e, 27), Presence::kRemoved);
  EXPECT_EQ(LastShown(*e2e), 23);
  EXPECT_EQ(PresenceIn(RowOf(*e2e->successor), 22), Presence::kNotYet);
  EXPECT_EQ(PresenceIn(RowOf(Metric::kBinding), 21), Presence::kRemoved);
  EXPECT_EQ(LastShown(RowOf(Metric::kBinding)), 20);
  EXPECT_EQ(FindMetric("apiserver_request_duration_seconds_bucket"), nullptr);
  EXPECT_TRUE(AlwaysShown(RowOf(Metric::kAlgorithm)));
  EXPECT_FALSE(AlwaysShown(*e2e));
  EXPECT_FALSE(AlwaysShown(RowOf(Metric::kAttempt)));
}

TEST(PresenceIn, WhatIsOlderThanTheOldestReleaseIsLikeIt) {
  EXPECT_EQ(PresenceIn(RowOf(Metric::kAlgorithm), 12), Presence::kVisible);
}

TEST(PredecessorOf, IsTheNameInEarlierReleases) {
  EXPECT_EQ(PredecessorOf(RowOf(Metric::kAttempt)), &RowOf(Metric::kE2e));
  EXPECT_EQ(PredecessorOf(RowOf(Metric::kBinding)), nullptr);
}

TEST(EraIn, TellsLabelsAndBucketsOfARelease) {
  const MetricRow& rest = RowOf(Metric::kRestRequest);
  EXPECT_EQ(EraIn(rest, 23).labels.back(), "url");
  EXPECT_EQ(EraIn(rest, 24).labels.back(), "host");
  EXPECT_EQ(EraIn(rest, 17).labels.back(), "url");
  EXPECT_TRUE(EraIn(RowOf(Metric::kE2e), 18).labels.empty());
  EXPECT_EQ(EraIn(RowOf(Metric::kVictims), 26).buckets, BucketLayout::kVictimsExponential);
}

TEST(BoundsIn, AreTheBoundsOfTheRelease) {
  const auto e2e = BoundsIn(RowOf(Metric::kE2e), 20);
  ASSERT_EQ(e2e.size(), 15u);
  EXPECT_EQ(e2e.back(), 16.384);
  const MetricRow& rest = RowOf(Metric::kRestRequest);
  EXPECT_EQ(BoundsIn(rest, 20).back(), 0.512);
  EXPECT_EQ(BoundsIn(rest, 24).back(), 60);
  EXPECT_TRUE(BoundsIn(rest, std::nullopt).empty()) << "releases disagree";
  EXPECT_EQ(BoundsIn(RowOf(Metric::kPodDuration), std::nullopt).back(), 5242.88);
  EXPECT_EQ(BoundsIn(RowOf(Metric::kPlugin), 20)[1], 1.5000000000000002e-05);
}

TEST(BoundsOf, EndWhereTheReleasesEnd) {
  const struct {
    BucketLayout layout;
    std::size_t count;
    double top;
  } cases[] = {{BucketLayout::kNone, 0, 0},
               {BucketLayout::kMs15, 15, 16.384},
               {BucketLayout::kPoint12, 12, 0.2048},
               {BucketLayout::kPlugin20, 20, 0.02216837820053101},
               {BucketLayout::kPod20, 20, 5242.88},
               {BucketLayout::kAttempts5, 5, 16},
               {BucketLayout::kVictimsLinear, 10, 50},
               {BucketLayout::kVictimsExponential, 7, 64},
               {BucketLayout::kHint12, 12, 0.02048},
               {BucketLayout::kDra14, 14, 819.2},
               {BucketLayout::kRestOld, 10, 0.512},
               {BucketLayout::kRestNew, 12, 60}};
  for (const auto& c : cases) {
    ASSERT_EQ(BoundsOf(c.layout).size(), c.count);
    if (c.count == 0) continue;
    EXPECT_DOUBLE_EQ(BoundsOf(c.layout).back(), c.top);
  }
}

TEST(ReleasesText, SaysWhereAMetricIsVisible) {
  const struct {
    Metric metric;
    const char* text;
  } cases[] = {{Metric::kAlgorithm, "all"},
               {Metric::kAttempt, "from 1.23"},
               {Metric::kBinding, "up to 1.20"},
               {Metric::kE2e, "up to 1.23; hidden in 1.24 to 1.26, gone in 1.27"},
               {Metric::kGoroutinesOld, "up to 1.26; hidden in 1.27, gone in 1.28"},
               {Metric::kAsyncCall, "from 1.34, gate SchedulerAsyncAPICalls"}};
  for (const auto& c : cases) EXPECT_EQ(ReleasesText(RowOf(c.metric)), c.text);
}

TEST(Names, AreThoseOfTheSeries) {
  EXPECT_EQ(NameOf(Metric::kProcessCpu), "process_cpu_seconds_total");
  EXPECT_EQ(BucketOf(Metric::kBinding), "scheduler_binding_duration_seconds_bucket");
  EXPECT_EQ(SumOf(Metric::kBinding), "scheduler_binding_duration_seconds_sum");
  EXPECT_EQ(CountOf(Metric::kBinding), "scheduler_binding_duration_seconds_count");
}

}  // namespace
}  // namespace schedlens::kube
