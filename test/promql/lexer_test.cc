#include <gtest/gtest.h>

#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

TEST(LexerTest, CutsAnExpressionIntoTokensWithTheirPlaces) {
  const std::vector<Token> tokens = Lex("a:b{c=~'d'}[5m:1m] >= 1e3 # end");
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(token.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"a:b", "{", "c", "=~", "d", "}", "[", "5m", ":", "1m",
                                             "]", ">=", "1e3", ""}));
  EXPECT_EQ(tokens[7].kind, TokenKind::kDuration);
  EXPECT_EQ(tokens[7].duration_ms, 300'000);
  EXPECT_EQ(tokens[12].number, 1000.0);
  EXPECT_EQ(tokens[4].begin, 7U);
  EXPECT_EQ(tokens[4].end, 10U);
  EXPECT_EQ(tokens.back().kind, TokenKind::kEnd);
}

TEST(LexerTest, CountsLinesAndColumnsFromOne) {
  EXPECT_EQ(PositionText("ab\ncd", 0), "1:1");
  EXPECT_EQ(PositionText("ab\ncd", 4), "2:2");
  EXPECT_EQ(PositionText("ab", 99), "1:3");
}

TEST(LexerTest, AnErrorIsOneLineOfALimitedLength) {
  const std::string token = "`a\n\tb`" + std::string(10'000, 'x');
  try {
    ThrowAt("up\n`a\n\tb`", 3, "unexpected " + token);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, 34), "PromQL 2:1: unexpected `a  b`xxxxx");
    EXPECT_EQ(text.substr(text.size() - 20), "x..., in `up `a  b``");
    EXPECT_LT(text.size(), 600U);
  }
}

}  // namespace
}  // namespace schedlens::promql
