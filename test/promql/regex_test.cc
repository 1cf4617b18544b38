#include <gtest/gtest.h>

#include "promql/matcher.h"

namespace schedlens::promql {
namespace {

TEST(MatcherRegexTest, IsAnchoredAndMatchesLineBreaks) {
  const MatcherRegex regex("a|b.");
  EXPECT_TRUE(regex.Matches("a"));
  EXPECT_TRUE(regex.Matches("b\n"));
  EXPECT_FALSE(regex.Matches("ab"));
}

TEST(MatcherRegexTest, OneInHandStaysGoodWhenTooManyArePutAway) {
  const MatcherRegex first("a+");
  for (int i = 0; i < 1000; ++i) MatcherRegex("x" + std::to_string(i));
  EXPECT_TRUE(first.Matches("aa"));
  EXPECT_TRUE(MatcherRegex("a+").Matches("aa"));
}

TEST(MatcherRegexTest, ABadPatternSaysWhy) {
  const MatcherRegex bad("(");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error(), "missing ): (");
}

}  // namespace
}  // namespace schedlens::promql
