#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cli/commands/diagnose.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

constexpr const char* kExpr =
    "1000 * histogram_quantile(0.99, sum by (le) (rate(scheduler_a_bucket[5m]))) > 3000";
constexpr TimeMs kNow = 1'000'000;

/// Answers each expression with one vector of values; those about samples as a server whose newest
/// samples are so many seconds old does, at twenty scrapes in five minutes.
class Table : public Source {
 public:
  std::map<std::string, std::vector<double>> values;
  std::optional<double> age = 10;          ///< of the alert's samples
  std::optional<double> scrapes_age = 10;  ///< of the attempts' counters
  std::string gone;                        ///< a pod that is counted and not scraped

  Answer Ask(const Query& query) override {
    const std::string& text = query.promql;
    const bool of_attempts = text.find("attempt_duration_seconds_count") != std::string::npos;
    const std::optional<double>& old = of_attempts ? scrapes_age : age;
    std::vector<double> answers = values[text];
    if (text.starts_with("max(timestamp(")) {
      answers.clear();
      if (old) answers = {static_cast<double>(query.end) / 1000 - *old};
    } else if (text.starts_with("max(count_over_time(")) {
      answers.clear();
      if (old) answers = {20};
    } else if (text.starts_with("count by (cluster, job, instance, pod) (count_over")) {
      answers = std::vector<double>(gone.empty() ? 0 : 1, 1);
    }
    Answer answer;
    for (const double v : answers) {
      Series series;
      series.labels = Labels({{"pod", gone}});
      series.samples = {{query.end, v}};
      answer.series.push_back(series);
    }
    return answer;
  }
  SourceInfo Describe() override { return {}; }
};

promql::AlertExpression Alert(const std::string& expr = kExpr) {
  return promql::ParseAlertExpression(expr);
}

/// With this value of what the alert compares.
Table Quiet(double value) {
  Table table;
  table.values[Alert().compared_expression] = {value};
  return table;
}

std::string WhyUnknown(Table table, const std::string& expr = kExpr) {
  const Message why = AskAlertNow(table, Alert(expr), "", kNow).unknown;
  return why.empty() ? "" : InEnglish(why);
}

TEST(WatchedAlert, HoldsWhileItsExpressionHasAResult) {
  Table source;
  source.values = {{kExpr, {4200}}, {Alert().compared_expression, {100, 4200, NAN}}};
  source.age = std::nullopt;
  const AlertNow now = AskAlertNow(source, Alert(), "", kNow);
  EXPECT_TRUE(now.holds);
  EXPECT_TRUE(now.unknown.empty());
  EXPECT_DOUBLE_EQ(*now.value, 4.2) << "the worst, in seconds";
  EXPECT_EQ(InEnglish(WatchHead(Alert(), now, 30'000)),
            "1970-01-01 00:16:40 UTC: p99 is 4.2 s, threshold 3 s; again every 30s");
}

TEST(WatchedAlert, SaysThatItIsUnderItsThresholdAgain) {
  Table source = Quiet(1200);
  const AlertNow now = AskAlertNow(source, Alert(), "", kNow);
  EXPECT_FALSE(now.holds);
  EXPECT_TRUE(now.unknown.empty());
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, p99 back under 3 s (1.2 s)");
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, false)),
            "clear at 1970-01-01 00:16:40 UTC: the alert does not hold, its value is 1.2");
}

TEST(WatchedAlert, ClearedAboveItsThresholdItIsNotUnderIt) {
  Table source = Quiet(4200);
  const AlertNow now = AskAlertNow(source, Alert(), "", kNow);
  EXPECT_FALSE(now.holds) << "another condition ended";
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, the alert's value is 4.2");
}

TEST(WatchedAlert, IsUnknownWithoutAValue) {
  EXPECT_EQ(WhyUnknown(Quiet(NAN)),
            "no value: the expression's selector fits nothing, or nothing was counted");
  Table source;
  const AlertNow now = AskAlertNow(source, Alert(), "", kNow);
  EXPECT_FALSE(now.unknown.empty());
  EXPECT_EQ(InEnglish(WatchHead(Alert(), now, 1500)),
            "1970-01-01 00:16:40 UTC: unknown since 1970-01-01 00:16:40 UTC; again every 1s500ms");
}

TEST(WatchedAlert, IsUnknownWithoutFreshSamples) {
  Table source = Quiet(1200);
  source.age = 119;  // a minute and four scrapes of 15 s
  EXPECT_EQ(WhyUnknown(source), "");
  source.age = 121;
  EXPECT_EQ(WhyUnknown(source), "the newest samples are older than a minute and four scrapes");
  EXPECT_EQ(AskAlertNow(source, Alert(), "", kNow).since, kNow - 121'000);
  source.age = std::nullopt;
  EXPECT_EQ(WhyUnknown(source),
            "no samples: no kube-scheduler is scraped, or the alert's selector fits none");
}

TEST(WatchedAlert, IsUnknownWhileItCountsAProcessThatIsGone) {
  Table source = Quiet(1200);
  source.gone = "kube-scheduler-0";
  EXPECT_EQ(WhyUnknown(source),
            "not holding, but counted from kube-scheduler-0, which is not scraped any more");
}

TEST(WatchedAlert, ARecordedSeriesIsNoBetterThanTheSchedulersBehindIt) {
  const std::string expr = "job:p99:5m > 3";
  Table source;
  source.values["job:p99:5m"] = {1};
  EXPECT_EQ(WhyUnknown(source, expr), "");
  source.scrapes_age = 300;
  EXPECT_NE(WhyUnknown(source, expr), "");
  source.scrapes_age = 10;
  source.age = std::nullopt;
  EXPECT_NE(WhyUnknown(source, expr), "");
}

TEST(WatchedAlert, BothSidesOfAComparisonHaveAValue) {
  Table source;
  source.values["sum(scheduler_a)"] = {70};
  const std::string expr = "sum(scheduler_a) > most_wanted";
  EXPECT_EQ(WhyUnknown(source, expr), "what it is compared with has no value: most_wanted");
  source.values["most_wanted"] = {100};
  EXPECT_EQ(WhyUnknown(source, expr), "");
}

TEST(WatchedAlert, WithoutAComparisonNoResultIsQuiet) {
  Table source;
  const auto alert = Alert("absent(scheduler_a)");
  const AlertNow now = AskAlertNow(source, alert, "", kNow);
  EXPECT_TRUE(now.unknown.empty());
  EXPECT_EQ(InEnglish(ClearedLine(alert, now, true)),
            "cleared at 1970-01-01 00:16:40 UTC: the alert does not hold any more");
  EXPECT_EQ(InEnglish(ClearedLine(alert, now, false)),
            "clear at 1970-01-01 00:16:40 UTC: the alert does not hold");
}

TEST(WatchedAlert, OfNoQuantileShowsBareNumbers) {
  const auto alert = Alert("sum(scheduler_pending) > 100");
  Table source;
  source.values["sum(scheduler_pending)"] = {70};
  const AlertNow now = AskAlertNow(source, alert, "", kNow);
  EXPECT_EQ(InEnglish(ClearedLine(alert, now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, the alert's value back under 100 (70)");
}

}  // namespace
}  // namespace schedlens
