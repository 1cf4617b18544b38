#include <gtest/gtest.h>

#include "promql/ask.h"
#include "promql/evaluation.h"

namespace schedlens::promql {
namespace {

NativeHistogram One(double count, double sum) { return {count, sum, {{1, 2, count, 0}}}; }

/// A series of native histograms every 20 seconds.
Series Natives(const std::string& name, const std::string& pod,
               const std::vector<NativeHistogram>& histograms) {
  Series series;
  series.labels = Labels({{"__name__", name}, {"pod", pod}});
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    series.histograms.push_back({static_cast<TimeMs>(i) * 20'000, histograms[i]});
  }
  return series;
}

NativeHistogram Custom(double bound, double count) {
  const double inf = std::numeric_limits<double>::infinity();
  return {count, 1, {{-inf, bound, count / 2, 3}, {bound, inf, count / 2, 0}}};
}

Asker Pods() {
  return Asker(
      {Natives("n", "p", {One(10, 15), One(14, 21), One(18, 27), One(22, 33)}),
       Natives("n", "q", {One(1, 2), {5, 8, {{1, 2, 3, 0}, {2, 4, 2, 0}}}, One(2, 3), One(4, 6)}),
       Natives("c", "p", {Custom(0.3, 4), Custom(0.3, 8)}),
       Natives("c", "q", {Custom(0.7, 4), Custom(0.7, 8)}),
       Line({{"__name__", "f"}, {"pod", "p"}}, {"3", "3", "3", "3", "3", "3", "3"})});
}

struct OperationCase {
  const char* expression;
  const char* version;
  const char* expected;  // "refused": one line
  const char* remark;    // of the server, without its place
};

TEST(NativeOperationsTest, FollowTheServerByVersion) {
  const OperationCase cases[] = {
      {"sum(n)", "2.42", "{} <26 39 (1,2]26>", ""},
      {"sum by (pod) (n)", "3.5", "{pod=\"p\"} <22 33 (1,2]22>; {pod=\"q\"} <4 6 (1,2]4>", ""},
      {"avg(n)", "3.5", "{} <13 19.5 (1,2]13>", ""},
      {"avg(n)", "3.10", "{} <13 19.5 (1,2]13>", ""},
      {"count(n)", "3.5", "{} 2", ""},
      {"group(n)", "3.5", "{} 1", ""},
      {"sum({pod=\"p\",__name__!=\"c\"})", "3.5", "",
       "PromQL warning: encountered a mix of histograms and floats for aggregation (1:5)"},
      {"count({pod=\"p\",__name__!=\"c\"})", "3.5", "{} 2", ""},
      {"n{pod=\"p\"} + on () n{pod=\"q\"}", "3.5", "{} <26 39 (1,2]26>", ""},
      {"n{pod=\"p\"} - on () n{pod=\"q\"}", "3.5", "{} <18 27 (1,2]18>", ""},
      {"n{pod=\"p\"} * 2", "3.5", "{pod=\"p\"} <44 66 (1,2]44>", ""},
      {"2 * n{pod=\"p\"}", "3.5", "{pod=\"p\"} <44 66 (1,2]44>", ""},
      {"n{pod=\"p\"} / 2", "3.5", "{pod=\"p\"} <11 16.5 (1,2]11>", ""},
      {"n{pod=\"p\"} * on (pod) f", "3.5", "{pod=\"p\"} <66 99 (1,2]66>", ""},
      {"-n{pod=\"p\"}", "3.5", "{pod=\"p\"} <-22 -33 (1,2]-22>", ""},
      {"-n", "2.42", "refused", ""},
      {"n * 2", "2.42", "refused", ""},
      {"n{pod=\"p\"} + 2", "3.1", "",
       "PromQL info: incompatible sample types encountered for binary operator \"+\": histogram + "
       "float (1:1)"},
      {"2 / n{pod=\"p\"}", "3.1", "",
       "PromQL info: incompatible sample types encountered for binary operator \"/\": float / "
       "histogram (1:1)"},
      {"n > bool 2", "3.0", "refused", ""},
      {"n == n offset 0s", "3.5", "n{pod=\"p\"} <22 33 (1,2]22>; n{pod=\"q\"} <4 6 (1,2]4>", ""},
      {"n != on (pod) n offset 20s", "3.5", "{pod=\"p\"} <22 33 (1,2]22>; {pod=\"q\"} <4 6 (1,2]4>",
       ""},
      {"n == bool n offset 20s", "3.5", "{pod=\"p\"} 0; {pod=\"q\"} 0", ""},
      {"n and on (pod) f", "3.5", "n{pod=\"p\"} <22 33 (1,2]22>", ""},
      {"f or n", "3.5", "f{pod=\"p\"} 3; n{pod=\"q\"} <4 6 (1,2]4>", ""},
      {"n unless on (pod) f", "3.5", "n{pod=\"q\"} <4 6 (1,2]4>", ""},
      {"increase(n{pod=\"p\"}[1m])", "2.42", "{pod=\"p\"} <12 18 (1,2]12>", ""},
      {"rate(n{pod=\"p\"}[1m])", "2.42", "{pod=\"p\"} <0.2 0.3 (1,2]0.2>", ""},
      // Left-open: the sample at the window's start is out, its increase is extrapolated.
      {"increase(n{pod=\"p\"}[1m])", "3.5", "{pod=\"p\"} <12 18 (1,2]12>", ""},
      {"delta(n{pod=\"q\"}[1m])", "2.42", "{pod=\"q\"} <3 4 (1,2]3>", ""},
      // Two observations in (2, 4] are gone: a reset, and what was before it is added.
      {"increase(n{pod=\"q\"}[1m])", "2.42", "{pod=\"q\"} <8 12 (1,2]6 (2,4]2>", ""},
      {"resets(n[1m])", "2.48", "{pod=\"p\"} 0; {pod=\"q\"} 1", ""},
      {"changes(n[1m])", "2.55", "refused", ""},
      {"changes(n{pod=\"p\"}[61s])", "3.0", "{pod=\"p\"} 3", ""},
      {"irate(n{pod=\"q\"}[1m])", "3.2", "{pod=\"q\"} <0.1 0.15 (1,2]0.1>", ""},
      {"idelta(n{pod=\"q\"}[1m])", "3.2", "{pod=\"q\"} <2 3 (1,2]2>", ""},
      {"irate(n[1m])", "3.1", "refused", ""},
      {"count_over_time(n{pod=\"p\"}[1m])", "3.5", "{pod=\"p\"} 3", ""},
      {"histogram_count(last_over_time(n{pod=\"p\"}[1m]))", "3.5", "{pod=\"p\"} 22", ""},
      {"count(last_over_time({pod=\"p\"}[1m]))", "3.5", "{} 3", ""},
      {"rate(n[1m] anchored)", "3.7", "refused", ""},
      {"sum(c)", "3.5", "",
       "PromQL warning: vector contains histograms with incompatible custom buckets for metric "
       "name \"c\" (1:5)"},
      {"sum(c)", "3.8", "refused", ""},
      {"c{pod=\"p\"} + on () c{pod=\"q\"}", "3.5", "",
       "PromQL warning: incompatible bucket layout encountered for binary operator + (1:1)"},
      {"sum({pod=\"q\"})", "3.5", "",
       "PromQL warning: vector contains a mix of histograms with exponential and custom buckets "
       "schemas for metric name \"n\" (1:5)"},
      {"sum(c{pod=\"p\"}) * 2", "3.8", "{} <16 2 (-Inf,0.3]8 (0.3,+Inf]8>", ""},
  };
  const Asker asker = Pods();
  for (const OperationCase& each : cases) {
    const std::string where = std::string(each.expression) + " in " + each.version;
    const std::string shown = asker.At(60'000, each.expression, each.version);
    if (std::string_view(each.expected) == "refused") {
      EXPECT_TRUE(shown.find("error: ") == 0 && shown.find("server") != std::string::npos)
          << where << ": " << shown;
      EXPECT_EQ(shown.find('\n'), std::string::npos) << where;
      continue;
    }
    EXPECT_EQ(shown, each.expected) << where;
    if (shown.find("error: ") == 0) continue;
    const Answer answer = asker.Full(each.expression, each.version, 60'000, 60'000, 0);
    std::string remarks;
    for (const std::string& remark : answer.warnings) remarks += remark;
    for (const std::string& remark : answer.infos) remarks += remark;
    EXPECT_EQ(remarks, each.remark) << where;
  }
}

TEST(NativeOperationsTest, HistogramFunctionsReadWhatWasCalculated) {
  const Asker asker = Pods();
  EXPECT_EQ(asker.At(60'000, "histogram_count(sum(rate(n[1m])))", "2.42"),
            "{} 0.33333333333333337");
  EXPECT_EQ(asker.At(60'000, "histogram_sum(increase(n{pod=\"p\"}[1m]) * 2)", "3.5"),
            "{pod=\"p\"} 36");
  EXPECT_EQ(asker.At(60'000, "histogram_avg(sum(n))", "3.5"), "{} 1.5");
  EXPECT_EQ(asker.At(60'000, "histogram_quantile(0.5, sum(n))", "2.42"), "{} 1.5");
  EXPECT_EQ(asker.At(60'000, "histogram_fraction(0, 1.5, sum(n))", "2.42"), "{} 0.5");
  EXPECT_EQ(asker.At(60'000, "histogram_quantile(0.5, sum(n))", "3.5"), "{} 1.414213562373095");
}

TEST(NativeOperationsTest, ANaNSumShowsTheServersValueAndTheRightOneBesideIt) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Asker asker(
      {Natives("n", "p", {{10, nan, {{0.5, 1, 6, 0}, {1, 2, 2, 0}, {8, 16, 2, 0}}}})});
  const std::string expression = "histogram_quantile(0.3, n)";
  EXPECT_EQ(asker.At(0, expression, "3.4"), "{pod=\"p\"} 0.7071067811865475");
  EXPECT_TRUE(asker.Full(expression, "3.4", 0, 0, 0).infos.empty());
  const Answer answer = asker.Full(expression, "3.5", 0, 0, 0);
  EXPECT_GT(answer.series.at(0).samples.at(0).v, 16);
  ASSERT_EQ(answer.infos.size(), 1u);
  EXPECT_NE(answer.infos[0].find("lies in (0.5, 1], interpolated 0.7071067811865475"),
            std::string::npos)
      << answer.infos[0];
}

TEST(NativeOperationsTest, OverStepsAndAsRawSamples) {
  const Asker asker = Pods();
  EXPECT_EQ(asker.Range(20'000, 60'000, 20'000, "increase(n{pod=\"p\"}[20s])", "2.42"),
            "{pod=\"p\"} <4 6 (1,2]4>@20 <4 6 (1,2]4>@40 <4 6 (1,2]4>@60");
  EXPECT_EQ(asker.At(60'000, "n{pod=\"p\"}[30s]", "3.5"),
            "n{pod=\"p\"} <18 27 (1,2]18>@40 <22 33 (1,2]22>@60");
  EXPECT_EQ(asker.At(60'000, "timestamp(n{pod=\"p\"})", "3.5"), "{pod=\"p\"} 60");
}

TEST(NativeOperationsTest, AWindowOfBothKindsGivesNothingAndSaysSo) {
  Series both = Natives("m", "p", {One(1, 1), One(2, 2)});
  both.samples = {{40'000, 5}, {60'000, 6}};
  const Asker asker({both});
  EXPECT_EQ(asker.At(60'000, "rate(m[1m])", "2.55"), "");
  const std::vector<std::string> expected = {
      "PromQL warning: encountered a mix of histograms and floats for metric name \"m\" (1:6)"};
  EXPECT_EQ(asker.Full("rate(m[1m])", "2.55", 60'000, 60'000, 0).warnings, expected);
  EXPECT_EQ(asker.At(60'000, "m", "2.55"), "m{pod=\"p\"} 6");
  EXPECT_EQ(asker.At(30'000, "m", "2.55"), "m{pod=\"p\"} <2 2 (1,2]2>");
}

TEST(NativeOperationsTest, WhoseSchemaIsUnknownIsRefused) {
  const NativeHistogram cut{3, 1, {{-0.75, 0.75, 1, 3}, {0.75, 1, 2, 0}}};
  const Asker asker({Natives("n", "p", {cut}), Natives("n", "q", {cut})});
  EXPECT_EQ(asker.At(0, "n{pod=\"p\"} * 1", "3.5"), "{pod=\"p\"} <3 1 (-0.75,0.75]1 (0.75,1]2>");
  EXPECT_NE(asker.At(0, "sum(n)", "3.5").find("its schema is unknown"), std::string::npos);
}

}  // namespace
}  // namespace schedlens::promql
