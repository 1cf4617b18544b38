#include <gtest/gtest.h>

#include "promql/ast.h"
#include "promql/parser.h"

namespace schedlens::promql {
namespace {

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
