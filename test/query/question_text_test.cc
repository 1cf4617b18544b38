#include "query/query_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string TextErrorOf(const std::string& text) {
  try {
    ParseQuestion("q", text, "dir/q.promql");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(QuestionText, StatementsAreSeparatedByBlankLines) {
  const Question question =
      ParseQuestion("q", "# why\na{$selector}\n\n# older\nb{$selector}\n", "q");
  EXPECT_EQ(question.name, "q");
  EXPECT_THAT(question.statements, ElementsAre("a{$selector}", "b{$selector}"));
}

TEST(QuestionText, AStatementMaySpanLinesWithCommentsBetween) {
  const Question question = ParseQuestion("q", "sum(\n# inner\n  a{$selector}\n)\n \t\nb", "q");
  EXPECT_THAT(question.statements, ElementsAre("sum(\n  a{$selector}\n)", "b"));
}

TEST(QuestionText, CarriageReturnsAndAMissingLastLineEndDoNotMatter) {
  EXPECT_THAT(ParseQuestion("q", "a\r\n\r\nb", "q").statements, ElementsAre("a", "b"));
}

TEST(QuestionText, AFileWithoutStatementIsAnError) {
  EXPECT_THAT(TextErrorOf(""), HasSubstr("dir/q.promql: holds no statement"));
  EXPECT_THAT(TextErrorOf("# only\n\n# comments\n"), HasSubstr("holds no statement"));
}

TEST(QuestionText, AStatementThatDoesNotParseNamesFileAndLine) {
  EXPECT_THAT(TextErrorOf("a\n\nsum(\n"), HasSubstr("dir/q.promql:3: "));
  EXPECT_THAT(TextErrorOf("a{$selektor}\n"), HasSubstr("dir/q.promql:1: "));
}

}  // namespace
}  // namespace schedlens
