#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& RangeCallsData() {
  static const Asker asker({
      Line({{"__name__", "a_total"}, {"x", "1"}}, {"0", "10", "20", "30", "40", "50", "60"}),
      Line({{"__name__", "a_total"}, {"x", "2"}}, {"5", "9", "2", "4"}),
      Line({{"__name__", "b"}, {"x", "1"}}, {"1", "3", "2", "2", "7", "NaN", "1"}),
  });
  return asker;
}

TEST(RangeCallsTest, RatesDropTheName) {
  EXPECT_EQ(RangeCallsData().At(60'000, "rate(a_total{x=\"1\"}[1m])"), "{x=\"1\"} 1");
  EXPECT_EQ(RangeCallsData().At(60'000, "increase(a_total{x=\"1\"}[1m])"), "{x=\"1\"} 60");
  EXPECT_EQ(RangeCallsData().At(60'000, "delta(a_total{x=\"1\"}[1m])"), "{x=\"1\"} 60");
  EXPECT_EQ(RangeCallsData().At(60'000, "irate(a_total{x=\"1\"}[1m])"), "{x=\"1\"} 1");
  EXPECT_EQ(RangeCallsData().At(60'000, "idelta(a_total{x=\"1\"}[1m])"), "{x=\"1\"} 10");
  EXPECT_EQ(RangeCallsData().At(30'000, "resets(a_total{x=\"2\"}[1m])"), "{x=\"2\"} 1");
  EXPECT_EQ(RangeCallsData().At(60'000, "changes(b[1m])"), "{x=\"1\"} 5");
  EXPECT_EQ(RangeCallsData().At(0, "rate(a_total[1m])"), "");  // one sample only
}

TEST(RangeCallsTest, ThreePointZeroSeesOneSampleLess) {
  EXPECT_EQ(RangeCallsData().At(10'000, "rate(a_total{x=\"1\"}[10s])", "2.55"), "{x=\"1\"} 1");
  EXPECT_EQ(RangeCallsData().At(10'000, "rate(a_total{x=\"1\"}[10s])", "3.0"), "");
}

TEST(RangeCallsTest, OverTime) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"avg_over_time", "{x=\"1\"} 3"},     {"min_over_time", "{x=\"1\"} 1"},
      {"max_over_time", "{x=\"1\"} 7"},     {"sum_over_time", "{x=\"1\"} 15"},
      {"count_over_time", "{x=\"1\"} 5"},   {"last_over_time", "b{x=\"1\"} 7"},
      {"present_over_time", "{x=\"1\"} 1"}, {"stdvar_over_time", "{x=\"1\"} 4.4"},
  };
  for (const auto& [function, shown] : table) {
    EXPECT_EQ(RangeCallsData().At(40'000, function + "(b[40s])"), shown) << function;
  }
  EXPECT_EQ(RangeCallsData().At(40'000, "quantile_over_time(0.5, b[40s])"), "{x=\"1\"} 2");
  EXPECT_EQ(RangeCallsData().At(40'000, "sum_over_time((b > 2)[40s:10s])"), "{x=\"1\"} 10");
}

TEST(RangeCallsTest, TwoNamesOfOneLabelSetAreRefused) {
  EXPECT_EQ(RangeCallsData().At(60'000, "rate({x=\"1\"}[1m])"),
            "error: vector cannot contain metrics with the same labelset");
}

TEST(RangeCallsTest, RangeQueriesEqualInstantOnes) {
  for (const char* version : {"2.20", "2.42", "2.51", "3.0", "3.13", "victoriametrics"}) {
    for (const char* function : {"rate", "increase", "delta", "irate", "resets", "avg_over_time"}) {
      const std::string promql = std::string(function) + "(a_total[25s])";
      EvaluateOptions options;
      options.semantics = ParseSemantics(version);
      std::vector<Series> at_once = RangeCallsData().Full(promql, version, 0, 90'000, 7'000).series;
      std::size_t values = 0;
      for (const Series& series : at_once) {
        for (const Sample& sample : series.samples) {
          // VictoriaMetrics looks back by another gap in instant queries.
          if (version == std::string("victoriametrics")) continue;
          ++values;
          const Answer one = RangeCallsData().Full(promql, version, sample.t, sample.t, 0);
          bool found = false;
          for (const Series& other : one.series) {
            if (other.labels == series.labels) {
              found = true;
              EXPECT_EQ(FormatNumber(other.samples[0].v), FormatNumber(sample.v));
            }
          }
          EXPECT_TRUE(found);
        }
      }
      if (version != std::string("victoriametrics")) {
        EXPECT_GT(values, 5U) << version << " " << function;
      }
    }
  }
}

TEST(RangeCallsTest, VictoriaMetricsUsesTheSampleBeforeTheWindow) {
  EXPECT_EQ(RangeCallsData().At(30'000, "increase(a_total{x=\"1\"}[20s])", "victoriametrics"),
            "{x=\"1\"} 20");
  EXPECT_EQ(RangeCallsData().At(30'000, "rate(a_total{x=\"1\"}[5s])", "victoriametrics"),
            "{x=\"1\"} 1");
}

}  // namespace
}  // namespace schedlens::promql
