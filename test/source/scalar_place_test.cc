#include <gtest/gtest.h>

#include "source/yaml_tree.h"

namespace schedlens {
namespace {

std::string Edited(const std::string& file, const std::string& value, const std::string& better) {
  const auto place = ScalarPlace::Find(file, 0, value);
  return place ? Apply(file, place->EditsTo(better)) : "not found";
}

TEST(ScalarPlaceTest, WhatComesAndGoesTakesItsBlanksAlong) {
  EXPECT_EQ(Edited("a  b", "a  b", "a c b"), "a c  b");
  EXPECT_EQ(Edited("a  b", "a  b", "x a b"), "x a  b");
  EXPECT_EQ(Edited("a  b", "a  b", "a b y"), "a  b y");
  EXPECT_EQ(Edited("a  b c", "a  b c", "a c"), "a c");
  EXPECT_EQ(Edited("a  b c", "a  b c", "b c"), "b c");
  EXPECT_EQ(Edited("'it''s'", "it's", "it's o'k"), "'it''s o''k'");
}

// As the texts inside of a ConfigMap have it.
TEST(ScalarPlaceTest, TheBlanksThatStayAreThoseOfTheNewValue) {
  const auto changed = [](const std::string& before, const std::string& after) {
    const std::string file = "|\n  " + before + "\n";
    return Apply(file, ScalarPlace::Find(file, 0, before + "\n")->EditsTo(after + "\n"));
  };
  EXPECT_EQ(changed("expr: avg(x)", "expr: x"), "|\n  expr: x\n");
  EXPECT_EQ(changed("expr: sum(x) > 3", "expr: sum by (a) (x) > 3"),
            "|\n  expr: sum by (a) (x) > 3\n");
  EXPECT_EQ(changed("f(0.9, rate(x))", "f(0.9, sum by (le) (rate(x)))"),
            "|\n  f(0.9, sum by (le) (rate(x)))\n");
  EXPECT_EQ(changed("by (le, b)", "by (a, le, b)"), "|\n  by (a, le, b)\n");
}

TEST(ScalarPlaceTest, IsNotFoundWhereTheBytesAreOthers) {
  for (const char* file : {"", "b", "a", "\"a\\", "\"\\u00\"", "|", "!t"}) {
    EXPECT_FALSE(ScalarPlace::Find(file, 0, "a b").has_value()) << file;
  }
  EXPECT_FALSE(ScalarPlace::Find("a", 7, "a").has_value());
  EXPECT_FALSE(ScalarPlace::Find("''", 0, "").has_value());
}

TEST(ScalarPlaceTest, QuotedIsOneLine) {
  const auto place = ScalarPlace::Find("|\n  a\n  b\n", 0, "a\nb\n");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(Apply("|\n  a\n  b\n", {place->Quoted("a # \"x\"\nc\n")}), "\"a # \\\"x\\\"\\nc\"\n");
}

TEST(ScalarPlaceTest, AByteOfTheValueIsFoundInTheFile) {
  const std::string file = "|\n  a b\n\n  cd\n", value = "a b\n\ncd\n";
  const auto place = ScalarPlace::Find(file, 0, value);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->ByteOf(0), file.find('a'));
  EXPECT_EQ(place->ByteOf(1), file.find('b'));  // a blank: the next letter
  EXPECT_EQ(place->ByteOf(value.find('c')), file.find('c'));
  EXPECT_EQ(place->ByteOf(value.find('d')), file.find('d'));
  EXPECT_EQ(place->ByteOf(value.find('d') + 1), std::nullopt);
  EXPECT_EQ(place->ByteOf(99), std::nullopt);
}

}  // namespace
}  // namespace schedlens
