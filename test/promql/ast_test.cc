#include "promql/ast.h"

#include <gtest/gtest.h>

#include "promql/parser.h"

namespace schedlens::promql {
namespace {

TEST(AstTest, TellsTreesApart) {
  const std::vector<std::string> different = {"a",
                                              "b",
                                              "a{x=\"1\"}",
                                              "a[5m]",
                                              "a offset 1m",
                                              "a @ 1",
                                              "-a",
                                              "(a)",
                                              "a + b",
                                              "a - b",
                                              "a + on () b",
                                              "sum(a)",
                                              "max(a)",
                                              "1",
                                              "\"1\"",
                                              "abs(a)",
                                              "ceil(a)",
                                              "sum by (x) (a)",
                                              "sum without (x) (a)",
                                              "rate(a[5m])",
                                              "rate(a[5m] anchored)",
                                              "rate(a[5m:1m])",
                                              "a > 1",
                                              "a > bool 1",
                                              "-0",
                                              "0",
                                              "NaN"};
  for (const std::string& a : different) {
    for (const std::string& b : different) {
      EXPECT_EQ(SameTree(*Parse(a), *Parse(b)), a == b) << a << " against " << b;
    }
  }
}

TEST(AstTest, WalksParentsBeforeChildren) {
  const ExprPtr tree = Parse("topk(3, sum(rate(a[5m])) + -b)");
  std::vector<std::string> seen;
  Walk(*tree, [&](const Expr& expr) { seen.push_back(ToString(expr)); });
  EXPECT_EQ(seen, (std::vector<std::string>{"topk(3, sum(rate(a[5m])) + -b)", "3",
                                            "sum(rate(a[5m])) + -b", "sum(rate(a[5m]))",
                                            "rate(a[5m])", "a[5m]", "-b", "b"}));
}

TEST(AstTest, PrintsMatchersWithoutTheName) {
  const ExprPtr tree = Parse("a{b=\"c\\\"\",d!~\"e\"}[1m]");
  EXPECT_EQ(MatchersToString(*tree->As<Selector>()), "b=\"c\\\"\",d!~\"e\"");
}

}  // namespace
}  // namespace schedlens::promql
