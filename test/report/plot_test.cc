#include <gtest/gtest.h>

#include <cmath>

#include "report/plot_data.h"
#include "report/samples.h"

namespace schedlens {
namespace {

const Messages& PlotEnglish() {
  static const Messages t{"en"};
  return t;
}

TEST(PlotTest, TheAlertHasItsBandItsLineAndItsThreshold) {
  const auto plot = AlertPlot(PlotEnglish(), ExtenderIncident());
  ASSERT_TRUE(plot);
  ASSERT_EQ(plot->series.size(), 2U);
  EXPECT_FALSE(plot->series[0].y2.empty());
  ASSERT_EQ(plot->rules.size(), 1U);
  EXPECT_EQ(plot->rules[0].at, 3);
  EXPECT_GT(plot->y.high, 3.44);
  EXPECT_EQ(plot->spans.size(), 2U);
}

TEST(PlotTest, AWideBandIsCutNotTheLine) {
  Diagnosis d = ExtenderIncident();
  for (double& high : d.timeline.high) high = 1000;
  EXPECT_LT(AlertPlot(PlotEnglish(), d)->y.high, 10);
}

TEST(PlotTest, TheHeatmapCoversTheBucketsInUse) {
  const auto plot = E2eHeatmap(PlotEnglish(), ExtenderIncident());
  ASSERT_TRUE(plot);
  EXPECT_EQ(plot->y.high, 7);  // 4 ms to 16.384 s
  EXPECT_EQ(plot->cells.size(), 30U);
  // 3.5 s lies in the bucket (1.024, 4.096], the sixth row.
  EXPECT_GT(plot->series[1].y[20], 5);
  EXPECT_LT(plot->series[1].y[20], 6);
}

TEST(PlotTest, TheHeatmapOfAnotherMetricsAlertHasNoLine) {
  Diagnosis d = ExtenderIncident();
  d.alert->metric = "scheduler_pod_scheduling_duration_seconds";
  EXPECT_TRUE(E2eHeatmap(PlotEnglish(), d)->series.empty());
}

TEST(PlotTest, ManyColumnsAreMergedWithoutLosingAttempts) {
  Diagnosis d = ExtenderIncident();
  const auto columns = d.timeline.e2e;
  double before = 0;
  for (int i = 0; i < 7; ++i) {
    d.timeline.e2e.insert(d.timeline.e2e.end(), columns.begin(), columns.end());
  }
  for (const auto& column : d.timeline.e2e) {
    for (const double value : column) before += value;
  }
  double after = 0;
  const auto plot = E2eHeatmap(PlotEnglish(), d);
  for (const auto& column : plot->cells) {
    for (const double value : column) after += value;
  }
  EXPECT_LE(plot->cells.size(), 120U);
  EXPECT_EQ(before, after);
}

TEST(PlotTest, CurvesRiseByNines) {
  const auto plot = InversionPlot(PlotEnglish(), InvertedQuantiles());
  ASSERT_TRUE(plot);
  EXPECT_NEAR(plot->series[0].y[6], 2, 1e-9);  // 99 %
  ASSERT_EQ(plot->rules.size(), 1U);
  EXPECT_TRUE(plot->rules[0].vertical);
}

TEST(PlotTest, NothingToDrawIsNoPlot) {
  const Diagnosis d = NoData();
  EXPECT_FALSE(AlertPlot(PlotEnglish(), d));
  EXPECT_FALSE(E2eHeatmap(PlotEnglish(), d));
  EXPECT_FALSE(QueuePlot(PlotEnglish(), d));
  EXPECT_FALSE(ThroughputPlot(PlotEnglish(), d));
  EXPECT_FALSE(InversionPlot(PlotEnglish(), d));
  EXPECT_FALSE(CrossCheckPlot(PlotEnglish(), d));
}

TEST(PlotTest, TheTablesBehindThePlotsOverTimeAreShort) {
  for (const auto table : {AlertTable, QueueTimesTable}) {
    Diagnosis d = ExtenderIncident();
    EXPECT_EQ(table(PlotEnglish(), d).rows.size(), 30U);
    d.timeline.times.resize(240, 0);
    EXPECT_LE(table(PlotEnglish(), d).rows.size(), 40U);
  }
}

}  // namespace
}  // namespace schedlens
