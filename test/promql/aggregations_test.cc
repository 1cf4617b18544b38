#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_EQ(lossy.At(0, "sum(m)", "victoriametrics"), "{} 0");
}

TEST(AggregationsTest, SumsKeepInfinitiesAndNegativeZero) {
  const auto sum = [](const std::vector<std::string>& values, const char* version) {
    std::vector<Series> series;
    for (const std::string& value : values) {
      series.push_back(Line({{"__name__", "m"}, {"a", std::to_string(series.size())}}, {value}));
    }
    return Asker(std::move(series)).Full("sum(m)", version, 0, 0, 0).series[0].samples[0].v;
  };
  EXPECT_EQ(sum({"1", "+Inf", "1"}, "2.54"), HUGE_VAL);
  EXPECT_EQ(sum({"1e308", "1e308"}, "3.13"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(sum({"+Inf", "-Inf"}, "3.13")));
  EXPECT_TRUE(std::signbit(sum({"-0"}, "2.42")));
}

TEST(AggregationsTest, VictoriaMetricsSkipsNaN) {
  EXPECT_EQ(AggregationsData().At(0, "sum by (b) (m)", "victoriametrics"),
            "{b=\"x\"} 5; {b=\"y\"} 2");
}

const Asker& CountValuesData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "1"}, {"b", "x"}}, {"7", "1e21"}),
      Line({{"__name__", "m"}, {"a", "2"}, {"b", "x"}}, {"7", "NaN"}),
      Line({{"__name__", "m"}, {"a", "3"}, {"b", "y"}}, {"8", "+Inf"}),
  });
  return asker;
}

TEST(CountValuesTest, MakesTheValueALabel) {
  EXPECT_EQ(CountValuesData().At(0, "count_values(\"v\", m)"), "{v=\"7\"} 2; {v=\"8\"} 1");
  EXPECT_EQ(CountValuesData().At(0, "count_values by (b) (\"v\", m)"),
            "{b=\"x\",v=\"7\"} 2; {b=\"y\",v=\"8\"} 1");
  EXPECT_EQ(CountValuesData().At(0, "count_values without (a) (\"b\", m)"),
            "{b=\"7\"} 2; {b=\"8\"} 1");
}

TEST(CountValuesTest, WritesValuesWithoutExponent) {
  EXPECT_EQ(CountValuesData().At(10'000, "count_values(\"v\", m)"),
            "{v=\"+Inf\"} 1; {v=\"1000000000000000000000\"} 1; {v=\"NaN\"} 1");
}

}  // namespace
}  // namespace schedlens::promql
