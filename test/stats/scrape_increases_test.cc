#include "stats/scrape_increases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stats/scrapes.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;

TEST(IncreasesBetweenScrapesTest, CellsAreDifferencesOfNeighbouringScrapes) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000});
  EXPECT_THAT(cells.edges, ElementsAre(5000, 10000, 15000));
  EXPECT_THAT(cells.Buckets(0), ElementsAre(2, 1));
  EXPECT_THAT(cells.Buckets(1), ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(cells.sums[0], 1.0);
  EXPECT_THAT(TotalBuckets(cells), ElementsAre(2, 3));
}

TEST(IncreasesBetweenScrapesTest, WindowEdgesMoveToTheLastScrapeBefore) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {9999, 14999});
  EXPECT_THAT(cells.edges, ElementsAre(5000, 10000));
}

TEST(IncreasesBetweenScrapesTest, ChildBornInsideCountsWhole) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const std::vector<TimeMs> scrapes = {0, 5000, 10000, 15000};
  const auto cells = IncreasesBetweenScrapes(series, scrapes, {0, 15000});
  EXPECT_EQ(TotalCount(cells), 6);
  EXPECT_DOUBLE_EQ(TotalSum(cells), 3.05);
}

TEST(IncreasesBetweenScrapesTest, AfterAResetTheNewValueIsTheIncrease) {
  auto input = ThreeScrapes();
  input[0].samples[2].v = 1;
  input[1].samples[2].v = 2;
  input[2].samples[2].v = 0.5;
  const auto series = GroupHistograms(input, "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000});
  EXPECT_FALSE(cells.reset[0]);
  EXPECT_TRUE(cells.reset[1]);
  EXPECT_THAT(cells.Buckets(1), ElementsAre(1, 1));
  EXPECT_DOUBLE_EQ(cells.sums[1], 0.5);
}

TEST(IncreasesBetweenScrapesTest, ARestartIsAResetEvenWhenCountsGrew) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const std::vector<TimeMs> restarts = {12000};
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000}, restarts);
  EXPECT_THAT(cells.Buckets(1), ElementsAre(3, 3));
}

/// A histogram of bounds 1, 2 and +Inf with these cumulative counts, a scrape every 5 s.
HistogramSeries Counted(const std::vector<std::vector<double>>& rows) {
  HistogramSeries series;
  series.bounds = {1, 2, HUGE_VAL};
  for (const auto& row : rows) {
    series.times.push_back(5000 * static_cast<TimeMs>(series.times.size()));
    series.cumulative.insert(series.cumulative.end(), row.begin(), row.end());
    series.sums.push_back(row.back());
    series.counts.push_back(row.back());
  }
  return series;
}

TEST(IncreasesBetweenScrapesTest, AScrapeThatIsNoHistogramIsLeftOut) {
  const TimeRange all{0, 15000};
  // Falling within the scrape, then falling only against the one before it.
  for (const std::vector<double>& odd : {std::vector<double>{9, 4, 6}, {4, 4, 6}}) {
    const auto series = Counted({{1, 2, 3}, {1, 3, 5}, odd, {2, 6, 8}});
    const auto cells = IncreasesBetweenScrapes(series, series.times, all);
    EXPECT_THAT(cells.edges, ElementsAre(0, 5000, 15000));
    EXPECT_THAT(TotalBuckets(cells), ElementsAre(1, 3, 1));
    EXPECT_FALSE(cells.torn);
    EXPECT_EQ(cells.left_out, 1u);
  }
}

TEST(IncreasesBetweenScrapesTest, WithoutTwoWholeScrapesAllIsRepairedAndTorn) {
  const auto series = Counted({{3, 2, 5}, {6, 2, 9}});
  const auto cells = IncreasesBetweenScrapes(series, series.times, {0, 5000});
  EXPECT_TRUE(cells.torn);
  EXPECT_EQ(cells.left_out, 2u);
  EXPECT_THAT(TotalBuckets(cells), ElementsAre(3, 0, 1));
  EXPECT_THAT(cells.raw_upto, ElementsAre(3, 0, 4));  // each bucket a counter of its own
}

TEST(IncreasesBetweenScrapesTest, WhatCannotBeACountAddsNothing) {
  for (const double odd : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p53, 1e308}) {
    const auto series = Counted({{odd, 2, 5}, {2, odd, 9}});
    const auto cells = IncreasesBetweenScrapes(series, series.times, {0, 5000});
    EXPECT_TRUE(cells.torn) << odd;
    EXPECT_THAT(TotalBuckets(cells), ElementsAre(2, 0, 2)) << odd;
  }
}

TEST(IncreasesBetweenScrapesTest, AServerCountsInfinitelyMany) {
  const auto series = Counted({{1, 2, 5}, {2, HUGE_VAL, 9}, {3, HUGE_VAL, 8}});
  const auto cells = IncreasesBetweenScrapes(series, series.times, {0, 10000});
  EXPECT_TRUE(cells.torn);
  EXPECT_THAT(cells.raw_upto, ElementsAre(2, HUGE_VAL, 12));
}

TEST(IncreasesBetweenScrapesTest, AnInfiniteSumIsUnknown) {
  for (const double odd : {HUGE_VAL, -HUGE_VAL, 1e308}) {
    auto series = Counted({{1, 2, 3}, {2, 3, 5}});
    series.sums[1] = odd;
    const auto cells = IncreasesBetweenScrapes(series, series.times, {0, 5000});
    EXPECT_THAT(TotalBuckets(cells), ElementsAre(1, 0, 1));
    EXPECT_TRUE(std::isnan(TotalSum(cells))) << odd;
  }
}

TEST(IncreasesBetweenScrapesTest, OneBucketThatFellIsAReset) {
  const auto series = Counted({{4, 4, 5}, {1, 5, 6}});
  const auto cells = IncreasesBetweenScrapes(series, series.times, {0, 5000});
  EXPECT_TRUE(cells.reset[0]);
  EXPECT_THAT(TotalBuckets(cells), ElementsAre(1, 4, 1));
}

TEST(CellsInsideTest, KeepsTheCellsInsideTheRange) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000});
  EXPECT_THAT(CellsInside(cells, {5000, 15000}).edges, ElementsAre(5000, 10000, 15000));
  EXPECT_THAT(CellsInside(cells, {6000, 15000}).edges, ElementsAre(10000, 15000));
  EXPECT_EQ(CellsInside(cells, {6000, 9000}).cells(), 0u);
}

TEST(IncreasesBetweenScrapesTest, MissingSumMakesTheTotalUnknown) {
  auto input = ThreeScrapes();
  input.erase(input.begin() + 2);
  const auto series = GroupHistograms(input, "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000});
  EXPECT_TRUE(std::isnan(TotalSum(cells)));
}

}  // namespace
}  // namespace schedlens
