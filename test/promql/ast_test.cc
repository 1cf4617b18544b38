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
  EXPECT_EQ(ToString(Matcher{MatchOp::kRegex, "a.b", "c"}), "\"a.b\"=~\"c\"");
}

TEST(RewriteTest, ChangesEveryNodeOfACopy) {
  const ExprPtr before = Parse(
      "histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m]))) * 2 > (1 + -b) and "
      "max_over_time(a[5m:1m]) > topk(3, a)");
  const std::string text = ToString(*before);
  const ExprPtr after = Rewrite(before, [](Expr& node) {
    auto* selector = std::get_if<Selector>(&node.node);
    if (selector == nullptr || selector->name.empty()) return;
    selector->name = "new_" + selector->name;
    for (Matcher& matcher : selector->matchers) {
      if (matcher.name == "__name__") matcher.value = selector->name;
    }
  });
  EXPECT_EQ(ToString(*before), text);
  EXPECT_EQ(
      ToString(*after),
      ToString(*Parse("histogram_quantile(0.9, sum by (le) (rate(new_a_bucket[5m]))) * 2 > (1 "
                      "+ -new_b) and max_over_time(new_a[5m:1m]) > topk(3, new_a)")));
}

TEST(RewriteTest, NullStaysNull) {
  EXPECT_EQ(Rewrite(nullptr, [](Expr&) {}), nullptr);
}

}  // namespace
}  // namespace schedlens::promql
