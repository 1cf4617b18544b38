#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& AggregationsData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "1"}, {"b", "x"}}, {"1", "1"}),
      Line({{"__name__", "m"}, {"a", "2"}, {"b", "x"}}, {"4", "stale"}),
      Line({{"__name__", "m"}, {"a", "3"}, {"b", "y"}}, {"2", "3"}),
      Line({{"__name__", "m"}, {"a", "4"}, {"b", "y"}}, {"NaN", "9"}),
  });
  return asker;
}

TEST(AggregationsTest, FoldByAndWithout) {
  EXPECT_EQ(AggregationsData().At(0, "sum by (b) (m)"), "{b=\"x\"} 5; {b=\"y\"} NaN");
  EXPECT_EQ(AggregationsData().At(0, "sum without (a) (m)"), "{b=\"x\"} 5; {b=\"y\"} NaN");
  EXPECT_EQ(AggregationsData().At(0, "min by (b) (m)"), "{b=\"x\"} 1; {b=\"y\"} 2");
  EXPECT_EQ(AggregationsData().At(0, "max by (b) (m)"), "{b=\"x\"} 4; {b=\"y\"} 2");
  EXPECT_EQ(AggregationsData().At(0, "avg by (b) (m)"), "{b=\"x\"} 2.5; {b=\"y\"} NaN");
  EXPECT_EQ(AggregationsData().At(0, "count(m)"), "{} 4");
  EXPECT_EQ(AggregationsData().At(0, "group by (b) (m)"), "{b=\"x\"} 1; {b=\"y\"} 1");
  EXPECT_EQ(AggregationsData().At(0, "stdvar(m < 5)"), "{} 1.5555555555555556");
  EXPECT_EQ(AggregationsData().At(0, "stddev(m{a=\"4\"})", "2.55"), "{} 0");
  EXPECT_EQ(AggregationsData().At(0, "stddev(m{a=\"4\"})", "3.0"), "{} NaN");
  EXPECT_EQ(AggregationsData().At(0, "quantile(0.5, m < 5)"), "{} 2");
  EXPECT_EQ(AggregationsData().At(0, "sum(nothing)"), "");
}

TEST(AggregationsTest, TakeTheTopInOrder) {
  EXPECT_EQ(AggregationsData().At(0, "topk(2, m)"), "m{a=\"2\",b=\"x\"} 4; m{a=\"3\",b=\"y\"} 2");
  EXPECT_EQ(AggregationsData().At(0, "bottomk(1, m)"), "m{a=\"1\",b=\"x\"} 1");
  EXPECT_EQ(AggregationsData().At(0, "topk by (b) (1, m)"),
            "m{a=\"2\",b=\"x\"} 4; m{a=\"3\",b=\"y\"} 2");
  EXPECT_EQ(AggregationsData().At(0, "topk(0, m)"), "");
  EXPECT_NE(AggregationsData().At(0, "topk(NaN, m)").find("overflows int64"), std::string::npos);
}

TEST(AggregationsTest, GroupPerStep) {
  EXPECT_EQ(AggregationsData().Range(0, 10'000, 10'000, "sum by (b) (m)"),
            "{b=\"x\"} 5@0 1@10; {b=\"y\"} NaN@0 12@10");
  EXPECT_EQ(AggregationsData().Range(0, 10'000, 10'000, "topk(1, m)"),
            "m{a=\"2\",b=\"x\"} 4@0; m{a=\"4\",b=\"y\"} 9@10");
}

TEST(AggregationsTest, SumsByVersion) {
  const Asker lossy({Line({{"__name__", "m"}, {"a", "1"}}, {"1"}),
                     Line({{"__name__", "m"}, {"a", "2"}}, {"1e100"}),
                     Line({{"__name__", "m"}, {"a", "3"}}, {"1"}),
                     Line({{"__name__", "m"}, {"a", "4"}}, {"-1e100"})});
  EXPECT_EQ(lossy.At(0, "sum(m)", "2.53"), "{} 0");
  EXPECT_EQ(lossy.At(0, "sum(m)", "2.54"), "{} 2");
}

TEST(AggregationsTest, VictoriaMetricsSkipsNaN) {
  EXPECT_EQ(AggregationsData().At(0, "sum by (b) (m)", "victoriametrics"),
            "{b=\"x\"} 5; {b=\"y\"} 2");
}

}  // namespace
}  // namespace schedlens::promql
