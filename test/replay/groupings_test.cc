#include <gtest/gtest.h>

#include <algorithm>

#include "replay/played.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

/// A fitted window whose scrape intervals brought so many pods each.
Fitted WithCounts(Fitted fitted, const std::vector<double>& counts) {
  fitted.arrivals.clear();
  sim::Nanos at = fitted.scenario.incident_start;
  for (const double count : counts) {
    CountedArrivals arrivals{at, at + 5 * sim::kSecond};
    arrivals.count = count;
    fitted.arrivals.push_back(arrivals);
    at = arrivals.end;
  }
  fitted.window.end =
      fitted.window.start + (at - fitted.scenario.incident_start) / sim::kMillisecond;
  return fitted;
}

TEST(GroupingsTest, PodsMayHaveComeTogetherAsFarAsTheirNumberVaries) {
  const Fitted fitted = FitScenario(test::Play("healthy").investigation);
  const auto plain = Groupings(WithCounts(fitted, {90, 100, 110, 100, 91, 109, 110, 90}));
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain.front().group, 1);
  const auto bursts = Groupings(WithCounts(fitted, {0, 100, 0, 0, 100, 0, 0, 0}));
  EXPECT_EQ(bursts.front().group, 1) << "evenly comes first";
  EXPECT_TRUE(std::any_of(bursts.begin(), bursts.end(),
                          [](const Fitted& reading) { return reading.group == 100; }));
  EXPECT_TRUE(bursts.back().spikes);
  EXPECT_EQ(bursts.back().arrivals[1].at_once, 100);
}

}  // namespace
}  // namespace schedlens
