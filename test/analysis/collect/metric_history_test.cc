#include "analysis/collect/metric_history.h"

#include <gtest/gtest.h>

#include <set>

namespace schedlens {
namespace {

TEST(MetricHistoryTest, KnowsWhenAMetricIsHiddenAndRemoved) {
  const MetricHistory* e2e = HistoryOf("scheduler_e2e_scheduling_duration_seconds_bucket");
  ASSERT_NE(e2e, nullptr);
  EXPECT_EQ(PresenceIn(*e2e, 20), Presence::kVisible);
  EXPECT_EQ(PresenceIn(*e2e, 24), Presence::kHidden);
  EXPECT_EQ(PresenceIn(*e2e, 27), Presence::kRemoved);
  EXPECT_EQ(PresenceIn(*HistoryOf(e2e->successor), 22), Presence::kNotYet);
  EXPECT_EQ(PresenceIn(*HistoryOf("scheduler_binding_duration_seconds"), 21), Presence::kRemoved);
  EXPECT_EQ(HistoryOf("apiserver_request_duration_seconds_bucket"), nullptr);
}

TEST(MetricHistoryTest, EverySuccessorIsInTheTableAndEveryNameOnce) {
  std::set<std::string_view> names;
  for (const MetricHistory& history : MetricHistories()) {
    EXPECT_TRUE(names.insert(history.name).second) << history.name;
    if (!history.successor.empty()) {
      EXPECT_NE(HistoryOf(history.successor), nullptr);
    }
  }
}

TEST(BoundsOfTest, PrintsTheBoundsOfTheRelease) {
  const auto e2e = BoundsOf(*HistoryOf("scheduler_e2e_scheduling_duration_seconds"), 20);
  ASSERT_EQ(e2e.size(), 15u);
  EXPECT_EQ(e2e.back(), 16.384);
  const MetricHistory& rest = *HistoryOf("rest_client_request_duration_seconds");
  EXPECT_EQ(BoundsOf(rest, 20).back(), 0.512);
  EXPECT_EQ(BoundsOf(rest, 24).back(), 60);
  EXPECT_TRUE(BoundsOf(rest, std::nullopt).empty());
  EXPECT_EQ(BoundsOf(*HistoryOf("scheduler_pod_scheduling_duration_seconds"), std::nullopt).back(),
            5242.88);
  // The client's own rounding: 0.00001 * 1.5 is not 0.000015.
  EXPECT_EQ(BoundsOf(*HistoryOf("scheduler_plugin_execution_duration_seconds"), 20)[1],
            1.5000000000000002e-05);
}

TEST(ParseReleaseTest, ReadsWhatPeopleWrite) {
  EXPECT_EQ(ParseRelease("1.24"), 24);
  EXPECT_EQ(ParseRelease("v1.20.15"), 20);
  EXPECT_EQ(ParseRelease("1.23-1.25"), 25);
  for (const char* bad : {"", "1", "2.4", "1.x", "1.24beta", "latest"}) {
    EXPECT_FALSE(ParseRelease(bad)) << bad;
  }
}

}  // namespace
}  // namespace schedlens
