#include "diagnose/alert/panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/incident.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

/// Answers every quantile with two series.
class QuantileSource : public Source {
 public:
  Answer Ask(const Query& query) override {
    asked.push_back(query);
    Answer answer;
    const Series scheduled{Labels({{"result", "scheduled"}}), {{query.end, 2.5}}, {}};
    const Series error{Labels({{"result", "error"}}), {{query.end, NAN}}, {}};
    answer.series = {error, scheduled};
    answer.infos = {"input to histogram_quantile needed to be fixed for monotonicity"};
    return answer;
  }
  SourceInfo Describe() override {
    SourceInfo info;
    info.extent = {0, test::kIncident.end};
    return info;
  }
  std::vector<Query> asked;
};

AlertPanel Read(const std::string& expr, QuantileSource* source, const std::string& given = "") {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  Facts facts = FactsOf(r);
  facts.given_selector = given;
  const Histograms histograms = GroupAll(facts);
  return ReadAlert(*source, facts, histograms, test::kIncident,
                   PlanAlert(QuerySet::Embedded(), facts, histograms, expr));
}

TEST(ReadAlertTest, ShowsTheWorstSeriesOfTheAlertsOwnExpression) {
  QuantileSource source;
  const AlertPanel panel =
      Read("histogram_quantile(0.95, sum by (le, result) (rate(x_bucket[2m]))) > 2", &source);
  EXPECT_EQ(panel.verdict.metric, "x");
  EXPECT_EQ(panel.verdict.quantile, 0.95);
  EXPECT_EQ(panel.verdict.threshold, 2);
  EXPECT_EQ(panel.verdict.shown, 2.5);
  EXPECT_EQ(source.asked.at(0).promql,
            "histogram_quantile(0.95, sum by (le, result) (rate(x_bucket[2m])))");
  EXPECT_EQ(panel.warnings.size(), 1u) << "a note of both answers is kept once";
}

TEST(ReadAlertTest, TheDefaultQuestionUsesTheMetricThatIsThere) {
  QuantileSource source;
  const AlertPanel panel = Read("", &source);
  EXPECT_EQ(panel.verdict.metric, "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_FALSE(panel.verdict.threshold);
}

constexpr char kByResult[] =
    "histogram_quantile(0.99, sum by (le, result) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[2m]))) > 2";

TEST(ReadAlertTest, ProvesFromTheHistogramsInHand) {
  QuantileSource source;
  const AlertPanel panel = Read(kByResult, &source);
  EXPECT_EQ(source.asked.size(), 4u) << "its value and its line, and when it held";
  ASSERT_TRUE(panel.verdict.interval.high);
  EXPECT_LT(*panel.verdict.interval.high, 2);
  EXPECT_EQ(panel.verdict.decided, Decided::kBelow);
}

TEST(ReadAlertTest, AsksForItsOwnWhereFewerProcessesAreInHand) {
  QuantileSource source;
  Read(kByResult, &source, "");
  const std::size_t held = source.asked.size();
  Read("histogram_quantile(0.99, sum by (le, result) (rate(x_bucket[2m]))) > 2", &source);
  EXPECT_GT(source.asked.size(), 2 * held);
}

TEST(ReadAlertTest, IsNarrowedToTheSelectorThatWasGiven) {
  QuantileSource source;
  const AlertPanel panel = Read(kByResult, &source, "pod=\"kube-scheduler-0\"");
  for (const Query& query : source.asked) {
    EXPECT_NE(query.promql.find("{pod=\"kube-scheduler-0\"}"), std::string::npos) << query.promql;
  }
  EXPECT_EQ(panel.verdict.expr, kByResult) << "as its author wrote it";
}

TEST(ReadAlertTest, AnAlertThatIsNoQuantileIsJudgedByItsOwnValue) {
  QuantileSource source;
  const AlertPanel panel = Read("up == 0", &source);
  EXPECT_EQ(panel.verdict.expr, "up == 0");
  ASSERT_FALSE(panel.verdict.notes.empty());
  EXPECT_NE(InEnglish(panel.verdict.notes[0]).find("not a histogram quantile"), std::string::npos);
  EXPECT_EQ(panel.verdict.value, 2.5);
  EXPECT_EQ(panel.verdict.threshold, 0);
  EXPECT_FALSE(panel.verdict.shown);
  EXPECT_FALSE(panel.ThresholdInSeconds()) << "it is no time";
  EXPECT_TRUE(std::isnan(panel.verdict.quantile));
  EXPECT_EQ(panel.verdict.fires.state, FiresState::kYes);
}

TEST(ReadAlertTest, OfSeveralSeriesTheOneThatEqualsIsShown) {
  const Labels up({{"__name__", "up"}});
  const std::vector<Series> series = {{up.With("job", "a"), {{590'000, 1}, {600'000, 1}}, {}},
                                      {up.With("job", "b"), {{590'000, 1}, {600'000, 0}}, {}}};
  testing_support::StoreSource source(series);
  const Facts facts;
  const AlertPanel panel = ReadAlert(source, facts, {}, {300'000, 600'000},
                                     PlanAlert(QuerySet::Embedded(), facts, {}, "up == 0"));
  EXPECT_EQ(panel.verdict.value, 0);
  EXPECT_EQ(panel.verdict.fires.state, FiresState::kYes);
}

TEST(ReadAlertTest, OfConditionsThatOrJoinsTheOneWithDataIsJudged) {
  QuantileSource source;
  const AlertPanel panel = Read(
      "histogram_quantile(0.99, sum by (le) (rate(scheduler_x_bucket[2m]))) > 3 or "
      "histogram_quantile(0.9, sum by (le) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[2m]))) > 2",
      &source);
  EXPECT_EQ(panel.verdict.metric, "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_EQ(panel.verdict.quantile, 0.9);
  EXPECT_EQ(panel.verdict.threshold, 2);
  EXPECT_EQ(panel.verdict.notes.at(0).id, "alert.or.only");
  EXPECT_EQ(source.asked.back().promql, panel.verdict.expr) << "whether it fires is of the whole";
}

TEST(ReadAlertTest, SaysWhatWasJudged) {
  QuantileSource source;
  const AlertPanel panel = Read(
      "histogram_quantile(0.99, sum by (le) (rate(scheduler_e2e_scheduling_duration_seconds_bucket"
      "{result=\"scheduled\",pod!=\"x\"}[2m]))) > 2",
      &source);
  using Pairs = std::vector<Labels::Pair>;
  EXPECT_EQ(
      panel.verdict.population,
      (Pairs{{"instance", "10.0.0.1:10259"}, {"job", "kube-scheduler"}, {"result", "scheduled"}}));
}

TEST(ReadAlertTest, AQuantileThatIsNoneIsNotCalledOne) {
  for (const char* q : {"scalar(x)", "1.5", "-1", "NaN"}) {
    QuantileSource source;
    const AlertPanel panel = Read(
        fmt::format("histogram_quantile({}, sum by (le) (rate(x_bucket[2m]))) > 2", q), &source);
    ASSERT_FALSE(panel.verdict.notes.empty()) << q;
    EXPECT_NE(InEnglish(panel.verdict.notes[0]).find("not a number from 0 to 1"), std::string::npos)
        << q;
    EXPECT_EQ(panel.verdict.metric, "scheduler_e2e_scheduling_duration_seconds") << q;
    EXPECT_FALSE(panel.verdict.threshold) << q;
  }
}

/// One attempt before each scrape, every 15 s for ten minutes; 50 pods wait from 150 to 300 s, else
/// 5 do.
test::Recorder PodsWait() {
  test::Recorder r;
  r.Run(test::Quick(0));
  for (TimeMs t = 0; t <= 600'000; t += 15'000) {
    const bool many = t >= 150'000 && t <= 300'000;
    r.Set("scheduler_pending_pods", {{"queue", "active"}}, many ? 50 : 5);
    r.Run(test::Quick(1));
    r.Scrape(t);
  }
  return r;
}

/// As the series are, noting what is asked.
class NotingSource : public testing_support::StoreSource {
 public:
  using StoreSource::StoreSource;
  Answer Ask(const Query& query) override {
    asked.push_back(query);
    return StoreSource::Ask(query);
  }
  std::vector<Query> asked;
};

std::vector<TimeRange> TimesItHeldIn(const test::Recorder& r, const std::string& expr,
                                     std::size_t* asked = nullptr) {
  NotingSource source(r.series());
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  AlertPanel panel = PlanAlert(QuerySet::Embedded(), facts, histograms, expr);
  const auto held = TimesItHeld(source, facts, histograms.attempt, &panel);
  EXPECT_EQ(panel.queries.size(), source.asked.size());
  if (asked != nullptr) *asked = source.asked.size();
  return held;
}

TEST(TimesItHeldTest, OfAGaugeTheyEndWithTheLastScrapeThatItSaw) {
  const test::Recorder r = PodsWait();
  for (const char* expr :
       {"scheduler_pending_pods > 20", "sum by (queue) (scheduler_pending_pods) >= 50",
        "20 < max(scheduler_pending_pods)"}) {
    const auto held = TimesItHeldIn(r, expr);
    ASSERT_EQ(held.size(), 1U) << expr;
    EXPECT_LE(held[0].start, 150'000) << expr;
    EXPECT_GE(held[0].start, 150'000 - 15'000) << expr;
    EXPECT_EQ(held[0].end, 300'000) << expr << ": the value lives on until the next scrape";
  }
}

TEST(TimesItHeldTest, EachReachesBackOverTheRangeOfTheExpression) {
  const auto held =
      TimesItHeldIn(PodsWait(), "min_over_time(scheduler_pending_pods{queue=\"active\"}[1m]) > 20");
  ASSERT_EQ(held.size(), 1U);
  // It first holds when no scrape before 150 s is in its range.
  EXPECT_GE(held[0].start, 130'000);
  EXPECT_LE(held[0].start, 150'000);
  EXPECT_EQ(held[0].end, 300'000);
}

TEST(TimesItHeldTest, TwoTimesApartAreTwo) {
  test::Recorder r;
  r.Run(test::Quick(0));
  for (TimeMs t = 0; t <= 600'000; t += 15'000) {
    const bool many = (t >= 150'000 && t <= 180'000) || (t >= 450'000 && t <= 480'000);
    r.Set("scheduler_pending_pods", {{"queue", "active"}}, many ? 50 : 5);
    r.Scrape(t);
  }
  const auto held = TimesItHeldIn(r, "scheduler_pending_pods > 20");
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].end, 180'000);
  EXPECT_EQ(held[1].end, 480'000);
}

TEST(TimesItHeldTest, NoneWhereNothingIsComparedOrItNeverHolds) {
  const test::Recorder r = PodsWait();
  for (const char* expr : {"scheduler_pending_pods", "sum(scheduler_pending_pods)",
                           "scheduler_pending_pods > 50", "scheduler_not_here > 0"}) {
    EXPECT_TRUE(TimesItHeldIn(r, expr).empty()) << expr;
  }
}

TEST(TimesItHeldTest, AQuantileOfTheAttemptsAsksNothing) {
  test::Recorder r;
  test::RecordIncident(&r,
                       [](int i) { return i % 10 ? test::Quick(i) : test::Attempt{.bind = 3}; });
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  std::size_t asked = 1;
  const auto held = TimesItHeldIn(r, kByResult, &asked);
  EXPECT_EQ(asked, 0U);
  EXPECT_FALSE(held.empty());
  EXPECT_EQ(held, TimesAboveThreshold(PlanAlert(QuerySet::Embedded(), facts, histograms, kByResult),
                                      facts, histograms.attempt));
  EXPECT_TRUE(TimesItHeldIn(r, "", &asked).empty()) << "no alert was given";
  EXPECT_EQ(asked, 0U);
  TimesItHeldIn(r, "scheduler_e2e_scheduling_duration_seconds_count > 1", &asked);
  EXPECT_EQ(asked, 1U) << "no quantile";
}

}  // namespace
}  // namespace schedlens
