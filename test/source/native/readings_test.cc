#include <gtest/gtest.h>

#include "promql/parser.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kReadingMinute = 60 * 1000;

TEST(Readings, RangesAndShiftsAndSubqueries) {
  struct Case {
    const char* expr;
    TimeRange range;  ///< in minutes, of the first selector
  };
  // Asked from minute 100 to 160; an instant selector looks back five minutes.
  constexpr Case kCases[] = {
      {"x", {95, 160}},
      {"rate(x[10m])", {85, 160}},
      {"rate(x[10m] offset 20m)", {65, 140}},
      {"sum(rate(x[10m] @ 6000))", {85, 100}},
      {"x @ end()", {155, 160}},
      {"x @ start() offset -5m", {100, 105}},
      {"max_over_time(rate(x[10m])[30m:1m])", {55, 160}},
      {"max_over_time(rate(x[10m])[30m:1m] offset 10m)", {45, 150}},
  };
  for (const Case& each : kCases) {
    const Query query{each.expr, 100 * kReadingMinute, 160 * kReadingMinute, kReadingMinute};
    const auto readings = ReadingsOf(*promql::Parse(each.expr), query, 5 * kReadingMinute);
    ASSERT_EQ(readings.size(), 1u) << each.expr;
    const TimeRange range = readings[0].range;
    EXPECT_EQ(range.start, each.range.start * kReadingMinute) << each.expr;
    EXPECT_EQ(range.end, each.range.end * kReadingMinute) << each.expr;
  }
}

TEST(Readings, RawQuestion) {
  const auto tree = promql::Parse("rate(x_bucket{a=\"b\"}[10m] offset 1h)");
  const auto readings = ReadingsOf(*tree, {"", 90 * kReadingMinute, 90 * kReadingMinute, 0}, 0);
  const Query question = RawQuestion(readings.at(0));
  EXPECT_EQ(question.promql, "x_bucket{a=\"b\"}[10m]");
  EXPECT_EQ(question.start, 30 * kReadingMinute);
  EXPECT_TRUE(question.instant());
}

TEST(Readings, EverySelectorIsOne) {
  const auto tree = promql::Parse("a / on () group_left () sum(b) > scalar(c)");
  EXPECT_EQ(ReadingsOf(*tree, {"", 0, 0, 0}, 0).size(), 3u);
  EXPECT_TRUE(ReadingsOf(*promql::Parse("1 + 2"), {"", 0, 0, 0}, 0).empty());
}

}  // namespace
}  // namespace schedlens
