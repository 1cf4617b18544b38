#include <gtest/gtest.h>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

TEST(RankPluginsTest, SharesAreOfTheirExtensionPoint) {
  test::Recorder r;
  const auto add = [&](const char* plugin, double count, double seconds) {
    const std::vector<Labels::Pair> labels = {{"extension_point", "Filter"}, {"plugin", plugin}};
    r.Add("scheduler_plugin_execution_duration_seconds_count", labels, count);
    r.Add("scheduler_plugin_execution_duration_seconds_sum", labels, seconds);
  };
  add("NodeName", 0, 0);
  add("InterPodAffinity", 0, 0);
  r.Run({});
  r.Scrape(0);
  add("NodeName", 100, 1);
  add("InterPodAffinity", 50, 3);
  r.Scrape(5000);
  const auto rows = RankPlugins(FactsOf(r), {0, 5000});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].plugin, "InterPodAffinity");
  EXPECT_DOUBLE_EQ(*rows[0].wall_share.value, 0.75);
  EXPECT_DOUBLE_EQ(rows[0].mean_seconds, 0.06);
}

}  // namespace
}  // namespace schedlens
