#include "promql/alert_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

TEST(AlertExpressionTest, ReadsTheAlertFromTheField) {
  const AlertExpression alert = ParseAlertExpression(
      "histogram_quantile(0.99, "
      "sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket{job=\"kube-scheduler\"}[5m])) "
      "without(instance, pod)) > 3");
  EXPECT_TRUE(alert.is_histogram_quantile);
  EXPECT_EQ(alert.family, "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_FALSE(alert.native);
  EXPECT_EQ(alert.quantile, 0.99);
  EXPECT_EQ(alert.selector, "job=\"kube-scheduler\"");
  EXPECT_EQ(alert.range_ms, 300'000);
  EXPECT_EQ(alert.function, "rate");
  EXPECT_EQ(alert.aggregations, std::vector<std::string>{"sum"});
  EXPECT_EQ(alert.without, (std::vector<std::string>{"instance", "pod"}));
  EXPECT_TRUE(alert.by.empty());
  EXPECT_EQ(alert.comparison, ">");
  EXPECT_EQ(alert.threshold, 3.0);
  EXPECT_EQ(alert.inner_expression,
            "rate(scheduler_e2e_scheduling_duration_seconds_bucket{job=\"kube-scheduler\"}[5m])");
  EXPECT_EQ(alert.quantile_expression + " > 3", alert.expr);
}

TEST(AlertExpressionTest, FindsTheQuantileWhereverItStands) {
  struct Row {
    std::string expr;
    std::string comparison;
    std::optional<double> threshold;
    double scale;
  };
  const std::vector<Row> table = {
      {"histogram_quantile(0.5, rate(x_bucket[1m]))", "", std::nullopt, 1},
      {"3 < histogram_quantile(0.5, rate(x_bucket[1m]))", ">", 3, 1},
      {"(histogram_quantile(0.5, rate(x_bucket[1m])) * 1000) >= bool 2500", ">=", 2.5, 1000},
      {"histogram_quantile(0.5, rate(x_bucket[1m])) / 2 > (1 + 2)", ">", 6, 0.5},
      {"-1 * histogram_quantile(0.5, rate(x_bucket[1m])) < -4", ">", 4, -1},
      {"-histogram_quantile(0.5, rate(x_bucket[1m])) < -4", ">", 4, -1},
      {"up == 1 and histogram_quantile(0.5, rate(x_bucket[1m])) > 3", ">", 3, 1},
      {"histogram_quantile(0.5, rate(x_bucket[1m])) > 3 unless on() up < 1", ">", 3, 1},
      {"histogram_quantile(0.5, rate(x_bucket[1m])) > scalar(limit)", ">", std::nullopt, 1},
  };
  for (const Row& row : table) {
    const AlertExpression alert = ParseAlertExpression(row.expr);
    EXPECT_TRUE(alert.is_histogram_quantile) << row.expr;
    EXPECT_EQ(alert.quantile_expression, "histogram_quantile(0.5, rate(x_bucket[1m]))");
    EXPECT_EQ(alert.family, "x") << row.expr;
    EXPECT_EQ(alert.comparison, row.comparison) << row.expr;
    EXPECT_EQ(alert.threshold, row.threshold) << row.expr;
    EXPECT_EQ(alert.scale, row.scale) << row.expr;
  }
}

TEST(AlertExpressionTest, ReadsShapesOtherThanTheUsualOne) {
  AlertExpression alert =
      ParseAlertExpression("avg by (job) (histogram_quantile(0.9, sum by (le, pod) (x)))");
  EXPECT_EQ(alert.outer_aggregations, (std::vector<std::string>{"avg"}));
  EXPECT_EQ(alert.by, (std::vector<std::string>{"le", "pod"}));
  EXPECT_TRUE(alert.native);
  EXPECT_EQ(alert.family, "x");
  EXPECT_EQ(alert.function, "");
  EXPECT_EQ(alert.inner_expression, "x");

  alert = ParseAlertExpression("histogram_quantile(scalar(q), x_bucket{a=~\"b\"})");
  EXPECT_FALSE(alert.quantile.has_value());
  EXPECT_EQ(alert.selector, "a=~\"b\"");
  EXPECT_TRUE(alert.aggregations.empty());

  alert = ParseAlertExpression("sum(rate(errors_total[10m])) > 5");
  EXPECT_FALSE(alert.is_histogram_quantile);
  EXPECT_EQ(alert.family, "errors_total");
  EXPECT_EQ(alert.function, "rate");
  EXPECT_EQ(alert.threshold, 5.0);
  EXPECT_FALSE(alert.native);

  alert = ParseAlertExpression("vector(1) > 0");
  EXPECT_FALSE(alert.is_histogram_quantile);
  EXPECT_EQ(alert.family, "");
  EXPECT_EQ(alert.compared_expression, "vector(1) > 0");
  EXPECT_EQ(ParseAlertExpression("time()").compared_expression, "time()");
  EXPECT_THROW(ParseAlertExpression("histogram_quantile("), Error);
}

TEST(AlertExpressionTest, SolvesTheComparisonForTheQuantile) {
  const std::string q = "histogram_quantile(0.9, rate(x_bucket[1m]))";
  struct Row {
    std::string expr;
    std::string comparison;
    std::optional<double> threshold;
  };
  for (const Row& row :
       {Row{"1 - " + q + " < -2", ">", 3.0}, Row{q + " + 1 > 4", ">", 3.0},
        Row{q + " - 1 > 2", ">", 3.0}, Row{"(2 * " + q + " - 1) / 4 >= 1", ">=", 2.5},
        Row{"6 > 12 - 2 * " + q, ">", 3.0}, Row{"1000 / " + q + " < 5", "<", {}},
        Row{q + " * on () group_left () y > 5", ">", {}}}) {
    const AlertExpression alert = ParseAlertExpression(row.expr);
    EXPECT_EQ(alert.comparison, row.comparison) << row.expr;
    EXPECT_EQ(alert.threshold, row.threshold) << row.expr;
  }
}

TEST(AlertExpressionTest, NamesWhatStandsBesideTheQuantile) {
  const std::string q = "histogram_quantile(0.9, rate(x_bucket[1m]))";
  const auto beside = [](const std::string& expr) { return ParseAlertExpression(expr).outside; };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(beside(q + " > 3"), Parts{});
  EXPECT_EQ(beside(q + " > 3 and on () up == 1"), Parts{"and up == 1"});
  EXPECT_EQ(beside("up == 1 unless " + q + " > 3"), Parts{"unless up == 1"});
  EXPECT_EQ(beside("avg_over_time(" + q + "[5m:1m]) > 3"), Parts{"avg_over_time(...)"});
}

using ::testing::ElementsAre;

TEST(AlternativesTest, AnExpressionWithoutAChoiceStaysAsItIs) {
  for (const char* expr : {"scheduler_a>1", "scheduler_a > 1 or vector(0)",
                           "up == 0 or scheduler_a", "scheduler_a  and scheduler_b"}) {
    EXPECT_THAT(Alternatives(expr), ElementsAre(expr));
  }
}

TEST(AlternativesTest, EachSideOfAChoiceStandsAlone) {
  EXPECT_THAT(Alternatives("scheduler_a > 1 or scheduler_b > 2"),
              ElementsAre("scheduler_a > 1", "scheduler_b > 2"));
  EXPECT_THAT(Alternatives("histogram_quantile(0.9, sum by (le) (rate(scheduler_a_bucket[5m])) or "
                           "sum by (le) (rate(scheduler_b_bucket[5m]))) > 1"),
              ElementsAre("histogram_quantile(0.9, sum by (le) (rate(scheduler_a_bucket[5m]))) > 1",
                          "histogram_quantile(0.9, sum by (le) (rate(scheduler_b_bucket[5m]))) > "
                          "1"));
  EXPECT_THAT(Alternatives("scheduler_a or scheduler_b or scheduler_c"),
              ElementsAre("scheduler_a", "scheduler_b", "scheduler_c"));
}

TEST(AlternativesTest, WhatDoesNotParseIsRefused) { EXPECT_THROW(Alternatives("a or"), Error); }

}  // namespace
}  // namespace schedlens::promql
