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

std::string Drawn(const Axis& axis, PlotSeries series) {
  Plot plot;
  plot.x = plot.y = axis;
  plot.series = {std::move(series)};
  return DrawPlot(plot);
}

TEST(SvgTest, ALineIsInterruptedWhereNothingIsKnown) {
  EXPECT_THAT(Drawn({0, 4, {}}, {"accent", "", {0, 1, 2, 3, 4}, {0, 1, kNaN, 3, 4}, {}}),
              HasSubstr("<path class=\"line accent\" d=\"M0 240L250 180M750 60L1000 0\"/></svg>"));
}

TEST(SvgTest, ABandGoesThereAndBack) {
  EXPECT_THAT(Drawn({0, 1, {}}, {"warn", "", {0, 1}, {0, 0}, {1, 0.5}}),
              HasSubstr("<path class=\"band warn\" d=\"M0 240L1000 240L1000 120L0 0Z\"/></svg>"));
}

TEST(SvgTest, ValuesBeyondTheAxisStayInThePicture) {
  EXPECT_THAT(Drawn({0, 1, {}}, {"warn", "", {0, 7}, {0, 7}, {}}), HasSubstr("M0 240L1000 0"));
  EXPECT_THAT(Drawn({1, 1, {}}, {"warn", "", {1}, {1}, {}}), HasSubstr("M0 240h2"));
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

PlotMark At(double at, bool late = false) { return {at, at - 1, at + 1, late, "x"}; }

std::string Marked(PlotMarks marks) {
  Plot plot;
  plot.x = {0, 100, {}};
  plot.marks = std::move(marks);
  return DrawPlot(plot);
}

TEST(SvgMarks, ScrapesAreTicksAlongTheBottom) {
  EXPECT_THAT(Marked({{0, 50}, "scrapes", {}}),
              HasSubstr("<path class=\"scrapes\" d=\"M0 240v-7M500 240v-7\"/>"));
}

TEST(SvgMarks, AChangeIsALineOverTheTimeInWhichItWas) {
  EXPECT_THAT(Marked({{}, "", {At(50)}}),
              HasSubstr("<rect class=\"change\" x=\"490\" y=\"0\" width=\"20\" height=\"240\"/>"
                        "<path class=\"change\" d=\"M500 0V240\"/>"));
}

TEST(SvgMarks, AChangeAfterTheStartIsDrawnApart) {
  EXPECT_THAT(Marked({{}, "", {At(50, true)}}), HasSubstr("<path class=\"change late\""));
  EXPECT_THAT(Marked({{}, "", {At(50, true)}}), HasSubstr("key-change late"));
}

TEST(SvgMarks, NumbersThatWouldCoverEachOtherAreOne) {
  EXPECT_THAT(Marked({{}, "", {At(10), At(11), At(14), At(40)}}),
              HasSubstr("<div class=\"marks\" aria-hidden=\"true\"><span class=\"\" "
                        "style=\"left:10%\">1–3</span><span class=\"\" style=\"left:40%\">4"
                        "</span></div>"));
  EXPECT_THAT(Marked({{}, "", {At(10), At(11, true)}}), HasSubstr("left:10%\">1</span>"))
      << "those after the start are apart";
  EXPECT_THAT(Marked({{1, 2}, "scrapes", {}}), Not(HasSubstr("class=\"marks\"")));
}

TEST(SvgMarks, TheLegendEscapesWhatAClusterCallsItsObjects) {
  PlotMark mark = At(1);
  mark.label = "Edited: <b>shop</b>";
  EXPECT_THAT(Marked({{}, "", {mark}}), HasSubstr("<b>1</b> Edited: &lt;b&gt;shop"));
  EXPECT_THAT(Marked({{1}, "scrapes", {}}), HasSubstr("<li class=\"key-scrapes\">scrapes</li>"));
  EXPECT_THAT(Marked({}), Not(HasSubstr("class=\"legend\"")));
}

}  // namespace
}  // namespace schedlens
