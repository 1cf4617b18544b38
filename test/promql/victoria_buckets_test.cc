#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

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
