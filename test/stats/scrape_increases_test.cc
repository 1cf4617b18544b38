#include "stats/scrape_increases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages/catalog.h"
#include "stats/scrapes.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GroupHistogramsTest, PutsBucketsSumAndCountOfOneLabelSetTogether) {
  const auto groups = GroupHistograms(ThreeScrapes(), "x").children;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].labels.ToString(), "{job=\"kube-scheduler\"}");
  EXPECT_THAT(groups[0].times, ElementsAre(5000, 10000, 15000));
  EXPECT_THAT(groups[0].Row(1), ElementsAre(3, 4));
  EXPECT_THAT(groups[0].sums, ElementsAre(0.05, 1.05, 3.05));
}

TEST(GroupHistogramsTest, LeavesOutAndNamesWhatItCannotUse) {
  auto series = ThreeScrapes();
  series.push_back(Make("x_bucket", "tiny", {{5000, 1}}));
  series[0].samples.erase(series[0].samples.begin() + 1);  // the scrape at 10 s is torn
  const auto [groups, warnings] = GroupHistograms(series, "x");
  EXPECT_THAT(groups[0].times, ElementsAre(5000, 15000));
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("le is missing or not a number"),
                                               HasSubstr("1 scrape without all buckets")));
}

TEST(GroupHistogramsTest, KeepsTheBoundsFromBeforeAndAfterARelease) {
  const auto bucket = [](const char* le, TimeMs from, TimeMs to) {
    std::vector<Sample> samples;
    for (TimeMs t = from; t <= to; t += 1000) samples.push_back({t, static_cast<double>(t)});
    return Make("x_bucket", le, samples);
  };
  // The first scrape of one bucket and the last of another are torn: those two scrapes are lost.
  const auto [groups, warnings] = GroupHistograms(
      std::vector<Series>{bucket("1", 1000, 9000), bucket("2", 1000, 5000), bucket("3", 6000, 9000),
                          bucket("4", 2000, 9000), bucket("+Inf", 1000, 8000)},
      "x");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_THAT(groups[0].bounds, ElementsAre(1, 4, HUGE_VAL));
  EXPECT_THAT(groups[0].times, ElementsAre(2000, 3000, 4000, 5000, 6000, 7000, 8000));
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("changed at 1970-01-01T00:00:06Z"),
                                               HasSubstr("2 scrapes without all buckets")));
}

TEST(GroupHistogramsTest, WithoutACommonBoundNothingIsLeft) {
  const auto [groups, warnings] =
      GroupHistograms(std::vector<Series>{Make("x_bucket", "1", {{1000, 1}, {2000, 1}}),
                                          Make("x_bucket", "2", {{3000, 1}, {4000, 1}})},
                      "x");
  EXPECT_TRUE(groups.at(0).times.empty());
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("4 scrapes without all buckets")));
}

TEST(WholeRowTest, IsACountNotNegativeAndNeverFalls) {
  EXPECT_TRUE(WholeRow(std::vector<double>{0, 2.5, 2.5}));
  EXPECT_TRUE(WholeRow(std::vector<double>{}));
  EXPECT_FALSE(WholeRow(std::vector<double>{3, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{-1, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, 2, HUGE_VAL}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, 2, 0x1p53}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, std::nan(""), 5}));
}

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

TEST(IncreasesBetweenScrapesTest, AReplicaThatIsBehindIsNoRestart) {
  using Counts = std::vector<double>;
  const struct {
    const char* what;
    Counts counts;                // a scrape every 5 s, from 5 s on
    std::vector<TimeMs> started;  // process starts
    double total, counted_twice;
    TimeMs from = 5000;
  } cases[] = {
      {"one step back", {100, 110, 100, 120, 130}, {1}, 30, 110},
      {"from before the range", {110, 100, 120, 130}, {1}, 20, 0, 5001},
      {"two in a row", {100, 110, 100, 104, 120}, {1}, 20, 110},
      {"every other scrape", {100, 90, 110, 100, 120}, {1}, 20, 210},
      {"never up again: a restart that nobody saw", {100, 110, 5, 6, 7, 8}, {1}, 18, 0},
      {"a process started", {100, 110, 5, 115, 120}, {1, 12000}, 130, 0},
      {"starts are not known", {100, 110, 100, 120}, {}, 130, 0},
  };
  for (const auto& c : cases) {
    std::vector<Sample> samples, sums;
    for (std::size_t i = 0; i < c.counts.size(); ++i) {
      const auto t = static_cast<TimeMs>(5000 * (i + 1));
      samples.push_back({t, c.counts[i]});
      sums.push_back({t, c.counts[i] / 10});
    }
    const auto series =
        GroupHistograms(
            std::vector<Series>{Make("x_bucket", "1", samples), Make("x_bucket", "+Inf", samples),
                                Make("x_sum", "", sums), Make("x_count", "", samples)},
            "x")
            .children.at(0);
    const std::vector<TimeMs> scrapes = series.times;
    const auto cells = IncreasesBetweenScrapes(series, scrapes, {c.from, 60000}, c.started);
    EXPECT_DOUBLE_EQ(TotalCount(cells), c.total) << c.what;
    EXPECT_NEAR(TotalSum(cells), c.total / 10, 1e-9) << c.what;
    EXPECT_DOUBLE_EQ(cells.counted_twice, c.counted_twice) << c.what;
  }
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

TEST(CellsInsideTest, IsAsIfOnlyTheRangeHadBeenCut) {
  const auto series = GroupHistograms(ThreeScrapes(), "x").children[0];
  const auto cut = IncreasesBetweenScrapes(series, series.times, {10000, 15000});
  const auto inside =
      CellsInside(IncreasesBetweenScrapes(series, series.times, {5000, 15000}), {6000, 15000});
  EXPECT_EQ(inside.edges, cut.edges);
  EXPECT_EQ(inside.buckets, cut.buckets);
  EXPECT_EQ(inside.sums, cut.sums);
  EXPECT_EQ(inside.count_at, cut.count_at);
  EXPECT_EQ(inside.sum_at, cut.sum_at);
}

TEST(IncreasesBetweenScrapesTest, MissingSumMakesTheTotalUnknown) {
  auto input = ThreeScrapes();
  input.erase(input.begin() + 2);
  const auto series = GroupHistograms(input, "x").children[0];
  const auto cells = IncreasesBetweenScrapes(series, series.times, {5000, 15000});
  EXPECT_TRUE(std::isnan(TotalSum(cells)));
}

using ::testing::ElementsAre;

/// One cell with so many observations inside each bucket.
ScrapeIncreases PooledCells(const std::vector<double>& bounds, const std::vector<double>& inside) {
  ScrapeIncreases cells;
  cells.bounds = bounds;
  cells.buckets = inside;
  cells.edges = {0, 5000};
  cells.sums = {0};
  cells.reset = {false};
  return cells;
}

TEST(PoolBucketsTest, EqualLayoutsAreAddedBoundByBound) {
  const std::vector<ScrapeIncreases> children = {PooledCells({1, 2, INFINITY}, {80, 10, 0}),
                                                 PooledCells({1, 2, INFINITY}, {5, 4, 1})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(1, 2, INFINITY));
  EXPECT_THAT(pooled.cumulative, ElementsAre(85, 99, 100));
  EXPECT_EQ(pooled.BucketOf(0.99), 1u);
  EXPECT_EQ(pooled.BucketOf(0.999), 2u);
  EXPECT_DOUBLE_EQ(pooled.Interpolate(0.92), 1.5);
  EXPECT_DOUBLE_EQ(pooled.Interpolate(0.999), 2) << "the open bucket's lower edge";
}

TEST(PoolBucketsTest, DifferentLayoutsProveNothingBetweenCommonBounds) {
  // If the forty took 1.5 s each, the 70th is 1.5 s: adding bound by bound would place it in (2,
  // 8].
  const std::vector<ScrapeIncreases> children = {PooledCells({1, 2, INFINITY}, {0, 60, 0}),
                                                 PooledCells({1, 8, INFINITY}, {0, 40, 0})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(1, INFINITY));
  EXPECT_THAT(pooled.cumulative, ElementsAre(0, 100));
  EXPECT_EQ(pooled.LowerEdge(pooled.BucketOf(0.7)), 1);
}

TEST(PoolBucketsTest, WithoutBucketsOnlyTheCountIsKnown) {
  const std::vector<ScrapeIncreases> children = {PooledCells({INFINITY}, {3}),
                                                 PooledCells({1, INFINITY}, {2, 2})};
  const PooledBuckets pooled = PoolBuckets(children);
  EXPECT_THAT(pooled.bounds, ElementsAre(INFINITY));
  EXPECT_EQ(pooled.count(), 7);
}

TEST(PoolBucketsTest, NothingHasNoQuantile) {
  EXPECT_TRUE(PoolBuckets(std::vector<ScrapeIncreases>()).bounds.empty());
  const std::vector<ScrapeIncreases> children = {PooledCells({1, INFINITY}, {0, 0})};
  EXPECT_TRUE(std::isnan(PoolBuckets(children).Interpolate(0.5)));
}

}  // namespace
}  // namespace schedlens
