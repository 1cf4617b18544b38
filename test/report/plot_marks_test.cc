#include "report/plot_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/seconds.h"
#include "report/plot_data.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

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
  const PlotMarks marks = MarksOf(MarksEnglish(), d);
  ASSERT_EQ(marks.scrapes.size(), d.timeline.times.size());
  EXPECT_EQ(marks.scrapes.back(), MsToSeconds(d.timeline.times.back()));
}

TEST(PlotMarksTest, WhatHasNoTimeOrLiesOutsideIsNotDrawn) {
  Diagnosis d = ExtenderIncident();
  d.changes = {At(d, -1), At(d, -100'000)};
  d.changes[0].what = Message("change.load");
  EXPECT_TRUE(MarksOf(MarksEnglish(), d).changes.empty());
  d.timeline = {};
  EXPECT_TRUE(MarksOf(MarksEnglish(), d).scrapes.empty());
}

}  // namespace
}  // namespace schedlens
