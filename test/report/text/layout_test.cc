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

ReportTable Three() {
  ReportTable table{{{"name"}, {"nobody has it"}, {"seconds", true, 1}}, {}};
  table.rows = {{{"first"}, {""}, {"12345678901234567890"}}, {{"second"}, {""}, {"2"}}};
  return table;
}

TEST(TableOnATerminal, AColumnWithoutAnythingIsLeftOut) {
  RenderOptions options;
  EXPECT_EQ(TextPage(options).Table(Three()),
            "  name                 seconds\n"
            "  first   12345678901234567890\n"
            "  second                     2\n");
}

TEST(TableOnATerminal, WhatIsTooWideIsSaid) {
  RenderOptions options;
  options.width = 40;
  ReportTable table = Three();
  table.columns[0].heading = "a name of some length";
  EXPECT_EQ(TextPage(options).Table(table),
            "  a name of some length\n"
            "  first\n"
            "  second\n"
            "  more columns at a wider `--width`\n");
}

}  // namespace
}  // namespace schedlens
