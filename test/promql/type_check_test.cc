#include <gtest/gtest.h>

#include "promql/evaluate.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

TEST(TypeCheckTest, GivesEveryExpressionItsKind) {
  const std::vector<std::pair<std::string, std::string_view>> table = {
      {"1 + 1", "scalar"},           {"\"a\"", "string"},
      {"up", "instant vector"},      {"up[5m]", "range vector"},
      {"up[5m:1m]", "range vector"}, {"up * 2", "instant vector"},
      {"2 > bool 1", "scalar"},      {"-(1)", "scalar"},
      {"scalar(up)", "scalar"},      {"vector(1)", "instant vector"},
      {"time()", "scalar"},          {"(up[5m])", "range vector"},
  };
  for (const auto& [text, kind] : table) EXPECT_EQ(KindName(Parse(text)->kind), kind) << text;
}

std::string Refusal(const std::string& text, const char* semantics) {
  EvaluateOptions options;
  options.semantics = ParseSemantics(semantics);
  try {
    Evaluate(SeriesStore(std::vector<Series>()), {text, 0, 0, 0}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << text;
    return error.what();
  }
  return "";
}

TEST(Foreign, IsParsedPrintedAndRefusedByName) {
  constexpr const char* kCases[][2] = {
      {"limitk(3, up)", "1:1: \"limitk\" is outside the dialect"},
      {"limit_ratio by (job) (0.3, up)", "1:1: \"limit_ratio\" is outside the dialect"},
      {"sort_by_label(up, \"a\")", "1:1: function \"sort_by_label\" is outside the dialect"},
      {"sum(up) * sort_by_label_desc(up, \"a\")",
       "1:11: function \"sort_by_label_desc\" is outside the dialect"},
      {"up atan2 on (job) up", "1:3: \"atan2\" is outside the dialect"},
      {"(rate(up[5m]) default 0) > 3", "1:14: \"default\" is outside the dialect"},
      {"up if up ifnot down", "1:9: \"ifnot\" is outside the dialect"},
      {"sum(up) + fill(0) up", "1:8: \"fill(0)\" is outside the dialect"},
      {"up - on (job) group_left () fill_left(0) fill_right(-1) up",
       "\"fill_left(0) fill_right(-1)\" is outside the dialect"},
      {"up smoothed", "1:1: \"smoothed\" of an instant selector is outside the dialect"},
      {"info(rate(up[5m]))", "1:1: function \"info\" is outside the dialect"},
  };
  for (const auto& [text, says] : kCases) {
    EXPECT_NE(Refusal(text, "3.14").find(says), std::string::npos) << Refusal(text, "3.14");
    const ExprPtr tree = Parse(text);
    EXPECT_TRUE(SameTree(*tree, *Parse(ToString(*tree)))) << ToString(*tree);
  }
  EXPECT_EQ(ToString(*Parse("up+fill(0)up")), "up + fill(0) up");
}

TEST(Foreign, ConditionalsBindWeakest) {
  EXPECT_EQ(Parse("a > 1 or b default c if d")->As<Binary>()->op, BinaryOp::kDefault);
  EXPECT_EQ(Parse("a > 1 or b default c if d")->As<Binary>()->rhs->As<Binary>()->op, BinaryOp::kIf);
  // Names stay names.
  EXPECT_NE(Parse("default")->As<Selector>(), nullptr);
  EXPECT_NE(Parse("sum by (if) (fill)")->As<Aggregation>(), nullptr);
}

TEST(Foreign, ARangeMayBeMissingForVictoriaMetricsOnly) {
  EXPECT_NE(Refusal("rate(up)", "3.14")
                .find("1:6: expected range vector as argument 1 of rate, found instant vector"),
            std::string::npos);
  EXPECT_EQ(Refusal("rate(up)", "victoriametrics"), "");
  EXPECT_NE(Refusal("rate(sum(up))", "victoriametrics").find("found instant vector"),
            std::string::npos);
  EXPECT_THROW(ParsePrometheus("sum(rate(up))"), Error);
  EXPECT_THROW(ParsePrometheus("up default 0"), Error);
  EXPECT_NO_THROW(ParsePrometheus("limitk(3, up)"));
}

TEST(Foreign, WhatVictoriaMetricsLacks) {
  for (const char* text : {"histogram_count(up)", "ts_of_max_over_time(up[5m])",
                           "double_exponential_smoothing(up[5m], 0.5, 0.3)"}) {
    EXPECT_EQ(Refusal(text, "3.14"), "");
    EXPECT_NE(Refusal(text, "victoriametrics").find("VictoriaMetrics does not know"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace schedlens::promql
