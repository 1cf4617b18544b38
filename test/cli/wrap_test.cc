#include "cli/wrap.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_EQ(Wrap("one two three four", 9, "", ""), "one two\nthree\nfour\n");
  EXPECT_EQ(Wrap("one two three", 100, "- ", "  "), "- one two three\n");
  EXPECT_EQ(Wrap("one two three", 7, "- ", "  "), "- one\n  two\n  three\n");
}

TEST(Wrap, KeepsLongWordsAndCommandsWhole) {
  EXPECT_EQ(Wrap("a abcdefghij b", 5, "", ""), "a\nabcdefghij\nb\n");
  EXPECT_EQ(Wrap("run `kubectl get pods` now", 10, "", ""), "run\n`kubectl get pods`\nnow\n");
}

TEST(Wrap, AnEmptyParagraphIsItsFirstLine) {
  EXPECT_EQ(Wrap("", 10, "x", "y"), "x\n");
  EXPECT_EQ(Wrap("  a  b ", 10, "", ""), "a b\n");
}

}  // namespace
}  // namespace schedlens
