#include <gtest/gtest.h>

#include "cli/safe_stream.h"

namespace schedlens {
namespace {

TEST(OneLine, HasNoControlCharacters) {
  EXPECT_EQ(OneLine("a\nb\t\x1b[2Jc\x7f \r\n"), "a b  [2Jc");
  EXPECT_EQ(OneLine("99 \xe2\x80\x94"), "99 \xe2\x80\x94") << "other languages stay";
  EXPECT_EQ(OneLine("\n"), "");
}

TEST(OneLine, HidesSecretsAndCutsLongInput) {
  EXPECT_EQ(OneLine("asking http://me:pw@h: no"), "asking http://<secret>@h: no");
  EXPECT_EQ(OneLine("asking http://me:p\nw@h: no"), "asking http://<secret>@h: no");
  const std::string cut = OneLine("a " + std::string(100000, 'x') + " b");
  EXPECT_TRUE(cut.starts_with("a xxx") && cut.ends_with("xxx b")) << cut;
  EXPECT_LT(cut.size(), 220U);
  std::string words;
  for (int i = 0; i < 100000; ++i) words += "x ";
  EXPECT_LT(OneLine(words).size(), 4100U);
}

}  // namespace
}  // namespace schedlens
