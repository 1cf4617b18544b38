#include "diagnose/explain/quantile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/message.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::StoreSource;

constexpr char kFamily[] = "scheduler_e2e_scheduling_duration_seconds";

Series Make(const std::string& suffix, std::vector<Labels::Pair> labels, std::vector<double> values,
            TimeMs first = 5000) {
  labels.emplace_back("__name__", kFamily + suffix);
  labels.emplace_back("job", "kube-scheduler");
  Series series{Labels(labels), {}, {}};
  for (const double v : values) {
    series.samples.push_back({first, v});
    first += 5000;
  }
  return series;
}

/// Two scrapes; between them 90 quick attempts and ten of (2, 4] that take 30 s together.
std::vector<Series> OneChild(const std::string& result = "scheduled") {
  const auto bucket = [&](const char* le, double after) {
    return Make("_bucket", {{"le", le}, {"result", result}}, {0, after});
  };
  return {bucket("1", 90),
          bucket("2", 90),
          bucket("4", 100),
          bucket("+Inf", 100),
          Make("_sum", {{"result", result}}, {0, 60}),
          Make("_count", {{"result", result}}, {0, 100})};
}

QuantileRequest Request(const std::string& metric = kFamily) {
  QuantileRequest request;
  request.metric = metric;
  request.q = 0.99;
  request.window = {5000, 10000};
  return request;
}

TEST(ExplainQuantileTest, SaysWhatIsShownAndWhatIsProven) {
  StoreSource source(OneChild());
  const QuantileReport report = ExplainQuantile(source, Request());
  ASSERT_EQ(report.rows.size(), 1u);
  const QuantileExplanation& row = report.rows[0];
  EXPECT_NEAR(*row.shown, 3.8, 1e-9);
  EXPECT_EQ(row.proven.rank, 99);
  EXPECT_EQ(row.proven.proof.bucket, (Interval{2, 4}));
  EXPECT_GE(*row.estimate.value, *row.estimate.low);
  EXPECT_LE(*row.estimate.value, *row.estimate.high);
  EXPECT_EQ(report.seen, (TimeRange{5000, 10000}));
}

TEST(ExplainQuantileTest, TakesTheFamilyWithItsSuffixToo) {
  StoreSource source(OneChild());
  EXPECT_EQ(ExplainQuantile(source, Request(std::string(kFamily) + "_bucket")).rows[0].metric,
            kFamily);
}

TEST(ExplainQuantileTest, AnExpressionGivesGroupsAndAVerdict) {
  std::vector<Series> series = OneChild();
  for (Series& s : OneChild("unschedulable")) series.push_back(std::move(s));
  StoreSource source(series);
  QuantileRequest request = Request("");
  request.q.reset();
  request.expression = promql::ParseAlertExpression(
      std::string("histogram_quantile(0.9, sum by (le, result) (rate(") + kFamily +
      "_bucket[5m]))) > 3");
  const QuantileReport report = ExplainQuantile(source, request);
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].labels.size(), 1u);
  EXPECT_EQ(report.rows[0].q, 0.9);
  ASSERT_TRUE(report.rows[0].threshold);
  EXPECT_EQ(report.rows[0].threshold->verdict.decided, Decided::kBelow);
  EXPECT_THAT(InEnglish(report.rows[0].threshold->notes), Contains(HasSubstr("2 or 4 s")));
}

TEST(ExplainQuantileTest, SaysWhenResultsAreMixed) {
  std::vector<Series> series = OneChild();
  for (Series& s : OneChild("unschedulable")) series.push_back(std::move(s));
  StoreSource source(series);
  EXPECT_THAT(InEnglish(ExplainQuantile(source, Request()).rows[0].reasons),
              Contains(HasSubstr("scheduled 100; unschedulable 100")));
}

TEST(ExplainQuantileTest, LifetimeTakesCountersAsTheyStand) {
  StoreSource source(OneChild());
  QuantileRequest request = Request();
  request.lifetime = true;
  const QuantileReport report = ExplainQuantile(source, request);
  EXPECT_EQ(report.rows[0].proven.observations, 100);
}

TEST(ExplainQuantileTest, NamesWhatIsMissing) {
  StoreSource source(OneChild());
  try {
    ExplainQuantile(source, Request("scheduler_nothing_seconds"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_THAT(error.what(), HasSubstr("scheduler_nothing_seconds_bucket"));
  }
  QuantileRequest request = Request("");
  request.expression = promql::ParseAlertExpression("up > 3");
  EXPECT_THROW(ExplainQuantile(source, request), Error);
}

TEST(ExplainQuantileTest, NamesTheReasonWhereNoScrapeIsWhole) {
  StoreSource source(
      {Make("_bucket", {{"le", "1"}}, {0, 90}), Make("_bucket", {{"le", "+Inf"}}, {0, 100}, 7000)});
  try {
    ExplainQuantile(source, Request());
    FAIL();
  } catch (const ReasonedError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_EQ(error.reason().id, "samples.incomplete");
  }
}

/// Every bad input: a number that is proven, or none; never a crash, never a made-up one.
TEST(ExplainQuantileTest, BadInputNeverBecomesASilentNumber) {
  const double inf = HUGE_VAL, nan = std::nan("");
  const std::vector<std::vector<double>> finals = {
      {90, 80, 100, 100},     {-5, 90, 100, 100},    {nan, 90, 100, 100}, {90, 90, 100, inf},
      {90, 90, 1e308, 1e308}, {0.5, 0.7, 0.9, 1.25}, {0, 0, 0, 0},        {nan, nan, nan, nan}};
  for (const auto& counts : finals) {
    std::vector<Series> series;
    const char* les[] = {"1", "2", "4", "+Inf"};
    for (int b = 0; b < 4; ++b) {
      series.push_back(Make("_bucket", {{"le", les[b]}}, {0, counts[std::size_t(b)]}));
    }
    StoreSource source(series);
    try {
      const QuantileExplanation row = ExplainQuantile(source, Request()).rows[0];
      if (!row.estimate.value) continue;
      EXPECT_TRUE(std::isfinite(*row.estimate.value));
      EXPECT_GE(*row.estimate.value, *row.proven.proof.interval.low);
      EXPECT_LE(*row.estimate.value, *row.proven.proof.interval.high);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    }
  }
}

TEST(ExplainQuantileTest, FallingCountsAreReported) {
  StoreSource source({Make("_bucket", {{"le", "1"}}, {0, 90}),
                      Make("_bucket", {{"le", "2"}}, {0, 80}),
                      Make("_bucket", {{"le", "+Inf"}}, {0, 100})});
  EXPECT_THAT(InEnglish(ExplainQuantile(source, Request()).warnings),
              Contains(HasSubstr("2 scrapes in the window are not histograms")));
}

TEST(ExplainQuantileTest, BoundsThatAreEqualWithDifferentTextAreOne) {
  StoreSource source({Make("_bucket", {{"le", "0.1"}}, {0, 40}),
                      Make("_bucket", {{"le", "0.10"}}, {0, 50}),
                      Make("_bucket", {{"le", "+Inf"}}, {0, 100})});
  const auto row = ExplainQuantile(source, Request()).rows[0];
  ASSERT_EQ(row.buckets.size(), 2u);
  EXPECT_EQ(row.buckets[0].count, 90);
}

TEST(ExplainQuantileTest, ASumFromOtherScrapesFallsBackAndSaysSo) {
  std::vector<Series> series = OneChild();
  for (Series& s : series) {
    if (s.labels.Get("__name__") == std::string(kFamily) + "_sum") s.samples[1].t += 1000;
  }
  StoreSource source(series);
  const auto row = ExplainQuantile(source, Request()).rows[0];
  EXPECT_EQ(row.proven.proof.interval, (Interval{2, 4}));
  EXPECT_THAT(InEnglish(row.reasons), Contains(HasSubstr("no _sum sample at the same scrapes")));
}

TEST(ExplainQuantileTest, ReplicasOfDifferentLayoutsAreNeverASilentNumber) {
  std::vector<Series> series = OneChild();
  series.push_back(Make("_bucket", {{"le", "3"}, {"instance", "b"}}, {0, 50}));
  series.push_back(Make("_bucket", {{"le", "+Inf"}, {"instance", "b"}}, {0, 50}));
  StoreSource source(series);
  EXPECT_THAT(InEnglish(ExplainQuantile(source, Request()).rows[0].reasons),
              Contains(HasSubstr("different bucket layouts")));
}

TEST(RowOfTest, KeepsWhatADiagnosisShows) {
  StoreSource source(OneChild());
  const auto explained = ExplainQuantile(source, Request()).rows[0];
  const QuantileRow row = RowOf(explained);
  EXPECT_EQ(row.metric, kFamily);
  EXPECT_EQ(row.interval, explained.proven.proof.interval);
  EXPECT_EQ(row.shown, explained.shown);
}

}  // namespace
}  // namespace schedlens
