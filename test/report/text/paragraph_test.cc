#include "report/text/paragraph.h"

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

TEST(Paragraph, AnEmptyParagraphIsItsFirstLine) {
  EXPECT_EQ(Paragraph("", 10, "x", "y"), "x\n");
  EXPECT_EQ(Paragraph("  a  b ", 10, "", ""), "a b\n");
}

}  // namespace
}  // namespace schedlens
