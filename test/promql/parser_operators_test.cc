#include "promql/parser_operators.h"

#include <gtest/gtest.h>

namespace schedlens::promql {
namespace {

TEST(ParserOperators, BindAsServersBindThem) {
  const auto precedence = [](std::string_view text) { return FindOperator(text)->precedence; };
  EXPECT_GT(precedence("^"), precedence("atan2"));
  EXPECT_EQ(precedence("atan2"), precedence("*"));
  EXPECT_EQ(precedence("*"), kUnaryPrecedence);
  EXPECT_GT(precedence("*"), precedence("-"));
  EXPECT_GT(precedence("-"), precedence(">="));
  EXPECT_GT(precedence(">="), precedence("unless"));
  EXPECT_EQ(precedence("unless"), precedence("and"));
  EXPECT_GT(precedence("and"), precedence("or"));
  EXPECT_GT(precedence("or"), precedence("ifnot"));
  EXPECT_EQ(precedence("default"), kLowestPrecedence);
}

TEST(ParserOperators, OtherWordsAreNone) {
  for (const char* text : {"", "by", "=", "=~", "AND"})
    EXPECT_EQ(FindOperator(text), nullptr) << text;
}

}  // namespace
}  // namespace schedlens::promql
