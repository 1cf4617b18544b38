#include "cli/one_line.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(OneLine, HasNoControlCharacters) {
  EXPECT_EQ(OneLine("a\nb\t\x1b[2Jc\x7f \r\n"), "a b  [2Jc");
  EXPECT_EQ(OneLine("99 \xe2\x80\x94"), "99 \xe2\x80\x94") << "other languages stay";
  EXPECT_EQ(OneLine("\n"), "");
}

}  // namespace
}  // namespace schedlens
