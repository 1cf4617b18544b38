#include "cli/commands/watched_alert.h"

#include <gtest/gtest.h>

#include <map>

#include "messages/catalog.h"

namespace schedlens {
namespace {

constexpr const char* kExpr =
    "1000 * histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m]))) > 3000";

/// Answers each expression with one vector of values.
using Values = std::map<std::string, std::vector<double>>;

class Table : public Source {
 public:
  explicit Table(Values values) : values_(std::move(values)) {}
  Answer Ask(const Query& query) override {
    Answer answer;
    for (const double v : values_[query.promql]) {
      Series series;
      series.samples = {{query.end, v}};
      answer.series.push_back(series);
    }
    return answer;
  }
  SourceInfo Describe() override { return {}; }

 private:
  Values values_;
};

promql::AlertExpression Alert() { return promql::ParseAlertExpression(kExpr); }

TEST(WatchedAlert, HoldsWhileItsExpressionHasAResult) {
  Table source(Values{{kExpr, {4200}}, {Alert().compared_expression, {100, 4200, NAN}}});
  const AlertNow now = AskAlertNow(source, Alert(), 1'000'000);
  EXPECT_TRUE(now.holds);
  EXPECT_DOUBLE_EQ(*now.value, 4.2) << "the worst, in seconds";
  EXPECT_EQ(InEnglish(WatchHead(Alert(), now, 30'000)),
            "1970-01-01 00:16:40 UTC: p99 is 4.2 s, the alert's threshold 3 s; again every 30s");
}

TEST(WatchedAlert, SaysThatItIsUnderItsThresholdAgain) {
  Table source(Values{{Alert().compared_expression, {1200}}});
  const AlertNow now = AskAlertNow(source, Alert(), 1'000'000);
  EXPECT_FALSE(now.holds);
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, p99 back under 3 s (1.2 s)");
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, false)),
            "clear at 1970-01-01 00:16:40 UTC: the alert does not hold, its value is 1.2");
}

TEST(WatchedAlert, ClearedAboveItsThresholdItIsNotUnderIt) {
  Table source(Values{{Alert().compared_expression, {4200}}});
  const AlertNow now = AskAlertNow(source, Alert(), 1'000'000);
  EXPECT_FALSE(now.holds) << "another condition ended";
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, the alert's value is 4.2");
}

TEST(WatchedAlert, ClaimsNothingWithoutAValue) {
  Table source(Values{{Alert().compared_expression, {NAN}}});
  const AlertNow now = AskAlertNow(source, Alert(), 1'000'000);
  EXPECT_EQ(InEnglish(ClearedLine(Alert(), now, true)),
            "cleared at 1970-01-01 00:16:40 UTC: the alert's expression has no value");
  EXPECT_EQ(InEnglish(WatchHead(Alert(), now, 1500)),
            "1970-01-01 00:16:40 UTC; again every 1s500ms");
}

TEST(WatchedAlert, OfNoQuantileShowsBareNumbers) {
  const auto alert = promql::ParseAlertExpression("sum(pending) > 100");
  Table source(Values{{"sum(pending)", {70}}});
  const AlertNow now = AskAlertNow(source, alert, 1'000'000);
  EXPECT_EQ(InEnglish(ClearedLine(alert, now, true)),
            "cleared at 1970-01-01 00:16:40 UTC, the alert's value back under 100 (70)");
}

}  // namespace
}  // namespace schedlens
