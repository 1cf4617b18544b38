#include "promql/evaluate.h"

#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& EvaluateData() {
  static const Asker asker({Line({{"__name__", "z"}, {"k", "2"}}, {"1", "2"}),
                            Line({{"__name__", "a"}, {"k", "1"}}, {"3", "4"})});
  return asker;
}

TEST(EvaluateTest, AnswersInTheKindOfTheExpression) {
  EXPECT_EQ(EvaluateData().Full("1", "3.0", 0, 0, 0).kind, ValueKind::kScalar);
  EXPECT_EQ(EvaluateData().Full("z", "3.0", 0, 0, 0).kind, ValueKind::kVector);
  EXPECT_EQ(EvaluateData().Full("z[1m]", "3.0", 0, 0, 0).kind, ValueKind::kMatrix);
  EXPECT_EQ(EvaluateData().Full("1", "3.0", 0, 10, 10).kind, ValueKind::kMatrix);
  const Answer text = EvaluateData().Full("(\"x\")", "3.0", 0, 0, 0);
  EXPECT_EQ(text.kind, ValueKind::kString);
  EXPECT_EQ(text.text, "x");
}

TEST(EvaluateTest, SortsMatricesButNotInstantVectors) {
  EXPECT_EQ(EvaluateData().At(0, "z or a"), "z{k=\"2\"} 1; a{k=\"1\"} 3");
  EXPECT_EQ(EvaluateData().Range(0, 10'000, 10'000, "z or a"),
            "a{k=\"1\"} 3@0 4@10; z{k=\"2\"} 1@0 2@10");
}

TEST(EvaluateTest, RefusesImpossibleRanges) {
  EXPECT_NE(EvaluateData().Range(0, 10, 0, "z").find("a step longer than zero"), std::string::npos);
  EXPECT_NE(EvaluateData().Range(10, 0, 1, "z").find("end lies before its start"),
            std::string::npos);
  EXPECT_NE(EvaluateData().Range(0, 10'000'000, 1, "z").find("take a longer step"),
            std::string::npos);
  EXPECT_NE(
      EvaluateData().Range(0, 10, 1, "z[1m]").find("invalid expression type \"range vector\""),
      std::string::npos);
}

}  // namespace
}  // namespace schedlens::promql
