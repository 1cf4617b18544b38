#include <gtest/gtest.h>

#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

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
