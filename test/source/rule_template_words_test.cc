#include "source/rule_template_words.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(RuleTemplateWordsTest, KnowsFunctionsOfGoAndOfPrometheus) {
  EXPECT_TRUE(IsTemplateFunction("printf"));
  EXPECT_TRUE(IsTemplateFunction("humanizePercentage"));
  EXPECT_FALSE(IsTemplateFunction("Printf"));
}

TEST(RuleTemplateWordsTest, ReadsNumbers) {
  for (const char* number : {"1", "-1", "+.5", "1e3", "0x1F", "1_000"}) {
    EXPECT_TRUE(IsReadableNumber(number)) << number;
  }
  for (const char* number : {"-", "+", "0x1.5"}) EXPECT_FALSE(IsReadableNumber(number)) << number;
}

TEST(RuleTemplateWordsTest, ReadsQuotes) {
  EXPECT_TRUE(IsOneTemplateCharacter("'x'"));
  EXPECT_TRUE(IsOneTemplateCharacter("'\xC3\xA9'"));
  EXPECT_TRUE(IsOneTemplateCharacter("'\\n'"));
  EXPECT_FALSE(IsOneTemplateCharacter("'xy'"));
  EXPECT_FALSE(IsOneTemplateCharacter("''"));
  EXPECT_TRUE(IsReadableString("\"a\\\"b\\n\""));
  EXPECT_FALSE(IsReadableString("\"a\\.\""));
  EXPECT_TRUE(IsReadableString("`a\\.`"));
}

}  // namespace
}  // namespace schedlens
