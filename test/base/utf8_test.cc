#include <gtest/gtest.h>

#include "base/text.h"

namespace schedlens {
namespace {

TEST(Utf8Test, ReadsWellFormedCharacters) {
  for (const char32_t code : {U'a', U'é', U'中', U'\U0001F600', U'\uFFFD', U'\U0010FFFF'}) {
    std::string text;
    AppendUtf8(text, code);
    EXPECT_EQ(NextCharacter(text + "x").code, code);
    EXPECT_EQ(NextCharacter(text + "x").bytes, text.size());
  }
}

struct Broken {
  const char* text;
  std::size_t bytes;
};

TEST(Utf8Test, IllFormedPartsAreReplacedWhole) {
  const Broken cases[] = {
      {"\x80", 1},              // stray continuation
      {"\xC0\xAF", 1},          // overlong: the lead byte is never legal
      {"\xE0\x80\x80", 1},      // overlong
      {"\xED\xA0\x80", 1},      // surrogate
      {"\xF4\x90\x80\x80", 1},  // beyond U+10FFFF
      {"\xE2\x82", 2},          // cut
      {"\xE2\x82(", 2},
      {"\xF0\x9F\x98z", 3},
      {"\xFF", 1},
  };
  for (const Broken& broken : cases) {
    EXPECT_EQ(NextCharacter(broken.text).code, kReplacement) << broken.text;
    EXPECT_EQ(NextCharacter(broken.text).bytes, broken.bytes) << broken.text;
  }
}

TEST(IsText, IsUtf8WithoutNul) {
  for (const std::string_view text : {"", "abc", "é€𝄞", "\xf4\x8f\xbf\xbf", "\x01\x7f"}) {
    EXPECT_TRUE(IsText(text)) << text;
  }
  const std::string_view bad[] = {std::string_view("\0", 1),
                                  "\x80",
                                  "\xc3",
                                  "\xc0\x80",
                                  "\xe0\x80\x80",
                                  "\xed\xa0\x80",
                                  "\xf5\x80\x80\x80",
                                  "\xf4\x90\x80\x80",
                                  "\xe2\x82",
                                  "\xff"};
  for (const std::string_view text : bad) EXPECT_FALSE(IsText(text));
}

}  // namespace
}  // namespace schedlens
