#include <gtest/gtest.h>

#include "source/clusters/by_label.h"

namespace schedlens {
namespace {

Series Counter(const std::vector<Sample>& samples) {
  return {.labels = Labels({{"__name__", "x_total"}}), .samples = samples, .histograms = {}};
}

using Columns = std::vector<TimeRange>;

TEST(SummedCountersTest, OneOfTwoProcessesRestarting) {
  // 100 + 1000, then the second starts again at zero while the first goes on counting.
  std::vector<Series> counters = {
      Counter({{10, 1100}, {20, 1120}, {30, 130}, {40, 160}}),
      Counter({{10, 7}, {20, 8}, {30, 9}, {40, 11}}),
  };
  EXPECT_EQ(DropBrokenColumns({10, 20, 30, 40}, {2, 2, 2, 2}, counters), (Columns{{20, 30}}));
  EXPECT_EQ(counters[0].samples,
            (std::vector<Sample>{{10, 1100}, {20, 1120}, {30, 1120}, {40, 1150}}));
  // The column says nothing of the other counter either: one clock for all of them.
  EXPECT_EQ(counters[1].samples, (std::vector<Sample>{{10, 7}, {20, 8}, {30, 8}, {40, 10}}));
}

TEST(SummedCountersTest, AProcessThatComesBringsNoIncrease) {
  std::vector<Series> counters = {
      Counter({{10, 5}, {20, 6}, {30, 5006}, {40, 5008}}),
      Counter({{30, 40}, {40, 41}}),  // seen first when the process came
  };
  EXPECT_EQ(DropBrokenColumns({10, 20, 30, 40}, {1, 1, 2, 2}, counters), (Columns{{20, 30}}));
  EXPECT_EQ(counters[0].samples, (std::vector<Sample>{{10, 5}, {20, 6}, {30, 6}, {40, 8}}));
  EXPECT_EQ(counters[1].samples, (std::vector<Sample>{{30, 0}, {40, 1}}));
}

TEST(SummedCountersTest, ASingleProcessStaysAsItIs) {
  const std::vector<Series> before = {Counter({{10, 50}, {20, 3}, {30, 4}})};
  std::vector<Series> counters = before;
  EXPECT_EQ(DropBrokenColumns({10, 20, 30}, {1, 1, 1}, counters), Columns{});
  EXPECT_EQ(counters[0].samples, before[0].samples);
}

TEST(SummedCountersTest, AMissingSampleCountsToTheNextOne) {
  std::vector<Series> counters = {Counter({{10, 1}, {30, 9}, {40, 10}})};
  EXPECT_EQ(DropBrokenColumns({10, 20, 30, 40}, {1, 2, 2, 2}, counters), (Columns{{10, 20}}));
  EXPECT_EQ(counters[0].samples, (std::vector<Sample>{{10, 1}, {30, 1}, {40, 2}}));
}

}  // namespace
}  // namespace schedlens
