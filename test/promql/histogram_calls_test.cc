#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

std::vector<Series> Buckets(const std::string& name, const std::string& pod,
                            const std::vector<std::pair<std::string, std::string>>& buckets) {
  std::vector<Series> all;
  for (const auto& [le, count] : buckets) {
    all.push_back(Line({{"__name__", name}, {"le", le}, {"pod", pod}}, {count}));
  }
  return all;
}

Asker Of(std::vector<Series> a, const std::vector<Series>& b = {}) {
  a.insert(a.end(), b.begin(), b.end());
  return Asker(std::move(a));
}

TEST(HistogramCallsTest, GroupByTheOtherLabels) {
  const Asker asker = Of(Buckets("h_bucket", "p", {{"0.1", "10"}, {"1", "30"}, {"+Inf", "40"}}),
                         Buckets("h_bucket", "q", {{"0.1", "0"}, {"1", "4"}, {"+Inf", "4"}}));
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.5, h_bucket)"), "{pod=\"p\"} 0.55; {pod=\"q\"} 0.55");
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.9, sum by (le) (h_bucket))"), "{} 1");
  EXPECT_EQ(asker.At(0, "histogram_quantile(2, h_bucket)"), "{pod=\"p\"} +Inf; {pod=\"q\"} +Inf");
}

TEST(HistogramCallsTest, AddBoundsOfEqualValueAndSkipUnreadableOnes) {
  const Asker asker = Of(
      Buckets("h_bucket", "p",
              {{"0.1", "5"}, {"1e-1", "5"}, {"1", "30"}, {"+Inf", "40"}, {"x", "99"}, {"", "99"}}));
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.5, h_bucket)"), "{pod=\"p\"} 0.55");
}

TEST(HistogramCallsTest, KeepNamesApartAndRefuseEqualResults) {
  const Asker asker = Of(Buckets("h_bucket", "p", {{"1", "30"}, {"+Inf", "40"}}),
                         Buckets("i_bucket", "p", {{"1", "30"}, {"+Inf", "40"}}));
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.5, {pod=\"p\"})"),
            "error: vector cannot contain metrics with the same labelset");
}

TEST(HistogramCallsTest, FractionsOfBucketsFrom34On) {
  const Asker asker = Of(Buckets("h_bucket", "p", {{"0.1", "10"}, {"1", "30"}, {"+Inf", "40"}}));
  EXPECT_EQ(asker.At(0, "histogram_fraction(0, 1, h_bucket)", "3.4"), "{pod=\"p\"} 0.75");
  EXPECT_EQ(asker.At(0, "histogram_fraction(0, 1, h_bucket)", "2.42"), "");
}

TEST(HistogramCallsTest, FollowBucketsThatComeAndGo) {
  std::vector<Series> all = {
      Line({{"__name__", "h_bucket"}, {"le", "1"}}, {"10", "10"}),
      Line({{"__name__", "h_bucket"}, {"le", "2"}}, {"_", "20"}),
      Line({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {"20", "20"}),
  };
  EXPECT_EQ(Of(all).Range(0, 10'000, 10'000, "histogram_quantile(0.75, h_bucket)"),
            "{} 1@0 1.5@10");
}

TEST(HistogramCallsTest, NativeHistogramsOfAPlainSelector) {
  Series native;
  native.labels = Labels({{"__name__", "n"}, {"pod", "p"}});
  native.histograms = {{0, {10, 15, {{0.5, 1, 4, 0}, {1, 2, 4, 0}, {2, 4, 2, 0}}}}};
  const Asker asker = Of({native});
  EXPECT_EQ(asker.At(0, "histogram_count(n)"), "{pod=\"p\"} 10");
  EXPECT_EQ(asker.At(0, "histogram_sum(n)"), "{pod=\"p\"} 15");
  EXPECT_EQ(asker.At(0, "histogram_avg(n)", "3.0"), "{pod=\"p\"} 1.5");
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.6, n)"), "{pod=\"p\"} 1.5");
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.6, n)", "3.0"), "{pod=\"p\"} 1.414213562373095");
  EXPECT_EQ(asker.At(0, "histogram_fraction(1, 2, n)"), "{pod=\"p\"} 0.4");
  EXPECT_EQ(asker.Full("n", "3.0", 0, 0, 0).series[0].histograms, native.histograms);
  EXPECT_THAT(asker.Full("histogram_quantile(0.6, n)", "3.0", 0, 0, 0).warnings,
              testing::IsEmpty());
}

TEST(HistogramCallsTest, SeveralQuantilesAtOnce) {
  const Asker asker({
      Line({{"__name__", "h_bucket"}, {"le", "1"}}, {"5"}),
      Line({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {"10"}),
  });
  EXPECT_EQ(asker.At(0, "histogram_quantiles(h_bucket, \"q\", 0.25, 1)", "3.11"),
            "{q=\"0.25\"} 0.5; {q=\"1.0\"} 1");
}

TEST(HistogramCallsTest, SortsByBoundAddsEqualOnesAndSkipsWhatIsAbsent) {
  const Asker asker({
      Line({{"__name__", "h"}, {"le", "+Inf"}}, {"8", "_"}),
      Line({{"__name__", "h"}, {"le", "1e-1"}}, {"1", "_"}),
      Line({{"__name__", "h"}, {"le", "0.1"}}, {"3", "_"}),
      Line({{"__name__", "h"}, {"le", "x"}}, {"9", "9"}),
      Line({{"__name__", "h"}, {"a", "b"}, {"le", "1"}}, {"_", "7"}),
  });
  // Four of the eight are at most 0.1; the other group has no +Inf bucket.
  EXPECT_EQ(asker.At(0, "histogram_quantile(0.5, h)"), "{} 0.1");
  EXPECT_EQ(asker.Full("histogram_quantile(0.5, h)", "3.5", 0, 0, 0).warnings.size(), 1U);
}

const Asker& VictoriaBucketsData() {
  static const Asker asker({
      Line({{"__name__", "h"}, {"vmrange", "1...2"}}, {"4"}),
      Line({{"__name__", "h"}, {"vmrange", "5...6"}}, {"6"}),
      Line({{"__name__", "h"}, {"vmrange", "2...3"}}, {"0"}),
      Line({{"__name__", "h"}, {"vmrange", "bad"}}, {"9"}),
      Line({{"__name__", "c"}, {"le", "0.5"}}, {"1"}),
      Line({{"__name__", "c"}, {"le", "1"}}, {"3"}),
      Line({{"__name__", "only"}, {"le", "+Inf"}}, {"3"}),
  });
  return asker;
}

TEST(VictoriaBucketsTest, BecomeCumulativeWithTheGapsFilled) {
  EXPECT_EQ(VictoriaBucketsData().At(0, "prometheus_buckets(h)", "victoriametrics"),
            "h{le=\"1\"} 0; h{le=\"2\"} 4; h{le=\"5\"} 4; h{le=\"6\"} 10; h{le=\"+Inf\"} 10");
  EXPECT_EQ(VictoriaBucketsData().At(0, "histogram_quantile(0.7, h)", "victoriametrics"), "{} 5.5");
  EXPECT_NE(VictoriaBucketsData()
                .At(0, "prometheus_buckets(h)", "3.5")
                .find("a function of VictoriaMetrics"),
            std::string::npos);
}

TEST(VictoriaBucketsTest, AThirdArgumentShowsTheEdges) {
  EXPECT_EQ(VictoriaBucketsData().At(0, "histogram_quantile(0.5, c, \"edge\")", "victoriametrics"),
            "{} 0.625; {edge=\"lower\"} 0.5; {edge=\"upper\"} 1");
  EXPECT_EQ(VictoriaBucketsData().At(0, "histogram_quantile(2, c, \"edge\")", "victoriametrics"),
            "{} +Inf; {edge=\"lower\"} 3; {edge=\"upper\"} +Inf");
  EXPECT_EQ(VictoriaBucketsData().At(0, "histogram_quantile(-1, c, \"edge\")", "victoriametrics"),
            "{} -Inf; {edge=\"lower\"} -Inf; {edge=\"upper\"} 1");
  EXPECT_NE(
      VictoriaBucketsData().At(0, "histogram_quantile(0.5, c, \"edge\")", "3.5").find("not 3"),
      std::string::npos);
}

TEST(VictoriaBucketsTest, NoFiniteBoundIsNoAnswer) {
  EXPECT_EQ(VictoriaBucketsData().At(0, "histogram_quantile(0.5, only)", "victoriametrics"), "");
  // As the server has it: the lower edge is no number, the upper one is.
  EXPECT_EQ(
      VictoriaBucketsData().At(0, "histogram_quantile(0.5, only, \"edge\")", "victoriametrics"),
      "{edge=\"upper\"} +Inf");
}

TEST(VictoriaBucketsTest, RatesNamedAfterPrometheusStayInsideTheWindow) {
  const Asker asker({Line({{"__name__", "s_total"}}, {"5", "10", "3", "8"})});
  EXPECT_EQ(asker.At(30'000, "increase_prometheus(s_total[25s])", "victoriametrics"), "{} 8");
  EXPECT_EQ(asker.At(30'000, "rate_prometheus(s_total[25s])", "victoriametrics"), "{} 0.32");
  EXPECT_EQ(asker.At(30'000, "delta_prometheus(s_total[25s])", "victoriametrics"), "{} -2");
  EXPECT_EQ(asker.At(30'000, "changes_prometheus(s_total[25s])", "victoriametrics"), "{} 2");
  EXPECT_EQ(asker.At(30'000, "rate_prometheus(s_total[5s])", "victoriametrics"), "");
}

}  // namespace
}  // namespace schedlens::promql
