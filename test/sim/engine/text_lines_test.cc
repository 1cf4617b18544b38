#include "sim/engine/text_lines.h"

#include <gtest/gtest.h>

namespace schedlens::sim {
namespace {

TEST(TextLines, WrapsAtWordsAndIndentsTheRest) {
  Lines lines;
  PutWrapped(lines, "  " + std::string(70, 'a') + " bbb cccc dddd", 6);
  EXPECT_EQ(lines, (Lines{"  " + std::string(70, 'a') + " bbb", "      cccc dddd"}));
  lines.clear();
  PutWrapped(lines, std::string(100, 'x'), 4);  // nowhere to break
  EXPECT_EQ(lines, Lines{std::string(100, 'x')});
}

TEST(TextLines, NamesTheFirstAndCountsTheRest) {
  EXPECT_EQ(Some({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(Some({"a", "b", "c"}, 2), "a, b and 1 more");
}

}  // namespace
}  // namespace schedlens::sim
