#include "report/text/layout.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(Paragraph, BreaksAtBlanks) {
  EXPECT_EQ(Paragraph("one two three four", 9, "", ""), "one two\nthree\nfour\n");
  EXPECT_EQ(Paragraph("one two three", 100, "- ", "  "), "- one two three\n");
  EXPECT_EQ(Paragraph("one two three", 7, "- ", "  "), "- one\n  two\n  three\n");
}

TEST(Paragraph, KeepsLongWordsAndCommandsWhole) {
  EXPECT_EQ(Paragraph("a abcdefghij b", 5, "", ""), "a\nabcdefghij\nb\n");
  EXPECT_EQ(Paragraph("run `kubectl get pods` now", 10, "", ""), "run\n`kubectl get pods`\nnow\n");
}

TEST(Paragraph, BreaksBetweenChineseCharactersButNotBeforeAMark) {
  EXPECT_EQ(Paragraph("调度变慢，原因不明", 10, "- ", "  "), "- 调度变\n  慢，原因\n  不明\n");
  EXPECT_EQ(Paragraph("用 rate() 算", 8, "", ""), "用\nrate()\n算\n");
  EXPECT_EQ(Padded("原因", 6) + "|", "原因  |");
  EXPECT_EQ(Padded("much too long", 6), "much too long");
}

TEST(Paragraph, AnEmptyParagraphIsItsFirstLine) {
  EXPECT_EQ(Paragraph("", 10, "x", "y"), "x\n");
  EXPECT_EQ(Paragraph("  a  b ", 10, "", ""), "a b\n");
}

}  // namespace
}  // namespace schedlens
