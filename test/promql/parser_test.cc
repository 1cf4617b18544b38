#include "promql/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

struct Canonical {
  std::string text;
  std::string canonical;
};

TEST(ParserTest, PrintsTheCanonicalFormAndReadsItBackToTheSameTree) {
  const std::vector<Canonical> table = {
      {"1", "1"},
      {"-1", "-1"},
      {"+Inf", "+Inf"},
      {"nan", "NaN"},
      {"0x1F", "31"},
      {"017", "15"},
      {"09", "9"},
      {".5", "0.5"},
      {"1e-3", "0.001"},
      {"5m", "300"},
      {"-1^2", "-1 ^ 2"},
      {"inf^up", "Inf ^ up"},
      {"2^3^2", "2 ^ 3 ^ 2"},
      {"1 + 2 * 3 - 4", "1 + 2 * 3 - 4"},
      {"(1 + 2) * 3", "(1 + 2) * 3"},
      {"1 > bool 2", "1 > bool 2"},
      {"\"a\\n\\\"b\\x41\"", "\"a\\n\\\"bA\""},
      {"up", "up"},
      {"up{}", "up"},
      {"{__name__=\"up\"}", "{__name__=\"up\"}"},
      {"{\"up\"}", "{__name__=\"up\"}"},
      {"up{a=\"1\",b!='2',c=~`3.*`,d!~\"4\",}", "up{a=\"1\",b!=\"2\",c=~\"3.*\",d!~\"4\"}"},
      {"job:x:rate5m", "job:x:rate5m"},
      {"up[5m]", "up[5m]"},
      {"up[300]", "up[5m]"},
      {"up[90s] offset -1h30m", "up[1m30s] offset -1h30m"},
      {"up @ 1609746000 offset 5m", "up @ 1609746000.000 offset 5m"},
      {"up offset 5m @ -1.5", "up @ -1.500 offset 5m"},
      {"up[5m] @ start()", "up[5m] @ start()"},
      {"up[5m] @ end ( )", "up[5m] @ end()"},
      {"rate(up[5m] anchored)", "rate(up[5m] anchored)"},
      {"increase(up[5m] SMOOTHED offset 1m)", "increase(up[5m] smoothed offset 1m)"},
      {"max_over_time(rate(up[5m])[1h:1m] offset 1m)",
       "max_over_time(rate(up[5m])[1h:1m] offset 1m)"},
      {"max_over_time(up[1h:])", "max_over_time(up[1h:])"},
      {"sum(up)", "sum(up)"},
      {"SUM BY (a, b) (up)", "sum by (a, b) (up)"},
      {"sum(up) without(a)", "sum without (a) (up)"},
      {"topk(3, up)", "topk(3, up)"},
      {"quantile by (a) (0.9, up)", "quantile by (a) (0.9, up)"},
      {"sum", "sum"},
      {"count_x + min", "count_x + min"},
      {"a and b or c unless d", "a and b or c unless d"},
      {"a or b and c", "a or b and c"},
      {"a * on (x, y) group_left (z) b", "a * on (x, y) group_left (z) b"},
      {"a / ignoring(x) group_right b", "a / ignoring (x) group_right () b"},
      {"a and on() b", "a and on () b"},
      {"-a", "-a"},
      {"- a ^ 2", "-a ^ 2"},
      {"-a * b", "-a * b"},
      {"2 ^ -a * b", "2 ^ -a * b"},
      {"round(up, 5)", "round(up, 5)"},
      {"round(up)", "round(up)"},
      {"time() - timestamp(up)", "time() - timestamp(up)"},
      {"label_replace(up, \"a\", \"$1\", \"b\", \"(.*)\")",
       "label_replace(up, \"a\", \"$1\", \"b\", \"(.*)\")"},
      {"# why\nup # because\n+ 1", "up + 1"},
      {"histogram_quantile(0.99, sum(rate(x_bucket{job=\"k\"}[5m])) without(instance, pod)) > 3",
       "histogram_quantile(0.99, sum without (instance, pod) (rate(x_bucket{job=\"k\"}[5m]))) > 3"},
  };
  for (const Canonical& row : table) {
    const ExprPtr tree = Parse(row.text);
    EXPECT_EQ(ToString(*tree), row.canonical);
    EXPECT_TRUE(SameTree(*tree, *Parse(row.canonical))) << row.text;
  }
}

TEST(ParserTest, BindsOperatorsAsPrometheusDoes) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1 + 2 * 3", "1 + (2 * 3)"},
      {"1 - 2 - 3", "(1 - 2) - 3"},
      {"2 ^ 3 ^ 2", "2 ^ (3 ^ 2)"},
      {"a or b and c", "a or (b and c)"},
      {"a and b unless c", "(a and b) unless c"},
      {"a == b + 1", "a == (b + 1)"},
      {"a % b * c", "(a % b) * c"},
  };
  // The grouped text has parentheses as nodes of their own: compare what they wrap.
  for (const auto& [plain, grouped] : table) {
    const ExprPtr plain_tree = Parse(plain);
    const ExprPtr grouped_tree = Parse(grouped);
    const auto* left = plain_tree->As<Binary>();
    const auto* right = grouped_tree->As<Binary>();
    EXPECT_EQ(left->op, right->op) << plain;
    EXPECT_TRUE(SameTree(*left->lhs, WithoutParens(*right->lhs))) << plain;
    EXPECT_TRUE(SameTree(*left->rhs, WithoutParens(*right->rhs))) << plain;
  }
}

std::string Sum(int terms) {
  std::string text = "a";
  for (int i = 1; i < terms; ++i) text += "+b";
  return text;
}

struct Bad {
  std::string text;
  std::string says;
};

TEST(ParserTest, NamesTheTokenAndItsPosition) {
  const std::vector<Bad> table = {
      {"", "1:1: the expression is empty"},
      {"up +", "1:5: expected a number, a selector, a function or \"(\", found the end"},
      {"up up", "1:4: unexpected \"up\" after a complete expression"},
      {"sum(\n  up", "2:5: expected \",\" or \")\" after an argument"},
      {"up{a=1}", "1:6: expected a quoted string, found \"1\""},
      {"up{a=~\"(\"}", "1:7: bad regular expression \"(\""},
      {"up{a<\"1\"}", "1:5: expected =, !=, =~ or !~ after label \"a\", found \"<\""},
      {"up{__name__=\"x\"}", "1:4: the metric name is set twice"},
      {"{}", "1:1: a selector needs at least one matcher"},
      {"{a=~\".*\"}", "1:1: a selector needs at least one matcher"},
      {"nosuchfunction(up)", "1:1: function \"nosuchfunction\" is outside the dialect"},
      {"count_values(1, up)", "1:14: expected string as parameter of count_values, found scalar"},
      {"sum(1)", "1:5: expected instant vector in aggregation sum, found scalar"},
      {"rate(up[5m], 1)", "1:1: rate takes 1 argument(s), not 2"},
      {"1 > 2", "1:5: \">\" between scalars must use the bool modifier"},
      {"1 and 2", "1:7: \"and\" is only allowed between instant vectors"},
      {"up + up[5m]",
       "1:6: expected a scalar or an instant vector as operand of \"+\", found range vector"},
      {"up[0s]", "1:4: a range must be longer than zero"},
      {"up[5x]", "1:4: \"5x\" is neither a number nor a duration"},
      {"(up)[5m]", "1:5: a range is only allowed after a selector"},
      {"(up) offset 5m", "1:6: \"offset\" is only allowed after a selector or a subquery"},
      {"up offset 5m offset 5m", "1:14: offset may not be set twice"},
      {"up @ foo", "1:6: expected unix seconds"},
      {"irate(up[5m] smoothed)", "1:7: the smoothed modifier is not allowed in irate"},
      {"up ; down", "1:4: unexpected character ';'"},
      {"up \xff", "1:4: unexpected byte 0xff"},
      {"\"abc", "1:1: the string opened by \" is not closed"},
      {"\"\\q\"", "1:2: unknown escape in a string"},
      {"1e400", "1:1: \"1e400\" is neither a number nor a duration"},
      {"a + bool b", "1:5: \"bool\" can only follow a comparison operator"},
      {"a and on(x) group_left b", "no grouping is allowed for the set operation \"and\""},
      {"topk(up)", "1:5: \"topk\" takes 2 arguments, not 1"},
      {std::string(5000, '('), "nested too deeply"},
      {Sum(1 << 20), "an expression of more than 1 MiB"},
      {"x{a=~\"" + std::string(33'000, '?') + "\"}", "is longer than 32768 bytes"},
      {std::string(5000, '-') + "1", "nested too deeply"},
      {Sum(20000), "more than 2000 operators"},
  };
  for (const Bad& row : table) {
    try {
      Parse(row.text);
      ADD_FAILURE() << "accepted: " << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos)
          << row.text << "\n  said: " << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(ParserTest, OperatorsBindAsServersBindThem) {
  // The looser one of each pair is the root, on whichever side it stands.
  constexpr const char* kLooser[][2] = {{"atan2", "^"}, {"-", "*"},       {"-", "atan2"},
                                        {">=", "-"},    {"unless", ">="}, {"and", ">="},
                                        {"or", "and"},  {"or", "unless"}, {"ifnot", "or"},
                                        {"if", "or"},   {"default", "if"}};
  for (const auto& [loose, tight] : kLooser) {
    for (const bool first : {true, false}) {
      const std::string text =
          std::string("a ") + (first ? loose : tight) + " b " + (first ? tight : loose) + " c";
      EXPECT_EQ(ToString(Parse(text)->As<Binary>()->op), loose) << text;
    }
  }
  EXPECT_EQ(ToString(*Parse("a AND b")), "a and b");
}

TEST(Durations, AreExpressions) {
  struct Case {
    const char* text;
    std::int64_t range_ms;
    std::int64_t offset_ms;
  };
  constexpr Case kCases[] = {
      {"x[5m]", 300'000, 0},
      {"x[300]", 300'000, 0},
      {"x[5*1m]", 300'000, 0},
      {"x[2*1m+30s]", 150'000, 0},
      {"x[1h/12] offset (30s*2)", 300'000, 60'000},
      {"x[-1m+6m]", 300'000, 0},
      {"x[2*(1m+30s)] offset -(1m)", 180'000, -60'000},
      {"x[2^3*1s]", 8'000, 0},
      {"x[7m%2m]", 60'000, 0},
      {"x[step()*2]", 60'000, 0},
      {"x[max_of(step(),1m)]", 60'000, 0},
      {"x[min_of(range(),1m)]", 60'000, 0},
      {"x[range()] offset step()", 600'000, 30'000},
  };
  for (const Case& each : kCases) {
    const ExprPtr tree = Parse(each.text, {.step_ms = 30'000, .range_ms = 600'000});
    const auto* selector = tree->As<Selector>();
    ASSERT_NE(selector, nullptr) << each.text;
    EXPECT_EQ(selector->range_ms, each.range_ms) << each.text;
    EXPECT_EQ(selector->shift.offset_ms, each.offset_ms) << each.text;
  }
  const ExprPtr tree = Parse("x[2*5m:30s/2]");
  EXPECT_EQ(tree->As<Subquery>()->range_ms, 600'000);
  EXPECT_EQ(tree->As<Subquery>()->step_ms, 15'000);
}

TEST(Durations, AnOffsetIsOneOperand) {
  const ExprPtr tree = Parse("x offset 5m * 2");
  ASSERT_NE(tree->As<Binary>(), nullptr);
  EXPECT_EQ(tree->As<Binary>()->lhs->As<Selector>()->shift.offset_ms, 300'000);
  EXPECT_EQ(Parse("x offset 5m ^ y")->As<Binary>()->op, BinaryOp::kPow);
}

TEST(Durations, BadOnes) {
  constexpr const char* kCases[][2] = {
      {"x[]", "1:3: expected a duration in [...], found \"]\""},
      {"x[up]", "1:3: expected a duration in [...], found \"up\""},
      {"x[1m-1m]", "a range must be longer than zero"},
      {"x[step()]", "a range must be longer than zero"},  // of an instant query
      {"x[5m/0]", "1:5: a duration is divided by zero"},
      {"x[9e9*1m]", "out of range"},
      {"x[max_of(1m)]", "expected \",\" between two durations"},
      {"x[now()]", "1:3: \"now\" is no function of durations"},
      {"x[(5m]", "expected \")\" to close the parenthesis"},
  };
  for (const auto& [text, says] : kCases) {
    try {
      Parse(text, {.step_ms = 0, .range_ms = 0});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(Parse("x[" + std::string(200, '-') + "5m]"), Error);
  EXPECT_THROW(Parse("x[" + std::string(5000, '(') + "5m]"), Error);
}

}  // namespace
}  // namespace schedlens::promql
