#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "report/samples.h"
#include "report/sections.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

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

TEST(PlotTest, OtherEpisodesAreShadedAndNamedOnce) {
  Diagnosis d = ExtenderIncident();
  Episode other;
  other.window = {d.window.start - 60'000, d.window.start - 30'000};
  d.episodes = {other, other, other};
  d.episodes[1].reported = true;
  const auto spans = AlertPlot(PlotEnglish(), d)->spans;
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[2].style, "episode");
  EXPECT_EQ(spans[2].to, MsToSeconds(other.window.end));
  EXPECT_EQ(spans[2].label, "other episodes");
  EXPECT_EQ(spans[3].label, "");
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

TEST(PlotTest, QueuesStandOnEachOtherAndNobodyIsMarked) {
  Diagnosis d = ExtenderIncident();
  Timeline& line = d.timeline;
  line.pending_active.assign(line.times.size(), 2);
  line.pending_backoff.assign(line.times.size(), std::nan(""));
  line.pending_unschedulable.assign(line.times.size(), 3);
  line.pending_gated.assign(line.times.size(), 4);
  line.pending_active[1] = std::nan("");
  d.events = {{"scheduler.down", "a", line.times[2], line.times[3]},
              {"leader.change", "a", line.times[4], line.times[4]}};
  const auto plot = QueuePlot(PlotEnglish(), d);
  ASSERT_EQ(plot->series.size(), 3U) << "nothing is known of back-off";
  EXPECT_EQ(plot->series[0].y[0], 2);
  EXPECT_EQ(plot->series[1].y2[0], 2);
  EXPECT_EQ(plot->series[1].y[0], 5);
  EXPECT_EQ(plot->series[1].y2[1], 0) << "unknown adds nothing";
  EXPECT_EQ(plot->series[2].y[0], 9);
  EXPECT_GE(plot->y.high, 9);
  EXPECT_EQ(std::ranges::count(plot->spans, "nobody", &Span::style), 1);
  EXPECT_EQ(plot->numbers.rows[0][3].text, "3") << "the numbers are their own";
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
  for (const auto plot : {AlertPlot, ThroughputPlot}) {
    Diagnosis d = ExtenderIncident();
    EXPECT_EQ(plot(PlotEnglish(), d)->numbers.rows.size(), 30U);
    Timeline& line = d.timeline;
    while (line.times.size() < 240) line.times.push_back(line.times.back() + 10'000);
    for (auto* values :
         {&line.shown, &line.low, &line.high, &line.scheduled, &line.failed, &line.pending_active,
          &line.pending_backoff, &line.pending_unschedulable, &line.binding}) {
      values->resize(240, 1);
    }
    EXPECT_LE(plot(PlotEnglish(), d)->numbers.rows.size(), 40U);
  }
}

const Messages& MarksEnglish() {
  static const Messages t{"en"};
  return t;
}

ClusterChange At(const Diagnosis& d, double seconds) {
  ClusterChange change;
  change.what = Verbatim("Edited");
  change.object = "shop/web";
  change.at = d.window.start + static_cast<TimeMs>(seconds * 1000);
  change.earliest = change.at - 2000;
  change.latest = change.at + 2000;
  change.distance_seconds = seconds;
  return change;
}

TEST(PlotMarksTest, ChangesStandOnTheAlertsAxisInTheOrderOfTime) {
  Diagnosis d = ExtenderIncident();
  d.changes = {At(d, 40), At(d, -20), At(d, 1)};
  const auto plot = AlertPlot(MarksEnglish(), d);
  ASSERT_TRUE(plot);
  const std::vector<PlotMark>& changes = plot->marks.changes;
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].at, MsToSeconds(d.window.start) - 20);
  EXPECT_EQ(changes[0].to - changes[0].from, 4);
  EXPECT_THAT(changes[0].label, HasSubstr("Edited: shop/web"));
  EXPECT_FALSE(changes[0].late);
  EXPECT_FALSE(changes[1].late) << "before the first scrape that shows slow attempts";
  EXPECT_TRUE(changes[2].late);
  EXPECT_THAT(changes[2].label, HasSubstr("(after the onset)"));
}

TEST(PlotMarksTest, ScrapesAreWhereTheColumnsEnd) {
  const Diagnosis d = ExtenderIncident();
  const PlotMarks marks = AlertPlot(MarksEnglish(), d)->marks;
  ASSERT_EQ(marks.scrapes.size(), d.timeline.times.size());
  EXPECT_EQ(marks.scrapes.back(), MsToSeconds(d.timeline.times.back()));
}

TEST(PlotMarksTest, WhatHasNoTimeOrLiesOutsideIsNotDrawn) {
  Diagnosis d = ExtenderIncident();
  d.changes = {At(d, -1), At(d, -100'000)};
  d.changes[0].what = Message("change.load");
  EXPECT_TRUE(AlertPlot(MarksEnglish(), d)->marks.changes.empty());
}

}  // namespace
}  // namespace schedlens
