#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/alert/panel.h"
#include "messages/catalog.h"
#include "promql/evaluate.h"

namespace schedlens {
namespace {

constexpr const char* kRecomputed =
    "histogram_quantile(0.9, sum(rate(x_bucket[2m])) without (pod)) > 0.5";

/// Two pods' buckets, 600 s of them, with rates that no decimal ends.
std::vector<Series> Buckets() {
  std::vector<Series> all;
  for (const char* pod : {"a", "b"}) {
    double share = 0;
    for (const char* le : {"0.1", "1", "+Inf"}) {
      share += pod[0] == 'a' ? 0.3 : 0.7;
      Series series;
      series.labels = Labels({{"__name__", "x_bucket"}, {"le", le}, {"pod", pod}});
      for (TimeMs t = 0; t <= 600'000; t += 15'000) {
        series.samples.push_back({t + 7, share * static_cast<double>(t) / 1000 / 3});
      }
      all.push_back(std::move(series));
    }
  }
  return all;
}

/// Samples in memory under a server that may lie about what it computes.
class FakeServerSource : public Source {
 public:
  explicit FakeServerSource(std::vector<Series> series) : store_(std::move(series)) {}
  Answer Ask(const Query& query) override {
    Answer answer = promql::Evaluate(store_, query, {});
    if (query.promql.starts_with("rate(")) {
      for (Series& series : answer.series) series.samples[0].v *= rate_error;
    }
    return answer;
  }
  SourceInfo Describe() override {
    SourceInfo info;
    info.exact = exact;
    return info;
  }
  double rate_error = 1;
  bool exact = true;

 private:
  promql::SeriesStore store_;
};

std::optional<Recomputed> Redo(FakeServerSource& source, double factor = 1) {
  const auto expression = promql::ParseAlertExpression(kRecomputed);
  const Answer shown = source.Ask({expression.quantile_expression, 500'000, 500'000, 0});
  return RecomputeQuantile(source, expression, Labels(), shown.series.at(0).samples[0].v * factor,
                           500'000);
}

TEST(RecomputeTest, AgreesToTheBitWithAServerThatComputesAsItSays) {
  FakeServerSource source(Buckets());
  const auto redone = Redo(source);
  ASSERT_TRUE(redone);
  EXPECT_TRUE(redone->agrees);
  EXPECT_EQ(redone->tolerance, "bits");
  EXPECT_EQ(redone->rates, 6u);
  EXPECT_EQ(redone->agreeing_rates, 6u);
  EXPECT_EQ(redone->recomputed, redone->shown);
}

TEST(RecomputeTest, OneBitIsADisagreementAndLessThanANanoPartIsNone) {
  FakeServerSource source(Buckets());
  EXPECT_FALSE(Redo(source, 1 + 0x1p-52)->agrees);
  source.exact = false;
  EXPECT_TRUE(Redo(source, 1 + 0x1p-52)->agrees);
  EXPECT_FALSE(Redo(source, 1 + 1e-8)->agrees);
}

TEST(RecomputeTest, RatesThatTheRawSamplesDoNotGiveAreCounted) {
  FakeServerSource source(Buckets());
  source.rate_error = 1.5;  // the quantile of these rates is the same one
  const auto redone = Redo(source);
  ASSERT_TRUE(redone);
  EXPECT_FALSE(redone->agrees);
  EXPECT_EQ(redone->agreeing_rates, 0u);
  EXPECT_EQ(redone->rates, 6u);
}

TEST(RecomputeTest, WhatIsNoClassicQuantileIsLeftAlone) {
  FakeServerSource source(Buckets());
  for (const char* expr : {"up == 0", "histogram_quantile(0.9, rate(x[5m]))"}) {
    EXPECT_FALSE(RecomputeQuantile(source, promql::ParseAlertExpression(expr), Labels(), 1, 1000))
        << expr;
  }
}

ResolvedAlert Alert(const std::string& expr) {
  ResolvedAlert alert;
  alert.name = "Slow";
  alert.expr = expr;
  alert.expression = promql::ParseAlertExpression(kRecomputed);
  return alert;
}

TEST(RecomputeTest, WhatTheServerStoredWhenTheAlertFired) {
  std::vector<Series> all = Buckets();
  FakeServerSource plain(all);
  const double value =
      plain
          .Ask({promql::ParseAlertExpression(kRecomputed).quantile_expression, 300'000, 300'000, 0})
          .series.at(0)
          .samples[0]
          .v;
  Series alerts;
  alerts.labels = Labels({{"__name__", "ALERTS"}, {"alertname", "Slow"}, {"alertstate", "firing"}});
  for (TimeMs t = 300'000; t <= 600'000; t += 15'000) alerts.samples.push_back({t, 1});
  Series recorded;
  recorded.labels = Labels({{"__name__", "x:p90"}});
  recorded.samples = {{300'000, value}};
  all.push_back(alerts);
  all.push_back(recorded);
  FakeServerSource source(all);
  const auto stored = CompareWithStored(source, Alert("x:p90 > 0.5"), {0, 600'000});
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[0].at, 300'000);
  EXPECT_EQ(InEnglish(stored[0].what), "ALERTS of Slow, which began to fire");
  EXPECT_TRUE(stored[0].agrees);
  EXPECT_EQ(InEnglish(stored[1].what), "the recording rule x:p90");
  EXPECT_EQ(stored[1].shown, value);
  EXPECT_TRUE(stored[1].agrees);

  all.back().samples[0].v = std::nextafter(value, 9.0);
  FakeServerSource late(all);
  EXPECT_FALSE(CompareWithStored(late, Alert("x:p90 > 0.5"), {0, 600'000}).at(1).agrees);
  // Without a recording rule only ALERTS is there; below the threshold it should not have fired.
  ResolvedAlert high = Alert(kRecomputed);
  high.expression.threshold = 100;
  const auto alone = CompareWithStored(source, high, {0, 600'000});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_FALSE(alone[0].agrees);
  EXPECT_TRUE(CompareWithStored(source, Alert(kRecomputed), {0, 200'000}).empty());
}

}  // namespace
}  // namespace schedlens
