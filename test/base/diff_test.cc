#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace schedlens {
namespace {

TEST(UnifiedDiffTest, ShowsChangedLinesWithTheirSurroundings) {
  EXPECT_EQ(UnifiedDiff("r", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\ng\n"),
            "--- r\n+++ r\n@@ -2,5 +2,6 @@\n b\n c\n d\n-e\n+E\n f\n+g\n");
  EXPECT_EQ(UnifiedDiff("r", "", "a\n"), "--- r\n+++ r\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(UnifiedDiff("r", "a\n", ""), "--- r\n+++ r\n@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(UnifiedDiff("r", "a", "a\n"),
            "--- r\n+++ r\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  EXPECT_EQ(UnifiedDiff("r", "same\n", "same\n"), "");
}

TEST(UnifiedDiffTest, DistantChangesAreHunksOfTheirOwn) {
  const std::string seven = "1\n2\n3\n4\n5\n6\n7\n";
  EXPECT_EQ(UnifiedDiff("r", "x\n" + seven + "y\n", "X\n" + seven + "Y\n"),
            "--- r\n+++ r\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n"
            "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n");
}

// The hunks turn the one list into the other, and none could be left out.
TEST(DifferencesTest, TurnTheOneIntoTheOther) {
  std::mt19937 random(7);
  const std::string letters = "abc";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string_view> a(random() % 12);
    std::vector<std::string_view> b(random() % 12);
    for (auto* list : {&a, &b}) {
      for (auto& piece : *list) piece = std::string_view(letters).substr(random() % 3, 1);
    }
    std::vector<std::string_view> made;
    std::size_t at = 0;
    for (const Hunk& hunk : Differences(a, b)) {
      ASSERT_TRUE(hunk.a_begin < hunk.a_end || hunk.b_begin < hunk.b_end);
      for (; at < hunk.a_begin; ++at) made.push_back(a[at]);
      for (std::size_t i = hunk.b_begin; i < hunk.b_end; ++i) made.push_back(b[i]);
      at = hunk.a_end;
    }
    for (; at < a.size(); ++at) made.push_back(a[at]);
    ASSERT_EQ(made, b);
  }
}

}  // namespace
}  // namespace schedlens
