#include <gtest/gtest.h>

#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

TEST(SeriesCollector, PutsSamplesInOrderAndKeepsTheFirstOfATime) {
  SeriesCollector collector;
  const Labels a({{"__name__", "a"}}), b({{"__name__", "b"}});
  collector.Of(b).samples = {{5, 1}};
  collector.Add({a, {{3, 30}, {1, 10}}, {}});
  collector.Add({a, {{3, 31}, {2, 20}}, {}});
  collector.Add({Labels({{"__name__", "empty"}}), {}, {}});
  const std::vector<Series> series = collector.Take();
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].labels, b);
  EXPECT_EQ(series[1].samples, (std::vector<Sample>{{1, 10}, {2, 20}, {3, 30}}));
  EXPECT_TRUE(collector.Take().empty());
}

}  // namespace
}  // namespace schedlens
