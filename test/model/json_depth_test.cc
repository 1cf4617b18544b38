#include "model/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlens {
namespace {

std::string Nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(ShallowJson, IsTheTextUpToALimit) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
    const std::string deep = Nested(kDeepestJson, open, close);
    EXPECT_EQ(ShallowJson(deep), deep);
    EXPECT_EQ(ShallowJson(Nested(kDeepestJson + 1, open, close)), "");
    EXPECT_EQ(ShallowJson(Nested(58000, open, "")), "");
  }
  const std::string wide = "[" + Nested(1, "[]", "").append(5000, ' ') + "]";
  EXPECT_EQ(ShallowJson(wide), wide);
}

TEST(ShallowJson, BracketsInStringsAreNone) {
  const std::string text =
      "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\\\\\"]";
  EXPECT_EQ(ShallowJson(text), text);
  for (const char* cut : {"\"", "\"\\", "[\"\\\"", ""}) EXPECT_EQ(ShallowJson(cut), cut);
  EXPECT_EQ(ShallowJson("[\"a\"" + std::string(1000, '[')), "") << "behind a string it counts";
}

}  // namespace
}  // namespace schedlens
