#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/html/html.h"
#include "report/sections.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(SvgTest, CoordinatesAreShort) {
  EXPECT_EQ(Coordinate(1.25), "1.2");
  EXPECT_EQ(Coordinate(3), "3");
  EXPECT_EQ(Coordinate(-0.01), "0");
}

TEST(SvgTest, ALineIsInterruptedWhereNothingIsKnown) {
  const Axis axis{0, 4, {}};
  const std::string path =
      DrawSeries(axis, axis, {"accent", "", {0, 1, 2, 3, 4}, {0, 1, kNaN, 3, 4}, {}});
  EXPECT_EQ(path, "<path class=\"line accent\" d=\"M0 240L250 180M750 60L1000 0\"/>");
}

TEST(SvgTest, ABandGoesThereAndBack) {
  const Axis axis{0, 1, {}};
  EXPECT_EQ(DrawSeries(axis, axis, {"warn", "", {0, 1}, {0, 0}, {1, 0.5}}),
            "<path class=\"band warn\" d=\"M0 240L1000 240L1000 120L0 0Z\"/>");
}

TEST(SvgTest, ValuesBeyondTheAxisStayInThePicture) {
  const Axis axis{0, 1, {}};
  EXPECT_EQ(PlaceX(axis, 7), kPlotWidth);
  EXPECT_EQ(PlaceY(axis, 7), 0);
  EXPECT_EQ(PlaceX(Axis{1, 1, {}}, 1), 0);
}

TEST(SvgTest, TicksAreRound) {
  std::string labels;
  for (const Tick& tick : SecondsTicks(Messages("en"), 0, 4.2, 4)) labels += tick.label + " ";
  EXPECT_EQ(labels, "0 s 2 s 4 s ");
  labels.clear();
  for (const Tick& tick : SecondsTicks(Messages("en"), 0, 0.7, 4)) labels += tick.label + " ";
  EXPECT_EQ(labels, "0 s 200 ms 400 ms 600 ms ");
  labels.clear();
  for (const Tick& tick : TimeTicks(1763719200, 1763719500, 6)) labels += tick.label + " ";
  EXPECT_EQ(labels, "10:00 10:01 10:02 10:03 10:04 10:05 ");
  EXPECT_TRUE(SecondsTicks(Messages("en"), 1, 1, 4).empty());
  EXPECT_TRUE(SecondsTicks(Messages("en"), 0, kNaN, 4).empty());
}

TEST(SvgTest, EveryPictureHasATitle) {
  Plot plot;
  plot.title = "a <b>";
  EXPECT_THAT(DrawPlot(plot), HasSubstr("<title>a &lt;b&gt;</title>"));
}

TEST(SvgTest, HeatmapDrawsOnlyWhatIsThere) {
  Plot plot;
  plot.y = {0, 2, {}};
  plot.cells = {{0, 9}, {kNaN, 1}};
  const std::string html = DrawPlot(plot);
  EXPECT_THAT(html, HasSubstr("heat6\" d=\"M0 0h500v120h-500z\""));
  EXPECT_THAT(html, HasSubstr("heat2\" d=\"M500 0h500v120h-500z\""));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  // The scale names the shades that are there: two sixths, squared, of nine are one.
  EXPECT_THAT(html, HasSubstr("heat2\">≤ 1</li><li class=\"key-heat heat6\">≤ 9</li>"));
}

const Axis kAxis{0, 100, {}};

PlotMark At(double at, bool late = false) { return {at, at - 1, at + 1, late, "x"}; }

TEST(SvgMarks, ScrapesAreTicksAlongTheBottom) {
  EXPECT_EQ(DrawMarks(kAxis, {{0, 50}, "scrapes", {}}),
            "<path class=\"scrapes\" d=\"M0 240v-7M500 240v-7\"/>");
}

TEST(SvgMarks, AChangeIsALineOverTheTimeInWhichItWas) {
  EXPECT_EQ(DrawMarks(kAxis, {{}, "", {At(50)}}),
            "<rect class=\"change\" x=\"490\" y=\"0\" width=\"20\" height=\"240\"/>"
            "<path class=\"change\" d=\"M500 0V240\"/>");
}

TEST(SvgMarks, AChangeAfterTheStartIsDrawnApart) {
  EXPECT_THAT(DrawMarks(kAxis, {{}, "", {At(50, true)}}), HasSubstr("<path class=\"change late\""));
  EXPECT_THAT(MarkLegend({{}, "", {At(50, true)}}), HasSubstr("key-change late"));
}

TEST(SvgMarks, NumbersThatWouldCoverEachOtherAreOne) {
  EXPECT_EQ(MarkLabels(kAxis, {{}, "", {At(10), At(11), At(14), At(40)}}),
            "<div class=\"marks\" aria-hidden=\"true\"><span class=\"\" style=\"left:10%\">1–3"
            "</span><span class=\"\" style=\"left:40%\">4</span></div>");
  EXPECT_THAT(MarkLabels(kAxis, {{}, "", {At(10), At(11, true)}}), HasSubstr(">1</span>"))
      << "those after the start are apart";
  EXPECT_EQ(MarkLabels(kAxis, {{1, 2}, "scrapes", {}}), "");
}

TEST(SvgMarks, TheLegendEscapesWhatAClusterCallsItsObjects) {
  PlotMark mark = At(1);
  mark.label = "Edited: <b>shop</b>";
  EXPECT_THAT(MarkLegend({{}, "", {mark}}), HasSubstr("<b>1</b> Edited: &lt;b&gt;shop"));
  EXPECT_THAT(MarkLegend({{1}, "scrapes", {}}),
              HasSubstr("<li class=\"key-scrapes\">scrapes</li>"));
  EXPECT_EQ(MarkLegend({}), "");
}

}  // namespace
}  // namespace schedlens
