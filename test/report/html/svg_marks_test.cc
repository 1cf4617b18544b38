#include "report/html/svg_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
